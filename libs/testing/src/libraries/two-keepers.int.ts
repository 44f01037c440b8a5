import { beforeEach, describe, expect, it } from '@jest/globals';
import type { IncarnationMirror, MirroredIncarnation } from '@switchboard/nats';
import { consumerEpoch, IncarnationKeeper, IS_COMPARED } from '@switchboard/outbox';
import { statement, type Database } from '@switchboard/postgres';
import { eventually, testServers } from '../index.js';
import { Outbox1764000000000 } from './outbox-fixture.js';

const servers = testServers();
const comparedSql = statement<{ isCompared: boolean }>('t.compared', `SELECT ${IS_COMPARED} AS "isCompared"`);
const olderSql = statement(
  't.older',
  `INSERT INTO incarnation VALUES (1, 7, 'of the backup', NULL, 0, now(), pg_postmaster_start_time())`,
);
/** A session that is closed keeps its lock for a moment. */
const turnsSql = statement<{ held: number }>(
  't.turns',
  `SELECT count(*)::integer AS held FROM pg_locks WHERE locktype = 'advisory'
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
);
const startedSql = statement(
  't.started',
  `UPDATE incarnation SET server_started_at = pg_postmaster_start_time() - interval '1 day'`,
);
let database: Database;
let takenBack: string[];
let shown: MirroredIncarnation;
let isAway: boolean;

/** The broker's copy. */
const mirror: Pick<IncarnationMirror, 'read' | 'write'> = {
  read: async () => {
    if (isAway) throw new Error('the broker is away');
    return shown;
  },
  write: async (row, after) => {
    if (isAway) throw new Error('the broker is away');
    shown = { ...row, sequence: after + 1 };
    return shown.sequence;
  },
};

beforeEach(async () => {
  database = await (await servers.serviceDatabase('contacts', [Outbox1764000000000])).database();
  shown = { number: 9, token: 'of the state that is gone', consumerEpoch: 0, timeline: null, sequence: 1 };
  [takenBack, isAway] = [[], false];
});

function keeper(name: string, own: Database = database): IncarnationKeeper {
  return new IncarnationKeeper({
    database: own,
    mirror,
    noticeRestore: async () => false,
    onRestored: async () => void takenBack.push(name),
    report: () => undefined,
    reportPromotion: () => undefined,
  });
}

describe('a database that was restored', () => {
  it('is taken back once, by the first of two replicas that have noticed it: the other would take back what is due since', async () => {
    await database.query(olderSql, []);
    const connect: Database['connect'] = async () => {
      // The second has compared, and the first takes it back before the turn is the second's.
      await keeper('first').look();
      await eventually(async () => (await database.query(turnsSql, []))[0]?.held === 0);
      return database.connect();
    };
    await keeper('second', Object.assign(Object.create(database) as Database, { connect })).look();
    expect(takenBack).toEqual(['first']);
    expect(await consumerEpoch(database)).toBe(1);
  });
});

describe('a database whose server was started again', () => {
  it('is not called compared while the broker is away, also by a process that has compared before', async () => {
    const known = keeper('known');
    await known.look();
    isAway = true;
    await expect(known.look()).rejects.toThrow('the broker is away');
    const isCompared = async (): Promise<boolean> => (await database.query(comparedSql, []))[0]?.isCompared === true;
    expect(await isCompared()).toBe(true);
    await database.query(startedSql, []);
    await expect(known.look()).rejects.toThrow('the broker is away');
    expect(await isCompared()).toBe(false);
    isAway = false;
    await known.look();
    expect([await isCompared(), takenBack]).toEqual([true, []]);
  });
});
