import { beforeAll, describe, expect, it } from '@jest/globals';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { OutcomeUnknown, statement, type Database, type Transaction } from '@switchboard/postgres';
import { FakeClock, testServers } from '@switchboard/testing';
import { MemoryLog } from '../../test/gateway-harness.js';
import type { KeyUses } from '../identity/key-use.contract.js';
import { gatewayMigrations } from '../migrations/all.js';
import { RequestCounts } from './request-counts.js';

const servers = testServers();
const request = { organizationId: 'acme', method: 'GET', route: '/v1/ping', status: 200 };

describe('counted requests', () => {
  let database: Database;

  beforeAll(async () => {
    database = await (await servers.serviceDatabase('gateway', gatewayMigrations)).database({ entities: [] });
  });

  it.each([
    ['was done', true],
    ['was not done', false],
  ])('are handed on once when a COMMIT that %s has no answer', async (_name, isDone) => {
    const organizationId = `acme ${_name}`.replaceAll(' ', '-');
    const counts = new RequestCounts(losingOneAnswer(isDone), noKeys, new FakeClock(), new MemoryLog());
    counts.count({ ...request, organizationId });
    await expect(counts.beforeApplicationShutdown()).rejects.toThrow(OutcomeUnknown);
    counts.count({ ...request, organizationId });
    counts.count({ ...request, organizationId });
    await counts.beforeApplicationShutdown();
    expect(await handedOn(organizationId)).toEqual([1, 2]);
  });

  it('are handed on although the uses of their keys cannot be written, and these are written when they can', async () => {
    const keys = new LockedKeys();
    const counts = new FlushedCounts(database, keys, new FakeClock(), new MemoryLog());
    for (let round = 0; round < 2; round++) {
      counts.count({ ...request, organizationId: 'locked' });
      await expect(counts.round()).rejects.toMatchObject({ code: '22012' });
    }
    expect([await handedOn('locked'), keys.calls]).toEqual([[1], ['kept', 'kept']]);
    keys.isLocked = false;
    await counts.round();
    expect([await handedOn('locked'), keys.calls]).toEqual([
      [1, 1],
      ['kept', 'kept', 'written'],
    ]);
  });

  it('are all handed on at a stop, although the uses of their keys cannot be written', async () => {
    const counts = new RequestCounts(database, new LockedKeys(), new FakeClock(), new MemoryLog());
    const organizationIds = Array.from({ length: 501 }, (_, n) => `stopped-${n}`);
    for (const organizationId of organizationIds) counts.count({ ...request, organizationId });
    await expect(counts.beforeApplicationShutdown()).rejects.toMatchObject({ code: '22012' });
    const handed = await Promise.all(organizationIds.map(handedOn));
    expect(handed.flat()).toEqual(organizationIds.map(() => 1));
  });

  /** The database, without an answer to the first COMMIT. */
  function losingOneAnswer(isDone: boolean): Database {
    let transactions = 0;
    const transaction: Database['transaction'] = async (work, options) => {
      if (++transactions > 1) return database.transaction(work, options);
      if (isDone) await database.transaction(work, options);
      throw new OutcomeUnknown(new Error('the connection broke'));
    };
    return { transaction } as Database;
  }

  /** How many requests each event says, in the order of the outbox. */
  async function handedOn(organizationId: string): Promise<number[]> {
    const sql = 'SELECT payload FROM gateway.outbox WHERE aggregate_id = $1 ORDER BY position';
    const rows: { payload: string }[] = await database.dataSource.query(sql, [organizationId]);
    return rows.map(({ payload }) => {
      const { data } = JSON.parse(payload) as EventEnvelope<{ counts: readonly { requests: number }[] }>;
      return data.counts.reduce((sum, { requests }) => sum + requests, 0);
    });
  }
});

class FlushedCounts extends RequestCounts {
  override round(): Promise<boolean> {
    return super.round();
  }
}

/** Of which a row is locked. */
class LockedKeys implements KeyUses {
  readonly calls: string[] = [];
  isLocked = true;
  readonly isEmpty = false;

  record(): void {}

  writeAtCommit(tx: Transaction): () => void {
    tx.atCommit(this.isLocked ? cannotBeWritten : canBeWritten, []);
    if (!this.isLocked) this.calls.push('written');
    return () => void this.calls.push('kept');
  }
}

const noKeys: KeyUses = { isEmpty: true, record: () => undefined, writeAtCommit: () => () => undefined };
const cannotBeWritten = statement('t.fail', 'SELECT 1 / (count(*) - count(*)) FROM outbox');
const canBeWritten = statement('t.pass', 'SELECT 1');
