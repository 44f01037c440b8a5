import { sqlState, statement, type Database } from '@switchboard/postgres';
import { EVENT_RETENTION_DAYS } from './event/event.repository.js';

/** Source: docs/api-behaviour.md#webhooks-replay. */
const ATTEMPT_RETENTION_DAYS = 30;
const LOCK_NOT_AVAILABLE = '55P03';
const keepSql = statement('webhooks.keep-partitions', 'SELECT keep_webhook_partitions($1)');
const pastSql = statement<{ name: string }>(
  'webhooks.past-partitions',
  'SELECT past AS name FROM past_webhook_partitions($1, $2) AS past',
);
const dropSql = statement('webhooks.drop-partition', 'SELECT drop_past_webhook_partition($1, $2, $3)');

/** Makes the days ahead of events and attempts, and drops those past retention; one that is locked stays for an hour more. */
export async function keepWebhookPartitions(database: Database): Promise<void> {
  const days = [EVENT_RETENTION_DAYS, ATTEMPT_RETENTION_DAYS];
  await database.query(keepSql, [EVENT_RETENTION_DAYS]);
  for (const { name } of await database.query(pastSql, days)) {
    await database.query(dropSql, [name, ...days]).catch((error: unknown) => {
      if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error;
    });
  }
}
