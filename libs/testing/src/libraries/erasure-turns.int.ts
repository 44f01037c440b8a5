import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  createLog,
  endErasure,
  EraseSignal,
  ErasureWorker,
  leaveErasure,
  noteErasures,
  takeErasure,
  type RoundResult,
} from '@switchboard/platform';
import type { Database } from '@switchboard/postgres';
import { blocksOf, nodesOf, planOf, preparedStatements, testServers } from '../index.js';
import { Erasure1764000000001 } from './erasure-fixture.js';
import { Outbox1764000000000 } from './outbox-fixture.js';

const servers = testServers();

/** Takes turns, and finds something under way each time. */
class Worker extends ErasureWorker {
  turn(): Promise<RoundResult> {
    return this.round();
  }

  protected override async erase(): Promise<boolean> {
    return false;
  }
}

describe('contacts that are due to be erased', () => {
  let database: Database;
  let run: (sql: string) => Promise<Record<string, unknown>[]>;
  let takenBy: (rounds: number) => Promise<string[]>;

  beforeAll(async () => {
    const prepared = await servers.serviceDatabase('contacts', [Outbox1764000000000, Erasure1764000000001]);
    database = await prepared.database({ poolMax: 1 });
    const { dataSource } = await prepared.superuser();
    run = (sql) => dataSource.query(sql);
    takenBy = async (rounds) => {
      const taken: string[] = [];
      const book = {
        numbersOf: async ({ organizationId, contactId }: { organizationId: string; contactId: string }) => {
          taken.push(`${organizationId}${contactId}`);
          return { phoneForms: [], upstreamUserIds: [] };
        },
        confirm: () => Promise.resolve(),
      };
      const log = createLog('contacts', { write: () => undefined });
      const worker = new Worker({ database, book, log, signal: new EraseSignal() });
      for (let round = 0; round < rounds; round++) await worker.turn();
      return taken;
    };
  });

  it('are taken by turns of their organizations, in each the longest due first, many at once', async () => {
    await run(`
      INSERT INTO contacts.erasure (organization_id, contact_id, erased_at, due_at)
      SELECT 'a', n::text, now(), now() - interval '1 hour' + make_interval(secs => n) FROM generate_series(1, 130) AS n
      UNION ALL VALUES ('b', 'x', now(), now()), ('c', 'y', now(), now() - interval '2 hours'), ('c', 'z', now(), NULL),
        ('d', 'later', now(), now() + interval '1 hour')`);
    const ofA = Array.from({ length: 130 }, (_none, index) => `a${index + 1}`);
    expect(await takenBy(1)).toEqual(['a1', 'bx', 'cy', ...ofA.slice(1, 98)]);
    await run(`UPDATE contacts.erasure SET due_at = due_at + interval '1 day' WHERE due_at > now()`);
    await run(`UPDATE contacts.erasure SET due_at = now() WHERE organization_id = 'd'`);
    expect(await takenBy(1)).toEqual(['a99', 'dlater', ...ofA.slice(99)]);
  });

  it('are begun anew when they are erased again, and are confirmed once more when they are announced again', async () => {
    await run('DELETE FROM contacts.erasure');
    const [first, again] = [new Date('2026-03-01T00:00:00.001Z'), new Date('2026-03-02T00:00:00.002Z')];
    const note = (erasedAt: Date): Promise<void> =>
      noteErasures(database, [{ organizationId: 'a', contactId: 'x', erasedAt }]);
    const passes = async (): Promise<unknown> =>
      (await run('SELECT passes, due_at IS NULL AS ended FROM contacts.erasure'))[0];
    await note(first);
    const taken = await takeErasure(database, '');
    if (!taken) throw new Error('it is not due');
    await leaveErasure(database, taken, 1, 0);
    await note(again);
    expect(await passes()).toEqual({ passes: 0, ended: false });
    // The pass under way is of the erasure before.
    await leaveErasure(database, taken, 1, 0);
    await endErasure(database, taken);
    expect(await passes()).toEqual({ passes: 0, ended: false });
    await endErasure(database, { ...taken, erasedAt: again });
    await note(first);
    expect(await passes()).toEqual({ passes: 1, ended: false });
    await note(again);
    expect(await passes()).toEqual({ passes: 1, ended: false });
  });

  it('are found by one look at their index, whatever is done or waits, with statistics or without', async () => {
    await run('DELETE FROM contacts.erasure');
    await run(`
      INSERT INTO contacts.erasure (organization_id, contact_id, erased_at, due_at)
      SELECT 'o' || o, n, now(), CASE WHEN n <= 20 THEN now() + interval '20 s' WHEN n = 21 AND o > 40 THEN now() END
      FROM generate_series(10, 59) AS o, generate_series(1, 200) AS n`);
    for (const statistics of ['', 'VACUUM ANALYZE contacts.erasure']) {
      if (statistics) await run(statistics);
      const take = (await preparedStatements(database)).find(({ name }) => name === 'erasure.take');
      if (!take) throw new Error('the statement was not prepared');
      for (const behind of ['', 'o45', 'o59']) {
        const plan = await planOf(database, take, { values: [`'${behind}'`], analyze: true });
        const looks = nodesOf(plan).filter((node) => node['Index Name'] === 'erasure_turn');
        expect(looks.length).toBeGreaterThan(0);
        for (const look of looks) expect(look['Index Cond']).toMatch(/organization_id .*due_at <= now/);
        expect(blocksOf(plan)).toBeLessThan(100);
      }
    }
  });
});
