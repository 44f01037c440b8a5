import { PruneWorker } from '@switchboard/platform';
import { pruneSql, statement, type PruneStatement } from '@switchboard/postgres';

/** As long as events are kept at most, with the days of which a part is older: see `WEBHOOKS_RETENTION_DAYS`. */
const pruneDeleted: PruneStatement = statement(
  'webhooks.deleted-webhook.prune',
  pruneSql({
    table: 'deleted_webhook',
    key: ['organization_id', 'id'],
    age: 'deleted_at',
    upTo: `now() - interval '32 days'`,
  }),
);

/** Removes the ids of deleted webhooks that no timeline shows any more, by index `deleted_webhook_deleted`. */
export const deletedWebhookPruner = PruneWorker.provide({
  rows: 'deleted-webhooks',
  statement: pruneDeleted,
  sliceMax: 1_000,
  idleMs: 600_000,
  needsAgreedClocks: true,
});
