import { createHmac, randomBytes } from 'node:crypto';
import { statement, type Queryable, type Transaction } from '@switchboard/postgres';
import { dataKeyOf, SecretBox, type SecretPlace } from '@switchboard/secrets';
import { Injectable } from '@nestjs/common';

const KEY_BYTES = 32;

const findSql = statement<{ organizationId: string; keySealed: Buffer }>(
  'contacts.number-key.find',
  `SELECT organization_id AS "organizationId", key_sealed AS "keySealed" FROM number_key
   WHERE organization_id = ANY ($1::text[])`,
);
/** Of two that are first, the second waits and takes the first one's key. */
const insertSql = statement<{ keySealed: Buffer }>(
  'contacts.number-key.insert',
  `INSERT INTO number_key AS own (organization_id, id, key_sealed) VALUES ($1, $1, $2)
   ON CONFLICT (organization_id) DO UPDATE SET key_sealed = own.key_sealed RETURNING key_sealed AS "keySealed"`,
);

/** Hashes an alias of a contact: HMAC-SHA256 under a key of the organization. */
export type NumberHash = (alias: string) => Buffer;

/**
 * The keys that hash the numbers of erased contacts: one an organization, made with its first erasure and never changed.
 * They are sealed, so that a copy of the database alone does not let numbers be tried; a rotation seals them anew.
 */
@Injectable()
export class NumberHashes {
  constructor(private readonly box: SecretBox) {}

  /** Those of the organizations that have ever erased a contact. */
  async find(through: Queryable, organizationIds: readonly string[]): Promise<ReadonlyMap<string, NumberHash>> {
    if (organizationIds.length === 0) return new Map();
    const rows = await through.query(findSql, [organizationIds]);
    return new Map(rows.map(({ organizationId, keySealed }) => [organizationId, this.open(organizationId, keySealed)]));
  }

  /** The organization's; made in this transaction when it has none. */
  async ensure(tx: Transaction, organizationId: string): Promise<NumberHash> {
    const known = (await this.find(tx, [organizationId])).get(organizationId);
    if (known) return known;
    const dataKey = await dataKeyOf(tx, this.box, organizationId);
    const key = randomBytes(KEY_BYTES).toString('base64');
    const [made] = await tx.query(insertSql, [organizationId, this.box.seal(key, placeOf(organizationId), dataKey)]);
    if (!made) throw new Error('the key was not stored');
    return this.open(organizationId, made.keySealed);
  }

  private open(organizationId: string, keySealed: Buffer): NumberHash {
    const key = Buffer.from(this.box.open(keySealed, placeOf(organizationId)), 'base64');
    return (alias) => createHmac('sha256', key).update(alias).digest();
  }
}

function placeOf(organizationId: string): SecretPlace {
  return { organizationId, table: 'number_key', row: organizationId, column: 'key_sealed' };
}
