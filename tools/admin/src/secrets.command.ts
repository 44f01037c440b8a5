import { SecretBox } from '@switchboard/secrets';
import { sqlState } from '@switchboard/postgres';
import type pg from 'pg';
import type { AdminContext } from './admin-context.js';
import { masterKeysOf } from './admin.config.js';
import type { Choices } from './command-line.js';
import { textTable } from './text-table.js';

/** Where secrets are stored sealed; the names of table and columns are those of their associated data. */
const sealed = [
  { service: 'messaging', table: 'channel', columns: ['access_token_sealed'], owner: 'organization_id', id: 'id' },
  {
    service: 'contacts',
    table: 'number_key',
    columns: ['key_sealed'],
    owner: 'organization_id',
    id: 'id',
  },
  {
    service: 'webhooks',
    table: 'webhook',
    columns: ['secret_sealed', 'previous_secret_sealed'],
    owner: 'organization_id',
    id: 'id',
  },
  // Its data keys are of persons.
  { service: 'gateway', table: 'second_factor', columns: ['seed_sealed'], owner: 'user_id', id: 'user_id' },
] as const;
/** Its first releases sealed tokens for no place. */
const SEALED_UNBOUND = 'messaging';

const DEADLOCK = '40P01';
const TRIES_MAX = 3;

/**
 * Gives every organization a new data key, wrapped by the current master key, and seals all of its secrets anew; values of
 * earlier versions too. Services may run meanwhile, when each has both master keys. May be repeated, also after it was
 * interrupted: an organization is done as a whole or not at all.
 *
 * @throws Error that names the rows that no key opens; everything else is sealed by then
 */
export async function rotateSecrets(
  client: pg.ClientBase,
  choices: Choices,
  { config }: AdminContext,
): Promise<string[]> {
  const masterKeys = masterKeysOf(config);
  const rows = [];
  const unreadable: string[] = [];
  for (const { service, table, columns, owner, id } of sealed) {
    const box = new SecretBox(masterKeys, { readsUnbound: service === SEALED_UNBOUND });
    const { rows: found } = await client.query(`SELECT FROM to_regclass($1) AS found WHERE found IS NOT NULL`, [
      `${service}.data_key`,
    ]);
    if (found.length === 0) continue;
    await client.query(`SET search_path = ${client.escapeIdentifier(service)}`);
    const counts = { organizations: 0, values: 0 };
    for (const organizationId of await ownersIn(client, table, owner)) {
      counts.values += await whole(client, () =>
        resealAll(client, box, { organizationId, service, table, columns, owner, id, unreadable }),
      );
      counts.organizations += 1;
    }
    rows.push({ service, organizations: counts.organizations, values: counts.values });
  }
  if (rows.length === 0) throw new Error('This database has no sealed secrets, or its schemas are not migrated.');
  if (unreadable.length > 0) {
    // A transaction that was repeated has named its own twice.
    const named = [...new Set(unreadable)];
    throw new Error(
      `No key opens ${named.length} values, which were left as they are; the others are sealed anew:\n  ${named.join('\n  ')}`,
    );
  }
  return choices.json ? rows.map((row) => JSON.stringify(row)) : textTable(rows);
}

interface Sealed {
  /** Or the person, where `owner` is one. */
  readonly organizationId: string;
  /** The column of it. */
  readonly owner: string;
  /** The column of the row's id. */
  readonly id: string;
  readonly service: string;
  readonly table: string;
  readonly columns: readonly string[];
  readonly unreadable: string[];
}

/** @returns how many values were sealed anew */
async function resealAll(client: pg.ClientBase, box: SecretBox, of: Sealed): Promise<number> {
  const { organizationId, table, columns } = of;
  const rowsOf = `${client.escapeIdentifier(table)} WHERE ${client.escapeIdentifier(of.owner)} = $1`;
  const id = client.escapeIdentifier(of.id);
  const lockRows = `SELECT ${id} FROM ${rowsOf} ORDER BY ${id} FOR UPDATE`;
  // Rows, then the key, as services lock them. A transaction that seals under the former key holds it, and is waited for:
  // the rows that are read afterwards hold what it sealed.
  await client.query(lockRows, [organizationId]);
  const dataKey = box.newDataKey(organizationId);
  await client.query(
    `INSERT INTO data_key (organization_id, wrapped) VALUES ($1, $2)
     ON CONFLICT (organization_id) DO UPDATE SET wrapped = excluded.wrapped, created_at = now()`,
    [organizationId, dataKey],
  );
  const names = columns.map((column) => client.escapeIdentifier(column));
  const { rows } = await client.query<{ id: string } & Record<string, Buffer | null>>(
    `SELECT ${id} AS id, ${names.join(', ')} FROM ${rowsOf} ORDER BY ${id} FOR UPDATE`,
    [organizationId],
  );
  let count = 0;
  for (const row of rows) {
    for (const column of columns) {
      const value = row[column];
      const place = { organizationId, table, row: row.id, column };
      const text = value instanceof Uint8Array ? opened(box, Buffer.from(value), place, of) : null;
      if (text === null) continue;
      await client.query(
        `UPDATE ${client.escapeIdentifier(table)} SET ${client.escapeIdentifier(column)} = $3
         WHERE ${client.escapeIdentifier(of.owner)} = $1 AND ${id} = $2`,
        [organizationId, row.id, box.seal(text, place, dataKey)],
      );
      count += 1;
    }
  }
  return count;
}

function opened(
  box: SecretBox,
  value: Buffer,
  place: Parameters<SecretBox['open']>[1],
  { service, unreadable }: Sealed,
): string | null {
  try {
    return box.open(value, place);
  } catch {
    // Named at the end: one value that is lost must not keep the others under the former key.
    unreadable.push(`${service}.${place.table} ${place.row} ${place.column} of ${place.organizationId}`);
    return null;
  }
}

async function ownersIn(client: pg.ClientBase, table: string, owner: string): Promise<readonly string[]> {
  const [from, column] = [client.escapeIdentifier(table), client.escapeIdentifier(owner)];
  const { rows } = await client.query<{ id: string }>(
    `SELECT ${column} AS id FROM ${from} UNION SELECT organization_id FROM data_key ORDER BY id`,
  );
  return rows.map(({ id }) => id);
}

/** In one transaction; again where a service that locks the other way round made it the victim. */
async function whole(client: pg.ClientBase, work: () => Promise<number>): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    await client.query('BEGIN');
    try {
      const result = await work();
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK');
      if (sqlState(error) !== DEADLOCK || attempt === TRIES_MAX) throw error;
    }
  }
}
