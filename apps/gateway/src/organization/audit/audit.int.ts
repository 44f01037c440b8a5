import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Database } from '@switchboard/postgres';
import { testServers } from '@switchboard/testing';
import fc from 'fast-check';
import { gatewayMigrations } from '../../migrations/all.js';
import type { NewAuditEntry } from '../audit.contract.js';
import { verifyAudit, type AuditHead, type VerifiedChain } from '../verify-audit/verify-audit.js';
import { auditHashOf, AUDIT_ORIGIN } from './audit-chain.policy.js';
import { appendAudit, databaseAuditLog } from './audit.repository.js';

const servers = testServers();
let database: Database;
let replica: Database;
let superuser: Database;

beforeAll(async () => {
  const prepared = await servers.serviceDatabase('gateway', gatewayMigrations);
  database = await prepared.database();
  replica = await prepared.database();
  superuser = await prepared.superuser();
});

const entryOf = (organizationId: string, change: Partial<NewAuditEntry> = {}): NewAuditEntry => ({
  organizationId,
  actor: { type: 'user', id: 'cuser00', email: 'owner@acme.test' },
  address: '192.0.2.7',
  traceId: 'a'.repeat(32),
  action: 'api-key.created',
  before: null,
  after: { label: 'Till' },
  ...change,
});

const append = (entry: NewAuditEntry, through: Database = database): Promise<void> =>
  through.transaction(async (tx) => appendAudit(tx, entry));

async function chainOf(length: number): Promise<string> {
  const organizationId = newCuid();
  await database.transaction(async (tx) => {
    for (let index = 1; index <= length; index++) {
      const action = index % 3 === 0 ? 'plan.changed' : 'api-key.created';
      appendAudit(tx, entryOf(organizationId, { action, after: { index } }));
    }
  });
  return organizationId;
}

async function verify(organizationId: string, noted: readonly AuditHead[] = []): Promise<VerifiedChain> {
  for await (const chain of verifyAudit(superuser, { organizationId, noted })) return chain;
  throw new Error('no chain was looked at');
}

const sql = (text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> =>
  superuser.dataSource.query(text, values);

/** Tampers as one who owns the database could, without the trigger. */
async function tamper(text: string, values: unknown[] = []): Promise<void> {
  await superuser.dataSource.transaction(async (manager) => {
    await manager.query('SET LOCAL session_replication_role = replica');
    await manager.query(text, values);
  });
}

describe('the audit log', () => {
  it('chains what was written by the very hash that its description says, whatever the texts', async () => {
    const text = fc.string({ unit: 'binary' }).map((any) => any.toWellFormed().replaceAll('\0', ''));
    const organizationId = newCuid();
    let previous = AUDIT_ORIGIN;
    let sequence = 0;
    await fc.assert(
      fc.asyncProperty(text, text, fc.option(fc.ipV6()), fc.json(), async (id, email, address, json) => {
        const after = { json: JSON.parse(json) as unknown, text: email };
        await append(entryOf(organizationId, { actor: { type: 'user', id, email }, address, after }));
        const [row] = await sql(
          `SELECT (extract(epoch FROM at) * 1000000)::bigint::text AS at, address, recorded_by, encode(hash, 'hex') AS hash
           FROM gateway.audit_entry WHERE organization_id = $1 AND sequence = $2`,
          [organizationId, ++sequence],
        );
        expect(row).toMatchObject({ recorded_by: 'switchboard_gateway', address });
        previous = auditHashOf(previous, {
          organizationId,
          sequence: String(sequence),
          action: 'api-key.created',
          actorType: 'user',
          actorId: id,
          actorEmail: email,
          address,
          traceId: 'a'.repeat(32),
          at: String(row?.at),
          recordedBy: 'switchboard_gateway',
          before: null,
          after: JSON.stringify(after),
        });
        expect(row?.hash).toBe(previous);
      }),
      { numRuns: 60 },
    );
    expect(await verify(organizationId)).toMatchObject({ rows: sequence, fault: null, head: { hash: previous } });
  });

  it('counts without a gap over replicas that write at once and transactions that fail', async () => {
    const organizationId = newCuid();
    const other = newCuid();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 90 }, (_, index) =>
        (index % 2 === 0 ? database : replica).transaction(async (tx) => {
          appendAudit(tx, entryOf(index % 5 === 0 ? other : organizationId, { after: { index } }));
          if (index % 3 === 0) throw new Error('the use case failed after all');
        }),
      ),
    );
    const written = outcomes.filter(({ status }) => status === 'fulfilled').length;
    const [one, two] = [await verify(organizationId), await verify(other)];
    expect([one.fault, two.fault, one.rows + two.rows]).toEqual([null, null, written]);
    expect(written).toBe(60);
  });

  it('keeps no address that is none, and lets the writer set neither place, time, writer nor hash', async () => {
    const organizationId = newCuid();
    await append(entryOf(organizationId, { address: 'unknown, 10.0.0.1', actor: { type: 'system' } }));
    await database.dataSource.query(
      `INSERT INTO gateway.audit_entry (organization_id, action, actor_type, sequence, at, recorded_by, hash)
       VALUES ($1, 'plan.changed', 'operator', 77, '2001-01-01', 'postgres', '\\x00')`,
      [organizationId],
    );
    const rows = await sql(
      'SELECT sequence, address, recorded_by, at > now() - interval $$1 minute$$ AS fresh FROM gateway.audit_entry WHERE organization_id = $1 ORDER BY sequence',
      [organizationId],
    );
    expect(rows).toEqual([
      { sequence: '1', address: null, recorded_by: 'switchboard_gateway', fresh: true },
      { sequence: '2', address: null, recorded_by: 'switchboard_gateway', fresh: true },
    ]);
    expect((await verify(organizationId)).fault).toBeNull();
  });

  it.each([
    `UPDATE gateway.audit_entry SET after = '{}'`,
    'DELETE FROM gateway.audit_entry',
    'TRUNCATE gateway.audit_entry',
    `INSERT INTO gateway.audit_entry (organization_id, action, actor_type) VALUES ('c1', 'plan.changed', 'system')
     ON CONFLICT (organization_id, sequence) DO UPDATE SET after = NULL`,
    'UPDATE gateway.audit_head SET sequence = 0',
    'DELETE FROM gateway.audit_head',
    `INSERT INTO gateway.audit_head VALUES ('c1', 9, '\\x00')`,
    'ALTER TABLE gateway.audit_entry DISABLE TRIGGER ALL',
    'SET session_replication_role = replica',
  ])("is refused to the service's role to change: %s", async (statement) => {
    await expect(database.dataSource.query(statement)).rejects.toMatchObject({ code: '42501' });
  });

  it('moves its head for no row that is not there', async () => {
    const organizationId = await chainOf(2);
    await database.dataSource.query(
      `INSERT INTO gateway.audit_entry (organization_id, action, actor_type, sequence)
       VALUES ($1, 'plan.changed', 'system', 1) ON CONFLICT DO NOTHING`,
      [organizationId],
    );
    expect(await verify(organizationId)).toMatchObject({ rows: 3, fault: null });
  });
});

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
    text: `WITH pair AS (DELETE FROM gateway.audit_entry WHERE organization_id = $1 AND sequence IN ($2, $2 - 1) RETURNING *)
      INSERT INTO gateway.audit_entry SELECT organization_id, 2 * $2 - 1 - sequence, action, actor_type, actor_id,
        actor_email, address, trace_id, at, recorded_by, before, after, hash FROM pair`,
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
        const organizationId = await chainOf(length);
        expect((await verify(organizationId)).fault).toBeNull();
        await tamper(text, [organizationId, row]);
        const { fault } = await verify(organizationId);
        expect(fault?.organizationId).toBe(organizationId);
        expect(first(row, length)).toContain(fault?.sequence);
      }),
      { numRuns: 6 },
    );
  });

  it('finds a chain that its owner wrote anew, or cut, head and all, by a head that was noted; and not without', async () => {
    const organizationId = await chainOf(5);
    const { head } = await verify(organizationId);
    if (!head) throw new Error('the chain has no head');
    const noted: AuditHead[] = [head];
    await append(entryOf(organizationId));
    expect((await verify(organizationId, noted)).fault).toBeNull();
    await sql('DELETE FROM gateway.audit_entry WHERE organization_id = $1', [organizationId]);
    await sql('DELETE FROM gateway.audit_head WHERE organization_id = $1', [organizationId]);
    expect((await verify(organizationId, noted)).fault).toMatchObject({ sequence: 1 });
    for (let index = 0; index < 6; index++) await append(entryOf(organizationId, { after: { index: 'other' } }));
    expect((await verify(organizationId)).fault).toBeNull();
    expect((await verify(organizationId, noted)).fault).toMatchObject({
      sequence: 5,
      what: expect.stringContaining('noted'),
    });
  });

  it('walks chain after chain, page after page, and tells of the noted one of which nothing is left', async () => {
    const long = await chainOf(2_300);
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

describe('the list of the audit log', () => {
  it('is newest first in pages that neither repeat nor miss a row, of one action when asked, of one organization alone', async () => {
    const organizationId = await chainOf(11);
    await chainOf(3);
    const log = databaseAuditLog(database);
    const walk = async (action: 'plan.changed' | null): Promise<number[]> => {
      const seen: number[] = [];
      for (let cursor: string | null = null; ;) {
        const page = await log.list({ organizationId, limit: 2, cursor, action });
        seen.push(...page.items.map(({ sequence }) => sequence));
        if (page.nextCursor === undefined) return seen;
        expect(page.nextCursor).toMatch(/^c[0-9a-z]{6,31}$/);
        cursor = page.nextCursor;
      }
    };
    expect(await walk(null)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect(await walk('plan.changed')).toEqual([9, 6, 3]);
    const [first] = (await log.list({ organizationId, limit: 1, cursor: newCuid(), action: null })).items;
    expect(first).toEqual({
      sequence: 11,
      action: 'api-key.created',
      actor: { type: 'user', id: 'cuser00', email: 'owner@acme.test' },
      address: '192.0.2.7',
      traceId: 'a'.repeat(32),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      before: null,
      after: { index: 11 },
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });
});
