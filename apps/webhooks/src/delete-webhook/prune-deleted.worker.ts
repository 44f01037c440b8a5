import { PruneWorker } from '@switchboard/platform';
import { pruneSql, statement, type PruneStatement } from '@switchboard/postgres';

/**
 * Longer than attempts are kept, 31 days with the days of which a part is older, one of which is looked at again after an hour: an
 * erasure looks for them by these ids. No less than events at most: see `WEBHOOKS_RETENTION_DAYS`.
 */
const pruneDeleted: PruneStatement = statement(
  'webhooks.deleted-webhook.prune',
  pruneSql({
    table: 'deleted_webhook',
    key: ['organization_id', 'id'],
    age: 'deleted_at',
    upTo: `now() - interval '34 days'`,
  }),
);

/** Removes the ids of deleted webhooks that no timeline shows and no erasure needs any more, by index `deleted_webhook_deleted`. */
export const deletedWebhookPruner = PruneWorker.provide({
  rows: 'deleted-webhooks',
  statement: pruneDeleted,
  sliceMax: 1_000,
  idleMs: 600_000,
  needsAgreedClocks: true,
});
