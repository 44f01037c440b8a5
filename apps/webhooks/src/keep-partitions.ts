import { dropPartitions, type PastPartitions } from '@switchboard/outbox';
import { statement, type Database } from '@switchboard/postgres';
import { EVENT_RETENTION_DAYS } from './event/event.repository.js';

/** Source: docs/api-behaviour.md#webhooks-replay. */
const ATTEMPT_RETENTION_DAYS = 30;
const keepSql = statement('webhooks.keep-partitions', 'SELECT keep_webhook_partitions($1)');
const past: PastPartitions['past'] = statement(
  'webhooks.past-partitions',
  `SELECT past AS name FROM past_webhook_partitions($1, ${ATTEMPT_RETENTION_DAYS}) AS past`,
);
const drop: PastPartitions['drop'] = statement(
  'webhooks.drop-partition',
  `SELECT drop_past_webhook_partition($1, $2, ${ATTEMPT_RETENTION_DAYS}) AS "isDropped"`,
);

/** Makes the days ahead of events and attempts, and drops those past retention; one that is locked stays for an hour more. */
export async function keepWebhookPartitions(database: Database): Promise<void> {
  await database.query(keepSql, [EVENT_RETENTION_DAYS]);
  await dropPartitions(database, { past, drop, days: EVENT_RETENTION_DAYS });
}
