import { PruneWorker } from '@switchboard/platform';
import { statement, type PruneStatement } from '@switchboard/postgres';

/** What another transaction has locked, a rotation among them, is left to a later slice. */
const eraseFormer: PruneStatement = statement(
  'webhooks.webhook.erase-former-secret',
  `WITH over AS (
     SELECT organization_id, id FROM webhook WHERE previous_secret_until <= now()
     ORDER BY previous_secret_until LIMIT $1 FOR UPDATE SKIP LOCKED),
   erased AS (
     UPDATE webhook w SET previous_secret_sealed = NULL, previous_secret_until = NULL
     FROM over WHERE w.organization_id = over.organization_id AND w.id = over.id RETURNING 1)
   SELECT count(*)::int AS count FROM erased`,
);

/** Erases former secrets, which sign no more, by index `webhook_former_secret`. */
export const formerSecretEraser = PruneWorker.provide({
  rows: 'former-secrets',
  statement: eraseFormer,
  sliceMax: 1_000,
  idleMs: 600_000,
});
