import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { messagingContactsConsumer, type ConsumerTopology } from '@switchboard/contracts/consumers';
import { contactChanged } from '@switchboard/contracts/contacts/events';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import {
  EventPublisher,
  PullConsumer,
  type DeliveredEvent,
  type NatsConnection,
  type PullConsumerOptions,
} from '@switchboard/nats';
import { eventually, testServers, type TestNats } from '../index.js';

const servers = testServers();
/** Longer than any test may take: what begins is not begun by time. */
const NEVER_MS = 2 ** 30;
const BATCH_MAX = 3;

let nats: TestNats;
let admin: NatsConnection;
let publisher: EventPublisher;
let batches: string[][];
let consumer: PullConsumer;
let topology: ConsumerTopology;
beforeAll(async () => {
  nats = await servers.nats();
  admin = await nats.connect('admin');
  publisher = new EventPublisher(await nats.connect('contacts'), 'contacts');
});
beforeEach(async () => {
  batches = [];
  topology = await makeConsumer();
  consumer = new PullConsumer({
    connection: admin,
    consumer: topology,
    batchMax: BATCH_MAX,
    unhurried: { includes: ({ envelope }) => envelope.aggregateId.startsWith('slow'), gatherMs: NEVER_MS },
    handle: async (events) => {
      batches.push(events.map(({ envelope }) => envelope.aggregateId));
      return events.map(() => ({ ack: true }));
    },
    onMalformed: () => undefined,
    onError: () => undefined,
  });
  consumer.start();
  await publish('slow first');
  await eventually(() => batches.length === 1);
});
afterEach(() => consumer.stop());

async function publish(aggregateId: string): Promise<void> {
  const [id, { subject }] = [newCuid(), contactChanged];
  const envelope = { id, subject, organizationId: 'corg', aggregateId, sequence: 1, occurredAt: '', data: null };
  await publisher.publish({ id, subject, payload: JSON.stringify(envelope), traceparent: null });
}

const nameOf = ({ envelope }: DeliveredEvent): string => envelope.aggregateId;

/** One for each test: what the broker still sends to a pull of another is nothing of its own. */
async function makeConsumer(): Promise<ConsumerTopology> {
  const { stream, filter } = messagingContactsConsumer;
  const name = `gather-${newCuid()}`;
  const config = { durable_name: name, filter_subject: filter, ack_policy: 'explicit', deliver_policy: 'new' };
  const request = JSON.stringify({ stream_name: stream, config });
  await admin.request(`$JS.API.CONSUMER.DURABLE.CREATE.${stream}.${name}`, request, { timeout: 20_000 });
  return { ...messagingContactsConsumer, name };
}

/** Until the consumer was delivered so many events that it has not acknowledged. */
async function untilItHolds(events: number): Promise<void> {
  const { name, stream } = topology;
  await eventually(async () => {
    const answer = await admin.request(`$JS.API.CONSUMER.INFO.${stream}.${name}`, '', { timeout: 20_000 });
    const info = answer.json<Readonly<Record<string, number>>>();
    return info.num_ack_pending === events && info.num_pending === 0;
  });
}

describe('a consumer with events that have time', () => {
  it('takes one after a quiet time at once, and those that follow with the first that has none', async () => {
    await publish('slow second');
    await untilItHolds(1);
    expect(batches).toEqual([['slow first']]);
    await publish('fast');
    await eventually(() => batches.length === 2);
    await publish('slow third');
    await untilItHolds(1);
    expect(batches).toEqual([['slow first'], ['slow second', 'fast']]);
  });

  it('begins a batch at once to which nothing can come any more: its pull is full', async () => {
    const slow = ['slow a', 'slow b'];
    for (const aggregateId of slow) await publish(aggregateId);
    await eventually(() => batches.length === 2);
    expect(batches[1]).toEqual(slow);
  });

  it('takes what it holds when it is stopped', async () => {
    await publish('slow second');
    await untilItHolds(1);
    await consumer.stop();
    expect(batches).toEqual([['slow first'], ['slow second']]);
  });
});

describe('a consumer that may lag', () => {
  const PULLS_APART_MS = 5_000;
  /** Longer than it takes to publish two events, next to other work too. */
  const FOLLOWS_MS = 1_000;
  let begins: number[];
  /** Until then each batch takes. */
  let held: Promise<void>;
  beforeEach(async () => {
    await consumer.stop();
    [batches, begins, held] = [[], [], Promise.resolve()];
    topology = await makeConsumer();
  });

  /** Replaces the consumer of the others; ended by the same hook. */
  function makeLagging(pullsApartMs: number, followsMs?: number): PullConsumer {
    return (consumer = new PullConsumer({
      connection: admin,
      consumer: topology,
      batchMax: BATCH_MAX,
      pullsApartMs,
      ...(followsMs === undefined ? {} : { followsMs }),
      handle: async (events) => {
        begins.push(performance.now());
        batches.push(events.map(({ envelope }) => envelope.aggregateId));
        await held;
        return events.map(() => ({ ack: true }));
      },
      onMalformed: () => undefined,
      onError: () => undefined,
    }));
  }

  /** Until a pull waits for events, and for longer than events have that follow one another closely. */
  async function untilItPulls(): Promise<void> {
    const { name, stream } = topology;
    await eventually(async () => {
      const answer = await admin.request(`$JS.API.CONSUMER.INFO.${stream}.${name}`, '', { timeout: 20_000 });
      return answer.json<Readonly<Record<string, number>>>().num_waiting === 1;
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    setTimeout(resolve, FOLLOWS_MS * 1.5);
    await promise;
  }

  it('takes the first event after a quiet time at once, and what comes then together, when its pull is due', async () => {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    held = promise;
    makeLagging(PULLS_APART_MS).start();
    const publishedMs = performance.now();
    await publish('first');
    await eventually(() => batches.length === 1);
    // Nothing is pulled before both are there, however long a busy machine takes for that.
    await publish('second');
    await publish('third');
    release();
    await eventually(() => batches.length === 2);
    expect(batches).toEqual([['first'], ['second', 'third']]);
    // Timers may fire a millisecond early by another clock.
    expect((begins[1] ?? 0) - publishedMs).toBeGreaterThanOrEqual(PULLS_APART_MS - 10);
  });

  it('takes what follows an event closely with it, when it had to wait for that', async () => {
    makeLagging(NEVER_MS, FOLLOWS_MS).start();
    await untilItPulls();
    // As the relay publishes events of one aggregate: the next when the one before it is stored.
    await publish('first');
    await publish('second');
    await eventually(() => batches.length === 1);
    expect(batches).toEqual([['first', 'second']]);
  });

  it('does not pause behind a full pull: what waits is taken at once, all of it', async () => {
    const waiting = Array.from({ length: BATCH_MAX * 3 }, (_, n) => `event ${n}`);
    for (const aggregateId of waiting) await publish(aggregateId);
    makeLagging(NEVER_MS).start();
    await eventually(() => batches.flat().length === waiting.length);
    expect(batches.flat()).toEqual(waiting);
  });

  it('stops within its pause', async () => {
    makeLagging(NEVER_MS).start();
    await publish('first');
    await eventually(() => batches.length === 1);
    await publish('second');
    await consumer.stop();
    expect(batches).toEqual([['first']]);
  });
});

describe('a consumer that chooses its batches', () => {
  let isHeld: PromiseWithResolvers<void>;
  beforeEach(async () => {
    await consumer.stop();
    batches = [];
    topology = await makeConsumer();
    isHeld = Promise.withResolvers();
  });

  /** Replaces the consumer of the others. It works on batches with `first` until the test resolves `isHeld`. */
  function startChoosing(choice: Pick<PullConsumerOptions, 'nextOf' | 'batchesMax'>): void {
    consumer = new PullConsumer({
      connection: admin,
      consumer: topology,
      batchMax: 100,
      gatherMs: NEVER_MS,
      ...choice,
      handle: async (events) => {
        batches.push(events.map(nameOf));
        if (events.some((event) => nameOf(event) === 'first')) await isHeld.promise;
        return events.map(() => ({ ack: true }));
      },
      onMalformed: () => undefined,
      onError: () => undefined,
    });
    consumer.start();
  }

  it('takes them part by part, and what comes meanwhile is chosen with the rest', async () => {
    // The shortest name first, one at a time.
    startChoosing({ nextOf: (events) => events.toSorted((a, b) => nameOf(a).length - nameOf(b).length).slice(0, 1) });
    await publish('first');
    await eventually(() => batches.length === 1);
    for (const name of ['very long', 'longer', 'abc']) await publish(name);
    await untilItHolds(4);
    isHeld.resolve();
    await eventually(() => batches.length === 4);
    expect(batches.flat()).toEqual(['first', 'abc', 'longer', 'very long']);
  });

  it('takes what may go next to a batch under way, and what may not after it', async () => {
    // One batch of each initial at a time.
    const nextOf: PullConsumerOptions['nextOf'] = (events, underWay) =>
      events.filter((event) => !underWay.some((other) => nameOf(other)[0] === nameOf(event)[0])).slice(0, 1);
    startChoosing({ nextOf, batchesMax: 2 });
    for (const name of ['first', 'follows', 'a', 'b']) await publish(name);
    await eventually(() => batches.length === 3);
    await untilItHolds(2);
    expect(batches).toEqual([['first'], ['a'], ['b']]);
    isHeld.resolve();
    await eventually(() => batches.length === 4);
    expect(batches[3]).toEqual(['follows']);
  });

  it('ends all of its batches when it is stopped, and gives back what waits', async () => {
    const { promise: isStopped, resolve: onStopped } = Promise.withResolvers<string[][]>();
    startChoosing({ nextOf: (events, underWay) => (underWay.length > 0 ? [] : events.slice(0, 1)), batchesMax: 2 });
    for (const name of ['first', 'second', 'third']) await publish(name);
    await untilItHolds(3);
    void consumer.stop().then(() => onStopped(batches));
    isHeld.resolve();
    expect(await isStopped).toEqual([['first']]);
    startChoosing({});
    await eventually(() => batches.flat().length === 3);
  });
});
