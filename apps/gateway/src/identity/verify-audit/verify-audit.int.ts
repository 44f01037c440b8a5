import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Database } from '@switchboard/postgres';
import { testServers } from '@switchboard/testing';
import fc from 'fast-check';
import { appendEntry, chainOf, entryOf, verifyChain } from '../../../test/audit-chains.js';
import { makeOrganization } from '../../../test/people-harness.js';
import { gatewayMigrations } from '../../migrations/all.js';
import { verifyAudit, type AuditHead } from './verify-audit.js';

const servers = testServers();
let database: Database;
let superuser: Database;

beforeAll(async () => {
  const prepared = await servers.serviceDatabase('gateway', gatewayMigrations);
  database = await prepared.database();
  superuser = await prepared.superuser();
});

const sql = (text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> =>
  superuser.dataSource.query(text, values);

/** Tampers as one who owns the database could, without the trigger. */
async function tamper(text: string, values: unknown[] = []): Promise<void> {
  await superuser.dataSource.transaction(async (manager) => {
    await manager.query('SET LOCAL session_replication_role = replica');
    await manager.query(text, values);
  });
}

const COLUMNS: Readonly<Record<string, string>> = {
  action: `'plan.changed-not'`,
  actor_type: `CASE actor_type WHEN 'system' THEN 'user' ELSE 'system' END`,
  actor_id: `coalesce(actor_id || 'x', 'x')`,
  actor_email: `NULL`,
  address: `'192.0.2.8'`,
  trace_id: `NULL`,
  at: `at + interval '1 millisecond'`,
  recorded_by: `recorded_by || 'x'`,
  before: `'{}'`,
  after: `(after::text || ' ')::json`,
  hash: `sha256(hash)`,
};

/** What one who owns the database may do to one row `$2` of a chain `$1`, and the first row that cannot hold after it. */
const tamperings: Readonly<Record<string, { text: string; first: (row: number, length: number) => number[] }>> = {
  ...Object.fromEntries(
    Object.entries(COLUMNS).map(([column, value]) => [
      `edits ${column}`,
      {
        text: `UPDATE gateway.audit_entry SET ${column} = ${value} WHERE organization_id = $1 AND sequence = $2`,
        first: (row: number) => [row],
      },
    ]),
  ),
  'removes a row': {
    text: 'DELETE FROM gateway.audit_entry WHERE organization_id = $1 AND sequence = $2',
    first: (row) => [row],
  },
  'removes a row and closes the gap': {
    text: `WITH gone AS (DELETE FROM gateway.audit_entry WHERE organization_id = $1 AND sequence >= $2 RETURNING *)
      INSERT INTO gateway.audit_entry SELECT organization_id, sequence - 1, action, actor_type, actor_id, actor_email,
        address, trace_id, at, recorded_by, before, after, hash FROM gone WHERE sequence > $2`,
    first: (row) => [row],
  },
  'swaps two neighbours': {
    text: `UPDATE gateway.audit_entry a SET (action, after, at, hash) = (b.action, b.after, b.at, b.hash)
      FROM gateway.audit_entry b WHERE a.organization_id = $1 AND b.organization_id = $1
      AND a.sequence IN ($2::bigint, $2::bigint - 1) AND b.sequence = 2 * $2::bigint - 1 - a.sequence`,
    first: (row) => [row - 1],
  },
  'cuts the end off': {
    text: 'DELETE FROM gateway.audit_entry WHERE organization_id = $1 AND sequence >= $2',
    first: (row) => [row],
  },
  'cuts the beginning off': {
    text: 'DELETE FROM gateway.audit_entry WHERE organization_id = $1 AND sequence <= $2',
    first: () => [1],
  },
  'writes a row in before the first': {
    text: `INSERT INTO gateway.audit_entry SELECT organization_id, 1 - sequence, action, actor_type, actor_id, actor_email,
        address, trace_id, at, recorded_by, before, after, hash FROM gateway.audit_entry
      WHERE organization_id = $1 AND sequence = $2`,
    first: () => [1],
  },
  'writes a row in behind the last': {
    text: `INSERT INTO gateway.audit_entry SELECT organization_id, sequence + 100, action, actor_type, actor_id,
        actor_email, address, trace_id, at, recorded_by, before, after, hash FROM gateway.audit_entry
      WHERE organization_id = $1 AND sequence = $2`,
    first: (_row, length) => [length + 1],
  },
  'moves the head back': {
    text: 'UPDATE gateway.audit_head SET sequence = sequence - 1 WHERE organization_id = $1 AND $2::int > 0',
    first: (_row, length) => [length],
  },
  'takes the head away': {
    text: 'DELETE FROM gateway.audit_head WHERE organization_id = $1 AND $2::int > 0',
    first: () => [1],
  },
};

describe('npm run audit:verify', () => {
  it.each(Object.entries(tamperings))('finds who %s, at whatever row', async (_name, { text, first }) => {
    const place = fc
      .integer({ min: 2, max: 9 })
      .chain((length) => fc.tuple(fc.constant(length), fc.integer({ min: 2, max: length })));
    await fc.assert(
      fc.asyncProperty(place, async ([length, row]) => {
        const organizationId = await chainOf(database, length);
        expect((await verifyChain(superuser, organizationId)).fault).toBeNull();
        await tamper(text, [organizationId, row]);
        const { fault } = await verifyChain(superuser, organizationId);
        expect(fault?.organizationId).toBe(organizationId);
        expect(first(row, length)).toContain(fault?.sequence);
      }),
      { numRuns: 6 },
    );
  });

  it('finds a chain that its owner wrote anew, or cut, head and all, by a head that was noted; and not without', async () => {
    const organizationId = await chainOf(database, 5);
    const { head } = await verifyChain(superuser, organizationId);
    if (!head) throw new Error('the chain has no head');
    const noted: AuditHead[] = [head];
    await appendEntry(database, entryOf(organizationId));
    expect((await verifyChain(superuser, organizationId, noted)).fault).toBeNull();
    await sql('DELETE FROM gateway.audit_entry WHERE organization_id = $1', [organizationId]);
    await sql('DELETE FROM gateway.audit_head WHERE organization_id = $1', [organizationId]);
    expect((await verifyChain(superuser, organizationId, noted)).fault).toMatchObject({ sequence: 1 });
    for (let index = 0; index < 6; index++)
      await appendEntry(database, entryOf(organizationId, { after: { index: 'other' } }));
    expect((await verifyChain(superuser, organizationId)).fault).toBeNull();
    expect((await verifyChain(superuser, organizationId, noted)).fault).toMatchObject({
      sequence: 5,
      what: expect.stringContaining('noted'),
    });
  });

  it('finds an organization without a chain, by itself and among all', async () => {
    const organizationId = await makeOrganization(superuser);
    const what = 'is missing: the organization exists, and has no entries';
    expect((await verifyChain(superuser, organizationId)).fault).toEqual({ organizationId, sequence: 1, what });
    const faults: unknown[] = [];
    for await (const { fault } of verifyAudit(superuser, {})) faults.push(fault);
    expect(faults).toContainEqual({ organizationId, sequence: 1, what });
    await appendEntry(database, entryOf(organizationId));
    expect((await verifyChain(superuser, organizationId)).fault).toBeNull();
  });

  it('walks chain after chain, page after page, and reports the noted one of which nothing is left', async () => {
    const long = await chainOf(database, 2_300);
    const gone = newCuid();
    await tamper('DELETE FROM gateway.audit_entry WHERE organization_id = $1 AND sequence = 2001', [long]);
    const seen: number[] = [];
    const faults: (string | undefined)[] = [];
    const noted = [{ organizationId: gone, sequence: 4, hash: 'ab'.repeat(32) }];
    for await (const { fault } of verifyAudit(superuser, { noted, onRows: (rows) => seen.push(rows) })) {
      if (fault) faults.push(`${fault.organizationId} ${fault.sequence}`);
    }
    expect(faults).toEqual(expect.arrayContaining([`${long} 2001`, `${gone} 1`]));
    expect(seen.length).toBeGreaterThan(5);
    expect(seen).toEqual(seen.toSorted((one, other) => one - other));
  });
});
