import { ROOT_CONTEXT } from '@opentelemetry/api';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { messagingContactsConsumer as consumer } from '@switchboard/contracts/consumers';
import { EventPublisher, RpcUnanswered, type DeliveredEvent } from '@switchboard/nats';
import { buryEvent, handleBatch, markedLetters, redriveBatch, type BatchHandler } from '@switchboard/outbox';
import { OutcomeUnknown, type Database } from '@switchboard/postgres';
import { EventConsumer } from '@switchboard/platform';
import { eventually, testServers, type ServiceDatabase } from '../index.js';
import {
  applied,
  consumerPlatform,
  deadLetters,
  delivered,
  eventFailures,
  insertApplied,
  markAllLetters,
  Outbox1764000000000,
} from './outbox-fixture.js';

const servers = testServers();
let prepared: ServiceDatabase;
let superuser: Database;
let database: Database;
beforeAll(async () => {
  prepared = await servers.serviceDatabase('contacts', [Outbox1764000000000]);
  superuser = await prepared.superuser();
  database = await prepared.database();
});

/** How one replica consumes: the effect is a row, sequence 13 is refused by a constraint, 0 must wait. */
const replica = (own: Database = database): BatchHandler<null> => ({
  database: own,
  consumer: 'test',
  prepare: () => Promise.resolve(null),
  apply: async (tx, fresh) => {
    const ready = fresh.filter(({ envelope }) => envelope.sequence !== 0);
    const ids = ready.map(({ envelope }) => envelope.id);
    await tx.query(insertApplied, [ids, ready.map(({ envelope }) => envelope.sequence)]);
    return new Set(fresh.filter(({ envelope }) => envelope.sequence === 0).map(({ envelope }) => envelope.id));
  },
  onDead: ({ envelope }) => void dead.push(envelope.id),
  onLinesAway: () => undefined,
});
const dead: string[] = [];
/** Makes so many failures of an event. */
const failed = async (event: DeliveredEvent, times: number, name = 'test'): Promise<void> => {
  const handler = { ...replica(), consumer: name, prepare: () => Promise.reject(new Error('a failure')) };
  for (let failure = 0; failure < times; failure++) await handleBatch(handler, [event]);
};
const handle = (events: readonly DeliveredEvent[]): ReturnType<typeof handleBatch> => handleBatch(replica(), events);
/** As the broker does: what is given back is delivered again. A session that stands still holds what others wait for no longer than 500 ms. */
const handleAll = async (events: readonly DeliveredEvent[]): Promise<void> => {
  for (let left = events; left.length > 0;) {
    const dispositions = await handle(left);
    left = left.filter((_event, index) => !('ack' in (dispositions[index] ?? {})));
  }
};
const appliedIds = async (): Promise<string[]> => (await database.query(applied, [])).map(({ eventId }) => eventId);
const idsOf = (events: readonly DeliveredEvent[]): string[] => events.map(({ envelope }) => envelope.id);
const heal = (): Promise<unknown> =>
  superuser.dataSource.query('ALTER TABLE contacts.applied DROP CONSTRAINT applied_sequence_check');
const hurt = (): Promise<unknown> =>
  superuser.dataSource.query(
    'TRUNCATE contacts.applied; ALTER TABLE contacts.applied ADD CONSTRAINT applied_sequence_check CHECK (sequence <> 13)',
  );
beforeEach(async () => {
  dead.length = 0;
  await superuser.dataSource.query('TRUNCATE contacts.applied, contacts.dead_letter, contacts.event_failure');
});

describe('a batch of events', () => {
  it('is applied once, however often and however mixed it is delivered, by two replicas at the same time too', async () => {
    const events = [1, 2, 3, 4, 5].map((sequence) => delivered(sequence));
    const deliveries = [events.slice(0, 3), [...events.slice(1), ...events.slice(1, 3)], events.toReversed()];
    await Promise.all(deliveries.map(handleAll));
    expect([dead, await database.query(deadLetters, [])]).toEqual([[], []]);
    expect(await appliedIds()).toEqual(idsOf(events));
  });

  it('applies the neighbours of a poison event, gives that one back with a pause, and buries it at its eighth failure', async () => {
    const poison = delivered(13);
    const events = [delivered(1), delivered(2), poison, delivered(14), delivered(15)];
    const dispositions = await handle(events);
    expect(dispositions.map((disposition) => 'ack' in disposition)).toEqual([true, true, false, true, true]);
    expect(dispositions[2]).toEqual({ retryAfterMs: expect.any(Number) });
    expect(await appliedIds()).toEqual(idsOf(events.filter((event) => event !== poison)));
    for (let delivery = 2; delivery < 8; delivery++) {
      expect(await handle([delivered(13, delivery, poison.envelope.id)])).toEqual([
        { retryAfterMs: expect.any(Number) },
      ]);
    }
    expect(await database.query(deadLetters, [])).toEqual([]);
    expect(await database.query(eventFailures, [])).toEqual([
      { eventId: poison.envelope.id, consumer: 'test', failures: 7 },
    ]);
    expect(await handle([delivered(13, 8, poison.envelope.id)])).toEqual([{ ack: true }]);
    expect(await database.query(eventFailures, [])).toEqual([]);
    expect(await database.query(deadLetters, [])).toEqual([
      {
        eventId: poison.envelope.id,
        consumer: 'test',
        deliveries: 8,
        error: expect.stringContaining('applied_sequence'),
      },
    ]);
    expect(dead).toEqual([poison.envelope.id]);
  });

  it('is given back whole, never halved and never buried, while something that it needs is away', async () => {
    let asked = 0;
    const away = (error: unknown): Promise<unknown> => {
      const events = [delivered(1, 20), delivered(2, 20)];
      const prepare = (): Promise<never> => (asked++, Promise.reject(error));
      return handleBatch({ ...replica(), prepare }, events);
    };
    const reasons = [
      new RpcUnanswered('rpc.contacts.resolve-many', 'none', null),
      new AppError(serviceErrors.SERVICE_UNAVAILABLE),
      new OutcomeUnknown(null),
    ];
    for (const reason of reasons) await expect(away(reason)).rejects.toBe(reason);
    expect(asked).toBe(reasons.length);
    expect(await database.query(deadLetters, [])).toEqual([]);
  });

  it('counts no delivery as a failure: one real error after an outage buries nothing, and is forgotten when it is applied', async () => {
    const event = delivered(13, 40);
    expect(await handle([event])).toEqual([{ retryAfterMs: expect.any(Number) }]);
    const away = { ...replica(), prepare: () => Promise.reject(new RpcUnanswered('rpc', 'none', null)) };
    for (let delivery = 41; delivery < 50; delivery++) {
      await expect(handleBatch(away, [{ ...event, deliveries: delivery }])).rejects.toThrow();
    }
    expect(await handle([{ ...event, deliveries: 50 }])).toEqual([{ retryAfterMs: expect.any(Number) }]);
    expect(await database.query(eventFailures, [])).toMatchObject([{ failures: 2 }]);
    await heal();
    expect(await handle([{ ...event, deliveries: 51 }])).toEqual([{ ack: true }]);
    expect([await database.query(eventFailures, []), dead]).toEqual([[], []]);
    await hurt();
  });

  it('gives back what must wait and applies it when it comes again', async () => {
    const early = delivered(0);
    expect(await handle([delivered(1), early])).toEqual([{ ack: true }, { retryAfterMs: expect.any(Number) }]);
    const later = delivered(7, 2, early.envelope.id);
    expect(await handle([later])).toEqual([{ ack: true }]);
    expect(await appliedIds()).toContain(early.envelope.id);
  });
});

describe('a dead letter', () => {
  const redrive = async (own: Database = database): Promise<void> => {
    await redriveBatch(replica(own), await markedLetters(own, 'test', 50));
  };
  /** A poison event that has been given up, and what heals it. */
  const bury = async (sequence: number): Promise<DeliveredEvent> => {
    const event = delivered(sequence, 8);
    await failed(event, 7);
    await handle([event]);
    return event;
  };
  const letters = async (): Promise<unknown[]> => database.query(deadLetters, []);

  it('that is driven again is applied once and gone, by two replicas at the same time and delivered meanwhile too', async () => {
    const event = await bury(13);
    await redrive();
    expect(await letters()).toMatchObject([{ eventId: event.envelope.id, deliveries: 8 }]);
    await database.query(markAllLetters, []);
    await heal();
    const others = [await prepared.database(), await prepared.database()];
    await Promise.all([...others.map((own) => redrive(own)), handle([{ ...event, deliveries: 9 }]), redrive()]);
    expect(await appliedIds()).toEqual([event.envelope.id]);
    expect(await letters()).toEqual([]);
    await hurt();
  });

  it('that fails again stays, with the new error, one try more and its mark gone; its neighbours are applied', async () => {
    const [poison, waiting, good] = [delivered(13, 3), delivered(0, 3), delivered(7, 3)];
    for (const event of [poison, waiting, good]) await buryEvent(database, 'test', event, 'at first');
    await database.query(markAllLetters, []);
    await redrive();
    expect(await appliedIds()).toEqual(idsOf([good]));
    expect(await letters()).toEqual([
      {
        eventId: poison.envelope.id,
        consumer: 'test',
        deliveries: 4,
        error: expect.stringContaining('applied_sequence'),
      },
      { eventId: waiting.envelope.id, consumer: 'test', deliveries: 4, error: expect.stringContaining('not here yet') },
    ]);
    expect(await markedLetters(database, 'test', 50)).toEqual([]);
  });

  it('of an event older than the inbox is applied once and gone, and is not made anew by a replica that fails late', async () => {
    const [{ id }] = await superuser.dataSource.query(
      `SELECT contacts.cuid_floor(now() - interval '30 days') || 'aaaaaaaaaaaaaaaa' AS id`,
    );
    await buryEvent(database, 'test', delivered(13, 8, id), 'at first');
    await database.query(markAllLetters, []);
    await redrive();
    expect(await letters()).toMatchObject([{ eventId: id, error: expect.stringContaining('applied_sequence') }]);
    await heal();
    await database.query(markAllLetters, []);
    const late: BatchHandler<null> = {
      ...replica(),
      prepare: async () => {
        await Promise.all([redrive(), redrive()]);
        throw new Error('too late');
      },
    };
    await redriveBatch(late, await markedLetters(database, 'test', 50));
    expect([await appliedIds(), await letters()]).toEqual([[id], []]);
    await hurt();
  });

  it('keeps its mark while something that it needs is away', async () => {
    const event = await bury(13);
    await database.query(markAllLetters, []);
    const away = { ...replica(), prepare: () => Promise.reject(new AppError(serviceErrors.SERVICE_UNAVAILABLE)) };
    await expect(redriveBatch(away, await markedLetters(database, 'test', 50))).rejects.toMatchObject({ status: 503 });
    expect(idsOf(await markedLetters(database, 'test', 50))).toEqual([event.envelope.id]);
  });

  it('is not made of an event that another replica has applied meanwhile', async () => {
    const event = delivered(5, 8);
    await failed(event, 7);
    const prepare = async (): Promise<null> => {
      await handle([{ ...event, deliveries: 1 }]);
      throw new Error('too late');
    };
    expect(await handleBatch({ ...replica(), prepare }, [event])).toEqual([{ ack: true }]);
    expect([await appliedIds(), await letters()]).toEqual([idsOf([event]), []]);
  });

  it('of an effect that set it aside by itself is applied when it is driven again', async () => {
    const event = delivered(5);
    const asideAtFirst: BatchHandler<null> = {
      ...replica(),
      apply: async (tx, fresh) => {
        for (const own of fresh) await buryEvent(tx, 'test', own, 'set aside');
        return new Set();
      },
    };
    expect(await handleBatch(asideAtFirst, [event])).toEqual([{ ack: true }]);
    await database.query(markAllLetters, []);
    await redriveBatch(asideAtFirst, await markedLetters(database, 'test', 50));
    expect(await letters()).toMatchObject([{ deliveries: 2 }]);
    await database.query(markAllLetters, []);
    await redrive();
    expect([await appliedIds(), await letters()]).toEqual([idsOf([event]), []]);
  });
});

describe('a consumer of a service', () => {
  it('gives a poison event up at its eighth failure, and applies it when it is driven again, inside the window of the broker', async () => {
    const nats = await servers.nats();
    const admin = await nats.connect('admin');
    const publisher = new EventPublisher(await nats.connect('contacts'), 'contacts');
    const { envelope } = delivered(13);
    const publish = (messageId: string): ReturnType<typeof publisher.publish> =>
      publisher.publish({ ...envelope, id: messageId, payload: JSON.stringify(envelope), traceparent: null });
    await publish(envelope.id);
    const next = `$JS.API.CONSUMER.MSG.NEXT.${consumer.stream}.${consumer.name}`;
    for (let delivery = 1; delivery < 8; delivery++) {
      (await admin.request(next, '', { noMux: true, timeout: 20_000 })).respond('-NAK');
    }
    await failed({ envelope, deliveries: 1, context: ROOT_CONTEXT }, 7, consumer.name);

    const lines: string[] = [];
    const has = (event: string): boolean => lines.some((line) => line.includes(`"${event}"`));
    const platform = consumerPlatform(database, await nats.connect('messaging'), (line) => void lines.push(line));
    const handler = replica();
    class Consumer extends EventConsumer<null> {
      prepare = handler.prepare;
      apply = handler.apply;
    }
    const events = new Consumer(platform, { consumer, batchMax: 10 });
    events.onApplicationBootstrap();
    servers.onEnd(() => events.onModuleDestroy());
    await eventually(() => has('event.dead-letter'));
    expect(await database.query(deadLetters, [])).toMatchObject([{ consumer: consumer.name, deliveries: 8 }]);
    await heal();
    await database.query(markAllLetters, []);
    platform.redrives.start();
    servers.onEnd(() => platform.redrives.stop());
    await eventually(() => has('consumer.redriven'));
    expect(await database.query(deadLetters, [])).toEqual([]);
    // The broker drops the one and delivers the other: neither is a second effect.
    expect(await publish(envelope.id)).toMatchObject({ duplicate: true });
    expect(await publish(`${envelope.id}again`)).toMatchObject({ duplicate: false });
    await eventually(async () => {
      const info = (await admin.request(`$JS.API.CONSUMER.INFO.${consumer.stream}.${consumer.name}`)).json();
      return (info as { ack_floor: { stream_seq: number } }).ack_floor.stream_seq === 2;
    });
    expect(await appliedIds()).toEqual([envelope.id]);
    await hurt();
  });
});
