import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '@switchboard/postgres';
import { blocksOf, planOf, preparedStatements, testServers } from '@switchboard/testing';
import { gatewayMigrations } from '../../migrations/all.js';
import { listAudit } from './audit.repository.js';

const servers = testServers();
const ENTRIES = 20_000;
const STARTED_MS = Date.parse('2026-01-01T00:00:00.000Z');
const MINUTE_MS = 60_000;
/** Each entry a minute after the former, but the clock goes back by 50 minutes at every 500th. */
const msOf = (sequence: number): number => STARTED_MS + (sequence - Math.floor(sequence / 500) * 50) * MINUTE_MS;

describe('a page of the audit log between two times', () => {
  let database: Database;

  beforeAll(async () => {
    const prepared = await servers.serviceDatabase('gateway', gatewayMigrations);
    database = await prepared.database({ poolMax: 1 });
    const { dataSource } = await prepared.superuser();
    await dataSource.query('ALTER TABLE gateway.audit_entry DISABLE TRIGGER chain_audit_entry');
    await dataSource.query(
      `INSERT INTO gateway.audit_entry (organization_id, sequence, action, actor_type, at, recorded_by, hash)
       SELECT o, n, 'plan.changed', 'system', $1::timestamptz + make_interval(mins => (n - n / 500 * 50)::int), 'r', '\\x'::bytea
       FROM unnest('{a,b,c}'::text[]) AS o, generate_series(1, $2::int) AS n
       UNION ALL SELECT 'small', n, 'plan.changed', 'system', $1::timestamptz + make_interval(days => n), 'r', '\\x'::bytea
       FROM generate_series(1, 10) AS n ORDER BY 5`,
      [new Date(STARTED_MS), ENTRIES],
    );
    await dataSource.query('VACUUM ANALYZE gateway.audit_entry');
  });

  const page = async (since: number | null, until: number | null): Promise<readonly number[]> => {
    const times = { since: since === null ? null : new Date(since), until: until === null ? null : new Date(until) };
    const request = { organizationId: 'b', action: null, actor: null, ...times, limit: 100, cursor: null };
    return (await listAudit(database, request)).items.map(({ sequence }) => sequence);
  };

  it('has the newest of them, wherever they are and though the clock went back', async () => {
    const all = Array.from({ length: ENTRIES }, (_none, index) => ENTRIES - index);
    for (let at = -100; at < ENTRIES; at += 731) {
      const [since, until] = [msOf(at), msOf(at) + 70 * MINUTE_MS];
      const ofTimes = (from: number, to: number): number[] =>
        all.filter((n) => msOf(n) >= from && msOf(n) < to).slice(0, 100);
      expect([at, await page(since, until)]).toEqual([at, ofTimes(since, until)]);
      expect([at, await page(null, until)]).toEqual([at, ofTimes(-Infinity, until)]);
      expect([at, await page(since, null)]).toEqual([at, ofTimes(since, Infinity)]);
    }
  });

  it('is read without what is later, or earlier, or of another organization', async () => {
    const at = (sequence: number): string => `'${new Date(msOf(sequence)).toISOString()}'`;
    const lists = (await preparedStatements(database)).filter(({ name }) => name.startsWith('gateway.list-audit'));
    const values: Readonly<Record<string, readonly string[]>> = {
      'gateway.list-audit-since': [at(19_990)],
      'gateway.list-audit-until': [at(1_000)],
      'gateway.list-audit-since-until': [at(1_000), at(1_050)],
    };
    expect(lists.map(({ name }) => name).toSorted()).toEqual(Object.keys(values).toSorted());
    for (const organization of ['b', 'small']) {
      for (const list of lists) {
        const given = [`'${organization}'`, String(Number.MAX_SAFE_INTEGER), '101', ...(values[list.name] ?? [])];
        const plan = await planOf(database, list, { values: given, analyze: true });
        expect([organization, list.name, Math.floor(blocksOf(plan) / 120)]).toEqual([organization, list.name, 0]);
      }
    }
  });
});
