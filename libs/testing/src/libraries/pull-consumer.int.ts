import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { contactChanged } from '@switchboard/contracts/contacts/events';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { messagingContactsConsumer, type ConsumerTopology } from '@switchboard/contracts/consumers';
import {
  EventPublisher,
  provision,
  PROVISIONER,
  PullConsumer,
  type DeliveredEvent,
  type NatsConnection,
  type PullConsumerOptions,
} from '@switchboard/nats';
import { handleBatch, type BatchHandler } from '@switchboard/outbox';
import { eventually, testServers, type TestNats } from '../index.js';
import { applied, insertApplied, Outbox1764000000000 } from './outbox-fixture.js';

const servers = testServers();
const STREAM = 'CONTACTS';
const own: ConsumerTopology = { ...messagingContactsConsumer, name: 'own' };
/** Until what is not acknowledged is delivered again: never, in a test; or soon, where that is what it shows. */
const PATIENT_MS = 600_000;
const HASTY_MS = 500;
/** Longer than a busy machine holds a process up: then its batch is delivered again, and rightly. */
const EXTENDED_MS = 5_000;

let nats: TestNats;
let admin: NatsConnection;
let publisher: EventPublisher;
const consumers: PullConsumer[] = [];
beforeAll(async () => {
  nats = await servers.nats();
  admin = await nats.connect('admin');
  publisher = new EventPublisher(await nats.connect('contacts'), 'contacts');
});
beforeEach(() => makeConsumer(PATIENT_MS));
afterEach(endConsumers);

async function endConsumers(): Promise<void> {
  await Promise.all(consumers.splice(0).map((consumer) => consumer.stop()));
}

async function api(verb: string, request: unknown = ''): Promise<unknown> {
  const payload = request === '' ? '' : JSON.stringify(request);
  return (await admin.request(`$JS.API.${verb}`, payload, { timeout: 20_000 })).json();
}

function start(options: Partial<PullConsumerOptions> & Pick<PullConsumerOptions, 'handle'>): PullConsumer {
  const consumer = new PullConsumer({
    connection: admin,
    consumer: own,
    batchMax: 50,
    onMalformed: () => undefined,
    onError: () => undefined,
    ...options,
  });
  consumer.start();
  consumers.push(consumer);
  return consumer;
}

async function consumerInfo(): Promise<Record<string, number>> {
  return (await api(`CONSUMER.INFO.${STREAM}.${own.name}`)) as Record<string, number>;
}

async function makeConsumer(ackWaitMs: number): Promise<void> {
  const { name, filter } = own;
  const config = {
    durable_name: name,
    filter_subject: filter,
    ack_policy: 'explicit',
    deliver_policy: 'new',
    ack_wait: ackWaitMs * 1_000_000,
    max_ack_pending: 1_000,
  };
  await api(`CONSUMER.DELETE.${STREAM}.${name}`);
  await api(`CONSUMER.DURABLE.CREATE.${STREAM}.${name}`, { stream_name: STREAM, config });
}

async function publish(sequence: number, id = newCuid(), messageId = id, data: string | null = null): Promise<string> {
  const { subject } = contactChanged;
  const envelope = { id, subject, organizationId: 'corg', aggregateId: id, sequence, occurredAt: '', data };
  await publisher.publish({ id: messageId, subject, payload: JSON.stringify(envelope), traceparent: null });
  return id;
}

const acked = (heard: Set<string>): PullConsumerOptions['handle'] => {
  return async (events) => events.map(({ envelope }) => (heard.add(envelope.id), { ack: true }));
};

describe('a consumer', () => {
  it('goes on by itself when it was deleted and provisioned again, and reports it once', async () => {
    const heard = new Set<string>();
    const errors: unknown[] = [];
    const connection = await nats.connect('messaging');
    // Every pull has an inbox of its own.
    let pulls = 0;
    const { subscribe } = connection;
    connection.subscribe = (...args) => (pulls++, subscribe.apply(connection, args));
    const consumer = messagingContactsConsumer;
    start({ connection, consumer, handle: acked(heard), onError: (error) => errors.push(error) });
    const before = await publish(1);
    await eventually(() => heard.has(before));
    await api(`CONSUMER.DELETE.${STREAM}.${consumer.name}`);
    const meanwhile = await publish(2);
    await eventually(() => pulls >= 4);
    await provision(await nats.connect(PROVISIONER), 1);
    await eventually(() => heard.has(meanwhile));
    const after = await publish(3);
    await eventually(() => heard.has(after));
    expect(errors).toHaveLength(1);
  });

  it('takes what waits in full pulls, one after another, and none of them ends as a failure', async () => {
    const heard = new Set<string>();
    const errors: unknown[] = [];
    const ids = await Promise.all(Array.from({ length: 500 }, (_, index) => publish(index + 1)));
    start({ batchMax: 50, handle: acked(heard), onError: (error) => errors.push(error) });
    await eventually(() => ids.every((id) => heard.has(id)));
    expect(errors).toEqual([]);
  });

  it('that reads ahead pulls the next batch while it works on one, works on one at a time, and ends with both', async () => {
    const heard: string[] = [];
    const release = Promise.withResolvers<void>();
    let [working, together] = [0, 0];
    const consumer = start({
      batchMax: 1,
      readsAhead: true,
      handle: async (events) => {
        together = Math.max(together, ++working);
        await release.promise;
        heard.push(...events.map(({ envelope }) => envelope.id));
        working--;
        return events.map(() => ({ ack: true }));
      },
    });
    const ids: string[] = [];
    for (let sequence = 1; sequence <= 7; sequence++) ids.push(await publish(sequence));
    // The batch under way and one more; the rest is left to replicas.
    const isAhead = async (): Promise<boolean> => {
      const info = await consumerInfo();
      return info.num_ack_pending === 2 && info.num_pending === 5;
    };
    try {
      await eventually(isAhead);
    } finally {
      release.resolve();
    }
    await eventually(() => heard.length >= ids.length);
    await consumer.stop();
    expect({ heard, together }).toEqual({ heard: ids, together: 1 });
  });

  it('that works long on a batch is not delivered it a second time, nor is its neighbour', async () => {
    await makeConsumer(EXTENDED_MS);
    const deliveries: number[] = [];
    const release = Promise.withResolvers<void>();
    const handle: PullConsumerOptions['handle'] = async (events) => {
      deliveries.push(...events.map((event) => event.deliveries));
      await release.promise;
      return events.map(() => ({ ack: true }));
    };
    let extended = 0;
    const words = admin.subscribe(`$JS.ACK.${STREAM}.${own.name}.>`, {
      callback: (_error, message) => void (message.string() === '+WPI' && extended++),
    });
    // The second one waits in the first one's pull, while that works on a batch of one.
    start({ handle, consumer: { ...own, ackWaitMs: HASTY_MS }, batchMax: 1 });
    start({ handle, consumer: { ...own, ackWaitMs: HASTY_MS }, batchMax: 1 });
    await publish(1);
    await eventually(() => extended > (EXTENDED_MS / HASTY_MS) * 3);
    release.resolve();
    await endConsumers();
    words.unsubscribe();
    expect(deliveries).toEqual([1]);
  });

  it('ends at any moment of a pull that begins: while it asks for its durable consumer, and right after the answer', async () => {
    for (let turns = 0; turns <= 12; turns++) {
      const asked = Promise.withResolvers<void>();
      const name = Promise.withResolvers<string>();
      const durable = (): Promise<string> => (asked.resolve(), name.promise);
      const consumer = start({ durable, handle: async (events) => events.map(() => ({ ack: true })) });
      await asked.promise;
      const early = turns === 0 ? consumer.stop() : undefined;
      name.resolve(own.name);
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      await Promise.all([early, consumer.stop()]);
    }
  });

  it('whose pull fails under a batch ends the batch before it pulls again, on a closed connection too', async () => {
    const reported: string[] = [];
    const connection = await nats.connect('admin');
    const consumer = start({
      connection,
      onError: (error) => reported.push(String(error)),
      handle: async () => {
        await api(`CONSUMER.DELETE.${STREAM}.${own.name}`);
        for (let turn = 0; turn < 50; turn++) await connection.flush();
        await connection.close();
        reported.push('the batch has ended');
        return [{ ack: true }];
      },
    });
    await publish(1);
    await eventually(() => reported.length > 1);
    await consumer.stop();
    expect(reported.slice(0, 2)).toEqual(['the batch has ended', expect.stringContaining('consumer deleted')]);
  });

  it('holds 4 MiB of large events at most, leaves the rest to its replica, and goes on without an error', async () => {
    const large = 'x'.repeat(900_000);
    const ids = Array.from({ length: 10 }, () => newCuid());
    for (const id of ids) await publish(1, id, id, large);
    const heard: string[] = [];
    const errors: unknown[] = [];
    const release = Promise.withResolvers<void>();
    const startReplica = async (): Promise<void> => {
      const began = Promise.withResolvers<void>();
      const handle: PullConsumerOptions['handle'] = async (events) => {
        began.resolve();
        await release.promise;
        heard.push(...events.map(({ envelope }) => envelope.id));
        return events.map(() => ({ ack: true }));
      };
      start({ handle, onError: (error) => errors.push(error) });
      await began.promise;
    };
    await startReplica();
    const held = await eventually(async () => {
      const info = await consumerInfo();
      return info.num_waiting === 0 && info.num_ack_pending;
    });
    if (held !== 4) release.resolve();
    expect(held).toBe(4);
    await startReplica();
    release.resolve();
    await eventually(() => heard.length >= ids.length);
    expect({ heard: heard.sort(), errors }).toEqual({ heard: ids.sort(), errors: [] });
  });

  it('applies each effect once in a storm: four replicas, everything published thrice, answers lost, given back, thrown away', async () => {
    await makeConsumer(HASTY_MS);
    const prepared = await servers.serviceDatabase('contacts', [Outbox1764000000000]);
    let deliveries = 0;
    let batches = 0;
    for (let replica = 0; replica < 4; replica++) {
      const database = await prepared.database({ poolMax: 2 });
      const handler: BatchHandler<null> = {
        database,
        consumer: own.name,
        prepare: () => Promise.resolve(null),
        apply: async (tx, fresh) => {
          const rows = fresh.map(({ envelope }) => envelope);
          await tx.query(insertApplied, [rows.map(({ id }) => id), rows.map(({ sequence }) => sequence)]);
          return new Set();
        },
        onDead: () => undefined,
        onLinesAway: () => undefined,
      };
      const handle = async (events: readonly DeliveredEvent[]): ReturnType<PullConsumerOptions['handle']> => {
        deliveries += events.length;
        const dispositions = await handleBatch(handler, events);
        // The transaction stands: what follows is what the broker does not learn.
        if (++batches % 5 === 0) throw new Error('after the commit');
        return dispositions.map((disposition, n) => ((deliveries + n) % 3 === 0 ? { retryAfterMs: 1 } : disposition));
      };
      start({ handle });
    }
    const ids = Array.from({ length: 200 }, () => newCuid());
    for (const round of ['a', 'b', 'c']) await Promise.all(ids.map((id) => publish(1, id, `${id}${round}`)));
    const database = await prepared.database();
    const isDrained = async (): Promise<boolean> => {
      const info = await consumerInfo();
      return info.num_pending === 0 && info.num_ack_pending === 0;
    };
    await eventually(isDrained, { deadlineMs: 120_000 });
    const effects = (await database.query(applied, [])).map(({ eventId }) => eventId);
    expect(effects.sort()).toEqual(ids.sort());
    expect(deliveries).toBeGreaterThan(3 * ids.length);
  });
});
