import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  BROKER_ACCOUNT,
  ConnectionLost,
  EventPublisher,
  provision,
  PROVISIONER,
  type NatsConnection,
  type PullConsumer,
} from '@switchboard/nats';
import { appendEvents, Relay, type NewEvent, type RelayOptions, type RelayReport } from '@switchboard/outbox';
import { statement, type Database } from '@switchboard/postgres';
import { eventually, testServers, type ServiceDatabase, type OwnTestNats } from '../index.js';
import { deleteStream } from './delete-stream.js';
import {
  applied,
  brokerThrough,
  effectsConsumer,
  eventOf,
  Outbox1764000000000,
  unpublished,
} from './outbox-fixture.js';

const servers = testServers({ ownNats: true });
const STREAM = 'CONTACTS';
const outboxIds = statement<{ id: string }>('t.outbox-ids', 'SELECT id FROM outbox ORDER BY position');
const recordedCreation = statement<{ created: string }>('t.created', 'SELECT created FROM relay_state');
const replayAfter = statement('t.replay', 'UPDATE relay_state SET replay_from = $1');
const forgetCreation = statement('t.forget', 'DELETE FROM relay_state');

let prepared: ServiceDatabase;
let database: Database;
let nats: OwnTestNats;
let admin: NatsConnection;
let publisher: EventPublisher;
let reports: RelayReport[];
let consumer: PullConsumer;
const relays: Relay[] = [];
beforeAll(async () => {
  prepared = await servers.serviceDatabase('contacts', [Outbox1764000000000]);
  database = await prepared.database();
  nats = await servers.ownNats();
  admin = await nats.connect('admin');
  publisher = new EventPublisher(await nats.connect('contacts'), 'contacts');
  consumer = effectsConsumer(await nats.connect('messaging'), database);
  consumer.start();
  servers.onEnd(() => consumer.stop());
});
beforeEach(() => void (reports = []));
afterEach(async () => {
  await Promise.all(relays.splice(0).map((relay) => relay.stop()));
});

async function startRelay(options: Partial<RelayOptions> = {}): Promise<Relay> {
  const own = await prepared.database();
  const report = (one: RelayReport): void => void reports.push(one);
  const relay = new Relay({
    database: own,
    service: 'contacts',
    broker: publisher,
    report,
    pollIntervalMs: 20,
    ...options,
  });
  relay.start();
  relays.push(relay);
  return relay;
}

let written = 0;
async function append(count: number): Promise<void> {
  const events = Array.from({ length: count }, (): NewEvent<unknown> => eventOf(`lost${++written}`, 1));
  await database.transaction(async (tx) => appendEvents(tx, events));
}

const kinds = (): string[] => reports.map(({ kind }) => kind).filter((kind) => kind !== 'failed');
const published = (): Promise<boolean> => eventually(async () => (await database.query(unpublished, []))[0]?.n === 0);

/** Every event is in the stream, and has had its effect once. */
async function expectAllOnce(): Promise<void> {
  await published();
  const ids = (await database.query(outboxIds, [])).map(({ id }) => id);
  const effects = async (): Promise<string[]> => (await database.query(applied, [])).map(({ eventId }) => eventId);
  await eventually(async () => (await effects()).length >= ids.length);
  expect((await effects()).sort()).toEqual(ids.toSorted());
  const held = await eventually(async () => {
    const state = await publisher.streamState();
    return state ?? undefined;
  });
  expect(held.lastSequence).toBeGreaterThanOrEqual(ids.length);
}

async function provisionAgain(): Promise<void> {
  await provision(await nats.connect(PROVISIONER), 1);
}

describe('a stream that is lost', () => {
  it('and provisioned again gets all that the outbox keeps; each event has its effect once', async () => {
    await startRelay();
    await append(50);
    await published();
    await deleteStream(admin, STREAM);
    await append(10);
    await eventually(() => kinds().includes('stream-missing'));
    await provisionAgain();
    await eventually(() => kinds().includes('replayed'));
    await append(10);
    await expectAllOnce();
    expect(reports.find(({ kind }) => kind === 'replayed')).toEqual({ kind: 'replayed', events: 50 });
    expect(kinds()).toEqual(['stream-missing', 'stream-lost', 'replayed']);
  });

  it('is not one whose broker was restarted and provisioned, however often: nothing is published again', async () => {
    await startRelay();
    await append(10);
    await published();
    for (const _ of [1, 2, 3]) {
      await nats.server.restart('kill');
      await provisionAgain();
      await append(5);
      await published();
    }
    await expectAllOnce();
    expect(kinds()).toEqual([]);
  });

  it('while no relay ran is noticed when one takes the lead, although the new one holds as much', async () => {
    await deleteStream(admin, STREAM);
    await provisionAgain();
    const filler = { id: 'filler', subject: 'contacts.filler.v1', payload: '{}', traceparent: null };
    for (let n = 0; n < 2 * written; n++) {
      await eventually(async () => (await publisher.publish({ ...filler, id: `filler${n}` }), true));
    }
    await startRelay();
    await eventually(() => kinds().includes('replayed'));
    await expectAllOnce();
    expect(kinds()).toEqual(['stream-lost', 'replayed']);
  });

  it('at its end alone is noticed over the new connection, with consumers that are further than it is', async () => {
    await startRelay();
    const store = join(nats.dataDir, 'store', 'jetstream', BROKER_ACCOUNT, 'streams', STREAM, 'msgs');
    const kept = join(nats.dataDir, 'kept');
    await nats.server.stop();
    await cp(store, kept, { recursive: true });
    await nats.server.restart();
    await append(30);
    await published();
    await eventually(async () => (await database.query(applied, [])).length >= written);
    await nats.server.stop();
    await rm(store, { recursive: true });
    await cp(kept, store, { recursive: true });
    await nats.server.restart();
    await eventually(() => kinds().includes('replayed'));
    await append(5);
    await expectAllOnce();
    expect(kinds()).toEqual(['stream-lost', 'replayed']);
  });

  it('is not one that the broker says it made later than it did', async () => {
    const first = await startRelay();
    await append(1);
    await published();
    await first.stop();
    const created = new Date().toISOString();
    const aged = { ...brokerThrough(publisher, (event) => publisher.publish(event)) };
    const renamed = async (): ReturnType<typeof aged.streamState> => {
      const state = await publisher.streamState();
      return state && { ...state, created };
    };
    const relay = await startRelay({ broker: { ...aged, streamState: renamed } });
    await append(1);
    await eventually(async () => (await database.query(recordedCreation, []))[0]?.created === created);
    await expectAllOnce();
    expect(kinds()).toEqual([]);
    await relay.stop();
    await database.query(forgetCreation, []);
  });

  it('is not one to which another relay published after this one had asked', async () => {
    const first = await startRelay();
    await append(1);
    await published();
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    let isFirst = true;
    const streamState: RelayOptions['broker']['streamState'] = async () => {
      const state = await publisher.streamState();
      if (isFirst) {
        isFirst = false;
        asked.resolve();
        await answered.promise;
      }
      return state;
    };
    const broker = { ...brokerThrough(publisher, (event) => publisher.publish(event)), streamState };
    await startRelay({ service: 'forced-c', broker });
    await asked.promise;
    await append(5);
    await published();
    await first.stop();
    answered.resolve();
    await append(1);
    await expectAllOnce();
    expect(kinds()).toEqual([]);
  });

  it('is not published to over a new connection before it was looked at', async () => {
    const event = { id: 'cprobe', subject: 'contacts.probe.v1', payload: '{}', traceparent: null };
    await publisher.streamState();
    await publisher.publish(event);
    await nats.server.restart();
    await eventually(() => publisher.isDoubtful);
    await expect(publisher.publish(event)).rejects.toBeInstanceOf(ConnectionLost);
    await eventually(() => publisher.streamState());
    expect(await publisher.publish(event)).toMatchObject({ duplicate: true });
    await database.query(forgetCreation, []); // The stream holds an event now that no outbox had.
  });

  it('without any new connection is noticed by its answers', async () => {
    let answer: number | undefined;
    const broker = brokerThrough(publisher, async (event) => {
      const ack = await publisher.publish(event);
      const sequence = answer ?? ack.sequence;
      answer = undefined;
      return { ...ack, sequence };
    });
    await startRelay({ broker });
    await append(1);
    await published();
    answer = 1;
    await append(1);
    await eventually(() => kinds().includes('replayed'));
    await expectAllOnce();
    expect(kinds()).toEqual(['stream-lost', 'replayed']);
  });

  it('is not marked as having what the former one took, by a relay that has not noticed', async () => {
    // Relay A has the former stream's answer and nothing else of the broker until B, under another lock, has found the loss.
    const taken = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const blind = Promise.withResolvers<never>();
    blind.promise.catch(() => undefined);
    const isTaken = { now: false };
    const a = await startRelay({
      service: 'forced-a',
      broker: {
        ...brokerThrough(publisher, async (event) => {
          const ack = await publisher.publish(event);
          isTaken.now = true;
          taken.resolve();
          await held.promise;
          return ack;
        }),
        streamState: () => (isTaken.now ? blind.promise : publisher.streamState()),
      },
    });
    await append(1);
    await taken.promise;
    await deleteStream(admin, STREAM);
    await provisionAgain();
    const mayPublish = Promise.withResolvers<void>();
    const publish: RelayOptions['broker']['publish'] = async (event) => {
      await mayPublish.promise;
      return publisher.publish(event);
    };
    await startRelay({ service: 'forced-b', broker: brokerThrough(publisher, publish) });
    await eventually(() => kinds().includes('replayed'));
    held.resolve();
    blind.reject(new Error('the end'));
    await a.stop();
    expect((await database.query(unpublished, []))[0]?.n).toBe(written);
    mayPublish.resolve();
    await expectAllOnce();
  });
});

describe('a replay', () => {
  it('that an operator wants begins at his word, and one that was interrupted goes on where it was', async () => {
    const first = await startRelay();
    await published();
    const ids = (await database.query(outboxIds, [])).map(({ id }) => id).sort();
    await database.query(replayAfter, [ids.at(-6)]);
    await eventually(() => kinds().includes('replayed'));
    // Only what is published can become pending again.
    await published();
    await first.stop();
    await database.query(replayAfter, [ids.at(-4)]);
    await startRelay();
    await eventually(() => kinds().length === 2);
    expect(reports.filter(({ kind }) => kind !== 'failed')).toEqual([
      { kind: 'replayed', events: 5 },
      { kind: 'replayed', events: 3 },
    ]);
    await expectAllOnce();
  });
});
