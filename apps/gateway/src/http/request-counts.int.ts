import { beforeAll, describe, expect, it } from '@jest/globals';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { OutcomeUnknown, statement, type Database } from '@switchboard/postgres';
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

  it('are handed on when the uses of their keys cannot be written, and these are written when they can', async () => {
    const written: string[] = [];
    let isLocked = true;
    const locked: KeyUses = {
      ...noKeys,
      isEmpty: false,
      writeAtCommit: (tx) => {
        tx.atCommit(isLocked ? cannotBeWritten : canBeWritten, []);
        if (!isLocked) written.push('uses');
        return () => void written.push('kept');
      },
    };
    const counts = new RequestCounts(database, locked, new FakeClock(), new MemoryLog());
    for (let round = 0; round < 2; round++) {
      counts.count({ ...request, organizationId: 'locked' });
      await expect(counts.beforeApplicationShutdown()).rejects.toMatchObject({ code: '22012' });
    }
    expect([await handedOn('locked'), written]).toEqual([[1], ['kept', 'kept']]);
    isLocked = false;
    await counts.beforeApplicationShutdown();
    expect([await handedOn('locked'), written]).toEqual([
      [1, 1],
      ['kept', 'kept', 'uses'],
    ]);
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

const noKeys: KeyUses = { isEmpty: true, record: () => undefined, writeAtCommit: () => () => undefined };
const cannotBeWritten = statement('t.fail', 'SELECT 1 / (count(*) - count(*)) FROM outbox');
const canBeWritten = statement('t.pass', 'SELECT 1');
