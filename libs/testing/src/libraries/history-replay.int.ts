import { expect, it } from '@jest/globals';
import { EventPublisher, provision, PROVISIONER } from '@switchboard/nats';
import { appendEvents, Relay, type RelayOptions, type RelayReport } from '@switchboard/outbox';
import { statement } from '@switchboard/postgres';
import { eventually, testServers } from '../index.js';
import { deleteStream } from './delete-stream.js';
import {
  applied,
  brokerThrough,
  effectsConsumer,
  eventOf,
  Outbox1764000000000,
  unpublished,
} from './outbox-fixture.js';

const servers = testServers();
const outboxIds = statement<{ id: string }>('t.outbox-ids', 'SELECT id FROM outbox ORDER BY position');

it('delays no new event: the newest of a lost stream go first, the others in steps that another relay goes on with', async () => {
  const prepared = await servers.serviceDatabase('contacts', [Outbox1764000000000]);
  const database = await prepared.database();
  const nats = await servers.nats();
  const admin = await nats.connect('admin');
  const publisher = new EventPublisher(await nats.connect('contacts'), 'contacts');
  const consumer = effectsConsumer(await nats.connect('messaging'), database);
  consumer.start();
  servers.onEnd(() => consumer.stop());
  const reports: RelayReport[] = [];
  const sent: string[] = [];
  const broker = brokerThrough(publisher, async (event) => {
    sent.push(event.id);
    return publisher.publish(event);
  });
  const startRelay = async (options: Partial<RelayOptions> = {}): Promise<Relay> => {
    const own = await prepared.database();
    const report = (one: RelayReport): void => void reports.push(one);
    const relay = new Relay({ database: own, service: 'contacts', broker, report, pollIntervalMs: 20, ...options });
    relay.start();
    servers.onEnd(() => relay.stop());
    return relay;
  };
  let written = 0;
  const append = (count: number): Promise<void> => {
    const events = Array.from({ length: count }, () => eventOf(`past${++written}`, 1));
    return database.transaction(async (tx) => appendEvents(tx, events));
  };
  const idsOf = async (): Promise<string[]> => (await database.query(outboxIds, [])).map(({ id }) => id);
  const published = (): Promise<boolean> => eventually(async () => (await database.query(unpublished, []))[0]?.n === 0);

  const first = await startRelay();
  await append(60);
  await published();
  await first.stop();
  await deleteStream(admin, 'CONTACTS');
  await provision(await nats.connect(PROVISIONER), 1);
  await append(1);
  const ids = await idsOf();
  sent.length = 0;
  const never = 2 ** 30;
  const second = await startRelay({ historyPace: { newestMax: 10, stepEvents: 5, stepMs: never } });
  await eventually(() => sent.includes(ids.at(-1) ?? ''));
  await second.stop();
  // One step, the newest ten and the new one; the rest of the past waits.
  const past = ids.slice(0, -1).sort();
  expect(sent.toSorted()).toEqual([...past.slice(0, 5), ...past.slice(-10), ids.at(-1)].sort());
  expect(reports.map(({ kind }) => kind).filter((kind) => kind !== 'failed')).toEqual(['stream-lost']);

  const pace = { newestMax: 10, stepEvents: 20, stepMs: 1 };
  await startRelay({ historyPace: pace });
  await append(1);
  await eventually(() => reports.some(({ kind }) => kind === 'replayed'));
  await published();
  expect(new Set(sent)).toEqual(new Set(await idsOf()));
  const effects = await eventually(async () => {
    const rows = await database.query(applied, []);
    return rows.length >= 62 && rows;
  });
  expect(effects.map(({ eventId }) => eventId).sort()).toEqual((await idsOf()).sort());
});
