import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Database } from '@switchboard/postgres';
import { testServers } from '@switchboard/testing';
import fc from 'fast-check';
import { appendEntry, chainOf, entryOf, verifyChain } from '../../../test/audit-chains.js';
import { gatewayMigrations } from '../../migrations/all.js';
import type { AuditPageRequest, NewAuditEntry } from '../audit.contract.js';
import type { VerifiedChain } from '../verify-audit/verify-audit.js';
import { auditHashOf, AUDIT_ORIGIN } from './audit-chain.policy.js';
import { DatabaseAuditLog } from './audit-log.js';
import { appendAudit } from './audit.repository.js';

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

const verify = (organizationId: string): Promise<VerifiedChain> => verifyChain(superuser, organizationId);
const append = (entry: NewAuditEntry, through = database): Promise<void> => appendEntry(through, entry);
const sql = (text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> =>
  superuser.dataSource.query(text, values);

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
    const organizationId = await chainOf(database, 2);
    await database.dataSource.query(
      `INSERT INTO gateway.audit_entry (organization_id, action, actor_type, sequence)
       VALUES ($1, 'plan.changed', 'system', 1) ON CONFLICT DO NOTHING`,
      [organizationId],
    );
    expect(await verify(organizationId)).toMatchObject({ rows: 3, fault: null });
  });
});

describe('the list of the audit log', () => {
  it('is newest first in pages that neither repeat nor miss a row, of one action, actor and period when asked, of one organization alone', async () => {
    const organizationId = await chainOf(database, 11);
    await chainOf(database, 3);
    const log = new DatabaseAuditLog(database);
    const unfiltered = { action: null, actor: null, since: null, until: null };
    const walk = async (filters: Partial<AuditPageRequest> = {}): Promise<number[]> => {
      const seen: number[] = [];
      for (let cursor: string | null = null; ;) {
        const page = await log.list({ organizationId, limit: 2, cursor, ...unfiltered, ...filters });
        seen.push(...page.items.map(({ sequence }) => sequence));
        if (page.nextCursor === undefined) return seen;
        expect(page.nextCursor).toMatch(/^c[0-9a-z]{6,31}$/);
        cursor = page.nextCursor;
      }
    };
    expect(await walk()).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect(await walk({ action: 'plan.changed' })).toEqual([9, 6, 3]);
    await append(entryOf(organizationId, { actor: { type: 'key', id: 'ckey000' }, action: 'plan.changed' }));
    const { items } = await log.list({ organizationId, limit: 100, cursor: null, ...unfiltered });
    const last = new Date(items[0]?.at ?? '');
    const since = items.filter(({ at }) => new Date(at) >= last).map(({ sequence }) => sequence);
    expect(await walk({ actor: 'ckey000' })).toEqual([12]);
    expect(await walk({ actor: 'cuser00', action: 'plan.changed' })).toEqual([9, 6, 3]);
    expect(await walk({ actor: 'cuser01' })).toEqual([]);
    expect(await walk({ since: last })).toEqual(since);
    expect(await walk({ until: last })).toEqual(items.slice(since.length).map(({ sequence }) => sequence));
    expect(await walk({ since: new Date(items[11]?.at ?? ''), actor: 'cuser00', action: 'plan.changed' })).toEqual([
      9, 6, 3,
    ]);
    expect(await walk({ since: last, until: last })).toEqual([]);
    const [first] = (await log.list({ organizationId, limit: 1, cursor: newCuid(), ...unfiltered, actor: 'cuser00' }))
      .items;
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
