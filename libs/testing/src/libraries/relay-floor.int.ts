import { beforeAll, describe, expect, it } from '@jest/globals';
import { EventPublisher } from '@switchboard/nats';
import { appendEvents, Relay } from '@switchboard/outbox';
import { oldestSnapshotAge, statement, type Database } from '@switchboard/postgres';
import { blocksOf, eventually, planOf, preparedStatements, testServers, type ServiceDatabase } from '../index.js';
import { appendNow, brokerThrough, eventOf, nextSequence, Outbox1764000000000, unpublished } from './outbox-fixture.js';

const servers = testServers();
const EVENTS = 4_000;
/** For a transaction that a test holds open for as long as a busy machine takes: its session would end after 15 s. */
const mayIdle = statement('t.may-idle', 'SET LOCAL idle_in_transaction_session_timeout = 0');

let prepared: ServiceDatabase;
let database: Database;
let superuser: Database;
const heard: string[] = [];
/** The last poll of the relay: its text and its values. */
let poll: { readonly text: string; readonly values: unknown[] } | undefined;
beforeAll(async () => {
  prepared = await servers.serviceDatabase('contacts', [Outbox1764000000000]);
  database = await prepared.database();
  superuser = await prepared.superuser();
  const nats = await servers.nats();
  const publisher = new EventPublisher(await nats.connect('contacts'), 'contacts');
  const relay = new Relay({
    database: watched(await prepared.database()),
    service: 'contacts',
    broker: brokerThrough(publisher, async (event) => {
      heard.push((JSON.parse(event.payload) as { aggregateId: string }).aggregateId);
      return publisher.publish(event);
    }),
    pollIntervalMs: 20,
    report: () => undefined,
  });
  relay.start();
  servers.onEnd(() => relay.stop());
});

/** The database of a relay, whose polls can be read here. */
function watched(own: Database): Database {
  const connect: Database['connect'] = async () => {
    const client = await own.connect();
    const query = client.query.bind(client) as (...args: unknown[]) => never;
    client.query = ((...args: unknown[]) => {
      const [asked] = args as [{ name?: string; text: string; values: unknown[] }];
      if (asked.name === 'outbox.pending') poll = asked;
      return query(...args);
    }) as typeof client.query;
    return client;
  };
  return new Proxy(own, { get: (target, key) => (key === 'connect' ? connect : Reflect.get(target, key, target)) });
}

const floor = (): number => Number(poll?.values[3] ?? 0);
const drained = async (): Promise<boolean> => (await database.query(unpublished, []))[0]?.n === 0;
const highest = async (): Promise<number> => {
  const [row] = await database.query(
    statement<{ n: string }>('t.highest', 'SELECT max(position) AS n FROM outbox'),
    [],
  );
  return Number(row?.n);
};

async function append(prefix: string, count: number): Promise<void> {
  for (let n = 0; n < count; n += 200) {
    const events = Array.from({ length: 200 }, (_, index) => eventOf(`${prefix}${n + index}`, 1));
    await database.transaction(async (tx) => appendEvents(tx, events));
  }
}

/** Pages that a poll above this position touches, planned as the relay has it. */
async function blocksAbove(position: number): Promise<number> {
  const own = await prepared.database({ poolMax: 1 });
  await own.query(statement('t.poll', poll?.text ?? ''), [1_000, [], [], position, false, 'CONTACTS']);
  const found = (await preparedStatements(own)).find(({ name }) => name === 't.poll');
  if (!found) throw new Error('the poll is not prepared');
  const values = ['1000', `'{}'`, `'{}'`, String(position), 'false', `'CONTACTS'`];
  return blocksOf(await planOf(own, found, { values, analyze: true }));
}

describe('the floor of the relay', () => {
  it('lets a poll behind an open snapshot cost what it costs without one, however much was published since', async () => {
    await append('warm', 200);
    await eventually(async () => (await drained()) && floor() === (await highest()));
    const before = await blocksAbove(floor());
    const snapshot = superuser.dataSource.createQueryRunner();
    await snapshot.startTransaction('REPEATABLE READ');
    await snapshot.query(mayIdle.text);
    await snapshot.query('SELECT 1');

    await append('behind', EVENTS);
    await eventually(async () => (await drained()) && floor() === (await highest()));
    expect(await blocksAbove(floor())).toBeLessThanOrEqual(before * 2);
    // The control: what a poll without a floor has to read.
    expect(await blocksAbove(0)).toBeGreaterThan(before * 4);

    expect(await oldestSnapshotAge(database)).toBeGreaterThanOrEqual(EVENTS / 200);
    await snapshot.commitTransaction();
    await snapshot.release();
    await eventually(async () => (await oldestSnapshotAge(database)) < EVENTS / 200);
  });

  it('never passes what a transaction may still commit, however long it takes and whatever commits meanwhile', async () => {
    const commits: PromiseWithResolvers<void>[] = [];
    servers.onEnd(async () => commits.forEach(({ resolve }) => resolve()));
    const begin = async (n: number): Promise<{ readonly ended: Promise<void> }> => {
      const commit = Promise.withResolvers<void>();
      commits.push(commit);
      const drawn = Promise.withResolvers<void>();
      const ended = database.transaction(async (tx) => {
        await tx.query(mayIdle, []);
        appendNow(tx, [eventOf(`late${n}`, 1)]);
        await tx.query(nextSequence, [`late${n}`]);
        drawn.resolve();
        await commit.promise;
        // A position that never comes must not hold the floor.
        if (n === 1) throw new Error('rolled back');
      });
      ended.catch(() => undefined);
      await drawn.promise;
      return { ended };
    };
    const passedBy = await highest();
    const late: Promise<void>[] = [];
    for (const n of [0, 1, 2]) late.push((await begin(n)).ended);
    // The last to draw a position is the first to commit.
    for (const n of [2, 1, 0]) {
      await append(`early${n}.`, 200);
      await eventually(async () => heard.includes(`early${n}.199`) && (await drained()));
      // Dozens of looks: each finds everything published that it can see.
      const polls = new Set<unknown>();
      await eventually(() => polls.add(poll).size > 10);
      expect(floor()).toBeLessThanOrEqual(passedBy);
      commits[n]?.resolve();
    }
    expect((await Promise.allSettled(late)).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    await eventually(() => heard.includes('late0') && heard.includes('late2'));
    await eventually(async () => (await drained()) && floor() === (await highest()));
    expect(heard).not.toContain('late1');
  });
});
