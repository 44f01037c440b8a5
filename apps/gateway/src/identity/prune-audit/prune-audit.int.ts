import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createLog, PruneWorker, systemClock } from '@switchboard/platform';
import type { Database } from '@switchboard/postgres';
import { FakeClock, testServers } from '@switchboard/testing';
import { agedChain } from '../../../test/aged-audit-chain.js';
import { appendEntry, entryOf, verifyChain } from '../../../test/audit-chains.js';
import { gatewayConfig } from '../../gateway.config.js';
import { gatewayMigrations } from '../../migrations/all.js';
import { auditPruners, oldAuditEntries } from './prune-audit.worker.js';

const servers = testServers();
const log = createLog('test', { write: () => undefined });
let database: Database;
let superuser: Database;

beforeAll(async () => {
  const prepared = await servers.serviceDatabase('gateway', gatewayMigrations);
  database = await prepared.database();
  superuser = await prepared.superuser();
});
afterEach(async () => {
  await superuser.dataSource.query('TRUNCATE gateway.audit_entry, gateway.audit_head, gateway.audit_floor');
});

/** A replica's worker, which keeps entries for 100 days. */
const replica = (sliceMax = 500): PruneWorker =>
  new PruneWorker({ database, clock: systemClock, log }, { ...oldAuditEntries(100), sliceMax });
const kept = async (organizationId: string): Promise<number[]> => {
  const rows: { sequence: string }[] = await superuser.dataSource.query(
    'SELECT sequence FROM gateway.audit_entry WHERE organization_id = $1 ORDER BY sequence',
    [organizationId],
  );
  return rows.map(({ sequence }) => Number(sequence));
};
const faultOf = async (organizationId: string, noted: Parameters<typeof verifyChain>[2] = []): Promise<unknown> =>
  (await verifyChain(superuser, organizationId, noted)).fault;

describe('an audit log with a retention', () => {
  it('loses nothing while the clocks of the gateway and of the database differ by more than a day', async () => {
    const long = await agedChain(superuser, [300, 290, 1]);
    for (const days of [-1.1, 1.1]) {
      const clock = new FakeClock(Date.now() + days * 86_400_000);
      const worker = new PruneWorker({ database, clock, log }, oldAuditEntries(100));
      await expect(worker.round()).rejects.toThrow(/^the clocks of this process and of the database differ by \d+ s/);
    }
    expect(await kept(long)).toEqual([1, 2, 3]);
  });

  it('loses the beginnings of its chains, the oldest first and a slice a round, and what is kept still fits', async () => {
    const long = await agedChain(superuser, [300, 290, 280, 120, 99, 1]);
    const gone = await agedChain(superuser, [299, 150]);
    const young = await agedChain(superuser, [98, 97]);
    const before = (await verifyChain(superuser, long)).head;
    const worker = replica(3);
    expect([await worker.round(), await kept(long), await kept(gone)]).toEqual([true, [3, 4, 5, 6], [2]]);
    expect([await faultOf(long), await faultOf(gone)]).toEqual([null, null]);
    expect([await worker.round(), await worker.round()]).toEqual([true, false]);
    expect([await kept(long), await kept(gone), await kept(young)]).toEqual([[5, 6], [], [1, 2]]);
    for (const organizationId of [long, gone, young]) {
      await appendEntry(database, entryOf(organizationId));
      expect(await faultOf(organizationId)).toBeNull();
    }
    expect([await kept(long), await kept(gone)]).toEqual([[5, 6, 7], [3]]);
    expect(await verifyChain(superuser, long, before ? [before] : [])).toMatchObject({
      fault: null,
      removed: 4,
      rows: 3,
    });
  });

  it('is faulty still where another row is missing, or the removed one had another hash than was noted', async () => {
    const organizationId = await agedChain(superuser, [300, 200, 50, 40, 30]);
    const [second]: { hash: string }[] = await superuser.dataSource.query(
      "SELECT encode(hash, 'hex') AS hash FROM gateway.audit_entry WHERE organization_id = $1 AND sequence = 2",
      [organizationId],
    );
    await replica().round();
    const noted = { organizationId, sequence: 2, hash: second?.hash ?? '' };
    const older = { organizationId, sequence: 1, hash: 'ab'.repeat(32) };
    expect(await faultOf(organizationId, [noted, older])).toBeNull();
    expect(await faultOf(organizationId, [{ ...noted, hash: 'ab'.repeat(32) }])).toMatchObject({ sequence: 2 });
    await superuser.dataSource.query('DELETE FROM gateway.audit_entry WHERE organization_id = $1 AND sequence = 3', [
      organizationId,
    ]);
    expect(await faultOf(organizationId)).toMatchObject({ sequence: 3, what: expect.stringContaining('is missing') });
  });

  it('goes by the order of a chain where the clock went astray', async () => {
    const organizationId = await agedChain(superuser, [300, -3_650, 200, 5]);
    await replica().round();
    expect([await kept(organizationId), await faultOf(organizationId)]).toEqual([[4], null]);
  });

  it('is cut by one replica at a time, while acts are recorded', async () => {
    const chains = await Promise.all(
      Array.from({ length: 6 }, () => agedChain(superuser, [...Array.from({ length: 20 }, (_, at) => 200 - at), 2])),
    );
    const drain = async (): Promise<void> => {
      const worker = replica(7);
      while (await worker.round());
    };
    await Promise.all([
      drain(),
      drain(),
      ...chains.map((organizationId) => appendEntry(database, entryOf(organizationId))),
    ]);
    await drain();
    for (const organizationId of chains) {
      expect([await kept(organizationId), await faultOf(organizationId)]).toEqual([[21, 22], null]);
    }
  });

  it('cannot be cut otherwise by the service, nor within 90 days', async () => {
    const organizationId = await agedChain(superuser, [200, 80]);
    const refused = [
      'SELECT gateway.prune_audit(89, 10)',
      'SELECT gateway.prune_audit(NULL, 10)',
      'DELETE FROM gateway.audit_entry',
      'DELETE FROM gateway.audit_floor',
      "INSERT INTO gateway.audit_floor VALUES ('c', 1, '')",
      'UPDATE gateway.audit_floor SET sequence = 0',
    ];
    for (const text of refused) {
      await expect(database.dataSource.query(text)).rejects.toThrow(/kept for 90 days at least|permission denied/);
    }
    expect(await kept(organizationId)).toEqual([1, 2]);
  });
});

describe('GATEWAY_AUDIT_RETENTION_DAYS', () => {
  const read = (days?: string): number =>
    gatewayConfig({
      DATABASE_URL: 'postgres://localhost/x',
      NATS_URL: 'nats://localhost',
      NATS_USER: 'gateway',
      NATS_PASSWORD: 'x',
      CLOUD_APP_SECRET: 'x',
      CLOUD_VERIFY_TOKEN: 'x',
      CREDENTIALS_KEY: Buffer.alloc(32).toString('base64'),
      GATEWAY_AUDIT_RETENTION_DAYS: days,
    }).GATEWAY_AUDIT_RETENTION_DAYS;

  it('is off by default, and is 90 days to ten years otherwise', () => {
    expect([read(), read('0'), read('90'), read('3650')]).toEqual([0, 0, 90, 3_650]);
    for (const wrong of ['89', '3651', '-1', '90.5', 'x']) {
      expect(() => read(wrong)).toThrow('GATEWAY_AUDIT_RETENTION_DAYS: must be 0, or a whole number from 90 to 3650');
    }
    expect([auditPruners(0).length, auditPruners(90).length]).toEqual([0, 1]);
  });
});
