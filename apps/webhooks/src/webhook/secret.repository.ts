import type { WebhookSecretView } from '@switchboard/contracts/webhooks/http';
import { statement, type Queryable, type Transaction } from '@switchboard/postgres';
import type { SecretBox } from '@switchboard/secrets';
import { openSecrets, type SealedSecrets } from './webhook-secrets.js';

interface SecretRow extends SealedSecrets {
  readonly url: string;
  readonly previousUntil: Date | null;
}

const readSql = statement<SecretRow>(
  'webhooks.webhook.secrets',
  `SELECT organization_id AS "organizationId", id AS "webhookId", url, secret_sealed AS "secretSealed",
     CASE WHEN previous_secret_until > now() THEN previous_secret_sealed END AS "previousSecretSealed",
     CASE WHEN previous_secret_until > now() THEN previous_secret_until END AS "previousUntil"
   FROM webhook WHERE organization_id = $1 AND id = $2`,
);
const storeSql = statement(
  'webhooks.webhook.rotate-secret',
  `UPDATE webhook SET secret_sealed = $3, previous_secret_sealed = $4, updated_at = now(),
     previous_secret_until = CASE WHEN $4::bytea IS NOT NULL THEN now() + interval '24 hours' END
   WHERE organization_id = $1 AND id = $2`,
);

/** Where a webhook goes and what signs for it; null when the organization has none of this id. */
export async function readSealedSecrets(on: Queryable, organizationId: string, id: string): Promise<SecretRow | null> {
  const [row] = await on.query(readSql, [organizationId, id]);
  return row ?? null;
}

/** The secret as people see it; null when the organization has no webhook of this id. */
export async function readSecrets(
  on: Queryable,
  box: SecretBox,
  organizationId: string,
  id: string,
): Promise<WebhookSecretView | null> {
  const row = await readSealedSecrets(on, organizationId, id);
  if (row === null) return null;
  const { current, previous } = openSecrets(box, row);
  const previousSecretValidUntil = previous === null ? null : (row.previousUntil?.toISOString() ?? null);
  return { secret: current, previousSecretValidUntil };
}

/** Stores a new secret; the former one signs too for 24 hours. Source: docs/api-behaviour.md#webhooks-signature. */
export async function storeSecrets(
  tx: Transaction,
  { organizationId, webhookId, secretSealed, previousSecretSealed }: SealedSecrets,
): Promise<void> {
  await tx.query(storeSql, [organizationId, webhookId, secretSealed, previousSecretSealed]);
}
