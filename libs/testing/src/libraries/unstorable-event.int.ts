import { beforeAll, describe, expect, it } from '@jest/globals';
import { cuidTime } from '@switchboard/contracts/grammar/cuid';
import { EventPublisher } from '@switchboard/nats';
import { appendEvents, buryEvent, Relay, type RelayReport } from '@switchboard/outbox';
import { statement, type Database } from '@switchboard/postgres';
import { eventually, testServers, type ServiceDatabase } from '../index.js';
import {
  applied,
  deadLetters,
  delivered,
  effectsConsumer,
  eventOf,
  markAllLetters,
  Outbox1764000000000,
  unpublished,
} from './outbox-fixture.js';

const servers = testServers();
const outboxIds = statement<{ id: string }>('t.outbox-ids', 'SELECT id FROM outbox ORDER BY position');

let prepared: ServiceDatabase;
let database: Database;
let broker: EventPublisher;
let relayDatabase: Database;
let relay: Relay;
/** Of the relay at its stream. */
let looks = 0;
const reports: RelayReport[] = [];
beforeAll(async () => {
  prepared = await servers.serviceDatabase('contacts', [Outbox1764000000000]);
  database = await prepared.database();
  const nats = await servers.nats();
  broker = new EventPublisher(await nats.connect('contacts'), 'contacts');
  const consumer = effectsConsumer(await nats.connect('messaging'), database);
  consumer.start();
  const streamState = broker.streamState.bind(broker);
  broker.streamState = () => (looks++, streamState());
  relayDatabase = await prepared.database();
  relay = relayOf();
  servers.onEnd(() => Promise.all([consumer.stop(), relay.stop()]));
});

function relayOf(): Relay {
  const report = (one: RelayReport): void => void reports.push(one);
  return new Relay({ database: relayDatabase, service: 'contacts', broker, report, pollIntervalMs: 20 });
}

const kinds = (): string[] => reports.map(({ kind }) => kind).filter((kind) => kind !== 'failed');
const published = (): Promise<boolean> => eventually(async () => (await database.query(unpublished, []))[0]?.n === 0);

describe('an event that no broker would store', () => {
  it('is a dead letter, its neighbours go on, and it is published when it is driven again', async () => {
    const { dataSource } = await prepared.superuser();
    relay.start();
    const [before, after] = [eventOf('poison', 1), eventOf('poison', 3)];
    const large = { ...eventOf('poison', 2), data: 'x'.repeat(2 * 1024 * 1024) };
    const nowhere = { ...eventOf('poison', 4), event: { subject: 'contacts.no where.v1', owner: 'contacts' } };
    await database.transaction(async (tx) => appendEvents(tx, [before, large, nowhere, after]));
    await published();
    const letters = await database.query(deadLetters, []);
    expect(letters.map(({ consumer: name, error }) => [name, error])).toEqual([
      ['relay', expect.stringContaining('max_payload')],
      ['relay', expect.stringContaining('no subject')],
    ]);
    expect(kinds()).toEqual(['dead-letter', 'dead-letter']);

    // Still poison: it is a dead letter again.
    await database.query(markAllLetters, []);
    await eventually(() => kinds().filter((kind) => kind === 'dead-letter').length === 4);
    expect(await database.query(deadLetters, [])).toHaveLength(2);
    // Healed: it goes out.
    await dataSource.query(
      `UPDATE contacts.outbox SET subject = 'contacts.contact.changed.v1',
         payload = format('{"id":"%s","subject":"s","sequence":2}', id)
       WHERE id IN (SELECT event_id FROM contacts.dead_letter)`,
    );
    await database.query(markAllLetters, []);
    await eventually(async () => (await database.query(deadLetters, [])).length === 0);
    const ids = (await database.query(outboxIds, [])).map(({ id }) => id);
    await eventually(async () => (await database.query(applied, [])).length >= ids.length);
    expect((await database.query(applied, [])).map(({ eventId }) => eventId).sort()).toEqual(ids.toSorted());
  });

  it('is published from its letter, under an id of today, when the day of the outbox that held it is dropped', async () => {
    const { dataSource } = await prepared.superuser();
    const before = new Set((await database.query(applied, [])).map(({ eventId }) => eventId));
    const [{ id }] = await dataSource.query(
      `SELECT contacts.cuid_floor(now() - interval '30 days') || 'aaaaaaaaaaaaaaaa' AS id`,
    );
    await buryEvent(database, 'relay', delivered(20, 1, id), 'too large');
    await database.query(markAllLetters, []);
    await eventually(async () => (await database.query(applied, [])).length > before.size);
    const heard = (await database.query(applied, [])).map(({ eventId }) => eventId).filter((one) => !before.has(one));
    expect(heard).toEqual([expect.stringMatching(/^c.{8}aaaaaaaaaaaaaaaa$/)]);
    expect(cuidTime(String(heard[0])).getTime()).toBeGreaterThan(Date.now() - 60_000);
    expect(await database.query(deadLetters, [])).toEqual([]);
    const [row] = await dataSource.query(
      `SELECT aggregate_id, subject, payload::json ->> 'id' AS id FROM contacts.outbox WHERE id = $1`,
      heard,
    );
    expect(row).toEqual({ aggregate_id: 'agg', subject: 'contacts.contact.changed.v1', id: heard[0] });
  });

  it('is looked for about once a second while another session has its letter locked, and others are published', async () => {
    const { dataSource } = await prepared.superuser();
    await relay.stop();
    await buryEvent(database, 'relay', delivered(21), 'too large');
    await database.query(markAllLetters, []);
    const session = dataSource.createQueryRunner();
    await session.startTransaction();
    await session.query('SELECT FROM contacts.dead_letter FOR UPDATE');
    [looks, relay] = [0, relayOf()];
    const startedMs = performance.now();
    relay.start();
    for (let sequence = 22; sequence < 52; sequence++) {
      await database.transaction(async (tx) => appendEvents(tx, [eventOf('neighbour', sequence)]));
      await published();
    }
    const seconds = (performance.now() - startedMs) / 1_000;
    await session.rollbackTransaction();
    await session.release();
    // At the beginning, and then about once a second for the stream's own sake and once for the letter's.
    expect(looks).toBeLessThanOrEqual(5 + 2 * seconds);
    await eventually(async () => (await database.query(deadLetters, [])).length === 0);
  });

  it('stays a dead letter when all that the outbox keeps is published again', async () => {
    const { dataSource } = await prepared.superuser();
    const large = { ...eventOf('unstorable', 1), data: 'x'.repeat(2 * 1024 * 1024) };
    await database.transaction(async (tx) => appendEvents(tx, [large]));
    await published();
    const letters = await database.query(deadLetters, []);
    expect(letters).toMatchObject([{ consumer: 'relay', deliveries: 1 }]);
    await relay.stop();
    reports.length = 0;
    // As when its stream was lost.
    await dataSource.query(`UPDATE contacts.relay_state SET replay_from = ''`);
    relay = relayOf();
    relay.start();
    await eventually(() => kinds().includes('replayed'));
    await published();
    expect(await database.query(deadLetters, [])).toEqual(letters);
    expect(kinds()).toEqual(['replayed']);
  });
});
