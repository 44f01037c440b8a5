import { statement, type Transaction } from '@switchboard/postgres';
import type { SecretBox } from './secret-box.js';

/** One wrapped data key per organization; in each schema that stores secrets. */
export const dataKeyTable = `CREATE TABLE data_key (
  organization_id text PRIMARY KEY,
  wrapped bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
)`;

/** The lock keeps a rotation from missing what is sealed with the key: it replaces the key first, and so waits for us. */
const find = statement<{ readonly wrapped: Buffer }>(
  'secrets.data_key.find',
  `SELECT wrapped FROM data_key WHERE organization_id = $1 FOR SHARE`,
);

/** Of two that are first, the second waits and takes the first one's key. */
const insert = statement<{ readonly wrapped: Buffer }>(
  'secrets.data_key.insert',
  `INSERT INTO data_key AS own (organization_id, wrapped) VALUES ($1, $2)
   ON CONFLICT (organization_id) DO UPDATE SET wrapped = own.wrapped
   RETURNING wrapped`,
);
const replace = statement('secrets.data_key.replace', 'UPDATE data_key SET wrapped = $2 WHERE organization_id = $1');

/**
 * The organization's data key, wrapped; made in this transaction when it has none. One that no master key of this process opens is
 * replaced: what is sealed holds the key that it was sealed with, and opens again with the master key of that time.
 */
export async function dataKeyOf(tx: Transaction, box: SecretBox, organizationId: string): Promise<Buffer> {
  const [found] = await tx.query(find, [organizationId]);
  if (found && box.opens(found.wrapped)) return found.wrapped;
  if (found) {
    const wrapped = box.newDataKey(organizationId);
    await tx.query(replace, [organizationId, wrapped]);
    return wrapped;
  }
  const [made] = await tx.query(insert, [organizationId, box.newDataKey(organizationId)]);
  if (!made) throw new Error('the data key was not stored');
  return made.wrapped;
}
