import { dropPartitions, type PastPartitions } from '@switchboard/outbox';
import { statement, type Database } from '@switchboard/postgres';
import { ARRIVAL_DAYS_MAX } from './event/event.repository.js';

/** No less than events: what was delivered is known by them. Source: docs/api-behaviour.md#webhooks-replay. */
const ATTEMPT_DAYS = 31;
const keepSql = statement('webhooks.keep-partitions', 'SELECT keep_webhook_partitions($1)');
const past: PastPartitions['past'] = statement(
  'webhooks.past-partitions',
  `SELECT past AS name FROM past_webhook_partitions($1, ${ATTEMPT_DAYS}) AS past`,
);
const drop: PastPartitions['drop'] = statement(
  'webhooks.drop-partition',
  `SELECT drop_past_webhook_partition($1, $2, ${ATTEMPT_DAYS}) AS "isDropped"`,
);

/**
 * Makes the days ahead of events and attempts, and drops those past retention; one that is locked stays for an hour more.
 *
 * @param retentionDays of events: 7 leave eight whole days and today; null: nothing is dropped
 */
export async function keepWebhookPartitions(database: Database, retentionDays: number | null): Promise<void> {
  await database.query(keepSql, [ARRIVAL_DAYS_MAX]);
  if (retentionDays !== null) await dropPartitions(database, { past, drop, days: retentionDays + 1 });
}
