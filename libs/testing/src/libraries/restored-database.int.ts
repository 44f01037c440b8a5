import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import {
  EventPublisher,
  IncarnationMirror,
  PROVISIONER,
  restartConsumers,
  type PullConsumer,
  type StoredEvent,
} from '@switchboard/nats';
import {
  appendEvents,
  consumerEpoch,
  IncarnationKeeper,
  IS_COMPARED,
  Relay,
  restoreWitness,
} from '@switchboard/outbox';
import type { NewEvent, RelayReport, Restore } from '@switchboard/outbox';
import { statement, type Database } from '@switchboard/postgres';
import { eventually, testServers, type ServiceDatabase, type TestNats } from '../index.js';
import { takeBaseBackup, type BaseBackup } from '../base-backup.js';
import { applied, effectsConsumer, eventOf, Outbox1764000000000, unpublished } from './outbox-fixture.js';

const servers = testServers({ ownPostgres: true });
const stored = statement<StoredEvent>(
  't.stored',
  'SELECT id, subject, payload, traceparent FROM outbox JOIN outbox_pending USING (id, position) ORDER BY position',
);
const recorded = statement<{ lastSequence: number }>(
  't.recorded',
  'SELECT last_sequence::int AS "lastSequence" FROM relay_state',
);

const comparedSql = statement<{ isCompared: boolean }>('t.compared', `SELECT ${IS_COMPARED} AS "isCompared"`);

let prepared: ServiceDatabase;
let database: Database;
let superuser: Database;
let nats: TestNats;
let publisher: EventPublisher;
let reports: RelayReport[];
let relay: Relay | undefined;
let consumer: PullConsumer | undefined;
beforeAll(async () => {
  prepared = await servers.serviceDatabase('contacts', [Outbox1764000000000]);
  database = await prepared.database();
  superuser = await prepared.superuser();
  nats = await servers.nats();
  publisher = new EventPublisher(await nats.connect('contacts'), 'contacts');
});
beforeEach(() => void (reports = []));
afterEach(stop);

async function start(): Promise<void> {
  relay = new Relay({
    database: await prepared.database(),
    service: 'contacts',
    broker: publisher,
    report: (one) => void reports.push(one),
    pollIntervalMs: 20,
  });
  relay.start();
  consumer = effectsConsumer(await nats.connect('messaging'), database);
  consumer.start();
}

async function stop(): Promise<void> {
  await Promise.all([relay?.stop(), consumer?.stop()]);
  relay = consumer = undefined;
}

/** The whole server as it was when it was backed up. The broker keeps what it has. */
async function restore(backup: BaseBackup): Promise<void> {
  await backup.restore(await servers.postgres());
  await eventually(effects);
}

let written = 0;
async function append(count: number): Promise<void> {
  const events = Array.from({ length: count }, (): NewEvent<unknown> => eventOf(`kept${++written}`, 1));
  await database.transaction(async (tx) => appendEvents(tx, events));
}

const pending = async (): Promise<number | undefined> => (await database.query(unpublished, []))[0]?.n;
const effects = async (): Promise<string[]> => (await database.query(applied, [])).map(({ eventId }) => eventId).sort();

/** All that was written is published, marked and applied. */
async function settled(): Promise<string[]> {
  await eventually(async () => (await pending()) === 0 && (await effects()).length >= written);
  return effects();
}

/** The keeper of a process, with all that it has found. */
async function keeper(): Promise<{ look(): Promise<void>; readonly restores: Restore[] }> {
  const restores: Restore[] = [];
  const connection = await nats.connect('contacts');
  const broker = new EventPublisher(connection, 'contacts');
  const kept = new IncarnationKeeper({
    database,
    mirror: new IncarnationMirror(connection, 'contacts'),
    noticeRestore: restoreWitness({ database, broker, report: (one) => void reports.push(one) }),
    onRestored: async (restore) => {
      expect(await isCompared()).toBe(false);
      restores.push(restore);
    },
    report: () => undefined,
    reportPromotion: () => undefined,
  });
  return { look: () => kept.look(), restores };
}

const isCompared = async (): Promise<boolean> => (await database.query(comparedSql, []))[0]?.isCompared === true;
const named = (): RelayReport[] => reports.filter(({ kind }) => kind !== 'failed');

describe('a database that was restored while the broker kept its acknowledgements', () => {
  it('is named once by its relay, with the number of events that it has lost', async () => {
    await start();
    await append(20);
    await settled();
    const backup = await takeBaseBackup(superuser);
    await append(7);
    await settled();
    await stop();
    await restore(backup);
    reports = [];
    await start();
    await eventually(() => named().length > 0);
    expect(named()).toMatchObject([{ kind: 'database-restored', events: 7 }]);
    await append(1);
    await eventually(async () => (await pending()) === 0);
    await stop();
    await start();
    await append(1);
    await eventually(async () => (await pending()) === 0);
    expect(named()).toHaveLength(1);
  });

  it('is not one whose relay was killed between publications and their marks', async () => {
    await append(9);
    for (const event of await database.query(stored, [])) await publisher.publish(event);
    const before = (await database.query(recorded, []))[0]?.lastSequence ?? 0;
    expect((await publisher.streamState())?.lastSequence).toBe(before + 9);
    await start();
    await eventually(async () => (await pending()) === 0);
    expect(named()).toEqual([]);
  });

  it('is not one whose process was killed so twice, and whose events the stream holds twice', async () => {
    const witness = restoreWitness({ database, broker: publisher, report: (one) => void reports.push(one) });
    await append(4);
    const events = await database.query(stored, []);
    for (const event of events) await publisher.publish(event);
    expect(await witness()).toBe(false);
    // As behind the broker's window of duplicates.
    for (const event of events) await publisher.publish({ ...event, id: newCuid() });
    expect(await witness()).toBe(false);
    await start();
    await eventually(async () => (await pending()) === 0);
    expect(named()).toEqual([]);
  });

  it('is named although events were pending when it was backed up', async () => {
    await append(5);
    const backup = await takeBaseBackup(superuser);
    await start();
    await append(3);
    await eventually(async () => (await pending()) === 0);
    await stop();
    await restore(backup);
    reports = [];
    await start();
    await eventually(async () => (await pending()) === 0);
    expect(named()).toMatchObject([{ kind: 'database-restored', events: 3 }]);
  });

  it.each(['keeper', 'relay'] as const)(
    'begins anew once when its token is the newest and events of it are gone, whichever sees it first: the %s',
    async (first) => {
      const running = await keeper();
      await start();
      await append(3);
      await eventually(async () => (await pending()) === 0);
      await running.look();
      await running.look();
      const epoch = await consumerEpoch(database);
      const backup = await takeBaseBackup(superuser);
      await append(2);
      await eventually(async () => (await pending()) === 0);
      await stop();
      await restore(backup);
      reports = [];
      if (first === 'relay') {
        await start();
        await eventually(() => named().length > 0);
      }
      expect(await isCompared()).toBe(false);
      await running.look();
      expect(await isCompared()).toBe(true);
      if (first === 'keeper') await start();
      await append(1);
      await eventually(async () => (await pending()) === 0);
      const started = await keeper();
      for (const one of [running, started, running]) await one.look().catch(() => undefined);
      expect(named()).toMatchObject([{ kind: 'database-restored', events: 2 }]);
      expect([...running.restores, ...started.restores]).toHaveLength(1);
      expect(await consumerEpoch(database)).toBe(epoch + 1);
    },
  );

  it('applies again what it has lost when its consumers begin anew, and nothing twice', async () => {
    await start();
    await append(10);
    await eventually(async () => (await pending()) === 0);
    const backup = await takeBaseBackup(superuser);
    const atBackup = (await effects()).length;
    await append(10);
    await eventually(async () => (await effects()).length >= atBackup + 10);
    const everything = await effects();
    await stop();
    await restore(backup);
    expect(await lost(everything)).toBe(10);
    await start();
    await restartConsumers(await nats.connect(PROVISIONER), ['messaging']);
    await eventually(async () => (await lost(everything)) === 0);
    const after = await effects();
    expect(new Set(after).size).toBe(after.length);
    await expect(restartConsumers(await nats.connect(PROVISIONER), ['nothing'])).rejects.toThrow(RangeError);
  });
});

async function lost(everything: readonly string[]): Promise<number> {
  const after = new Set(await effects());
  return everything.filter((id) => !after.has(id)).length;
}
