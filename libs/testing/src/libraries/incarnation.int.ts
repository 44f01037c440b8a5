import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { contactChanged } from '@switchboard/contracts/contacts/events';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { messagingContactsConsumer } from '@switchboard/contracts/consumers';
import { durableName, EventPublisher, IncarnationMirror, provision, PROVISIONER } from '@switchboard/nats';
import type { NatsConnection, PullConsumer } from '@switchboard/nats';
import { consumerEpoch, IncarnationKeeper, IS_COMPARED, type Restore } from '@switchboard/outbox';
import { statement, type Database } from '@switchboard/postgres';
import { eventually, testServers, type ServiceDatabase, type TestNats } from '../index.js';
import { takeBaseBackup, type BaseBackup } from '../base-backup.js';
import { applied, effectsConsumer, Outbox1764000000000 } from './outbox-fixture.js';

/** Its database is the one of `contacts` here: a service that takes events and has emitted none. */
const SERVICE = 'messaging';
const servers = testServers({ ownPostgres: true });
const comparedSql = statement<{ isCompared: boolean }>('t.compared', `SELECT ${IS_COMPARED} AS "isCompared"`);
const ageSql = statement('t.age', `UPDATE incarnation SET compared_at = compared_at - interval '20 seconds'`);

let prepared: ServiceDatabase;
let database: Database;
let superuser: Database;
let nats: TestNats;
let publisher: EventPublisher;
let own: NatsConnection;
let restores: Restore[];
let takenBack: Restore[];
let consumer: PullConsumer | undefined;
beforeAll(async () => {
  prepared = await servers.serviceDatabase('contacts', [Outbox1764000000000]);
  database = await prepared.database();
  superuser = await prepared.superuser();
  nats = await servers.nats();
  publisher = new EventPublisher(await nats.connect('contacts'), 'contacts');
  own = await nats.connect(SERVICE);
});
beforeEach(() => {
  restores = [];
  takenBack = [];
});
afterEach(stopConsumer);

/** A process that has just been started. */
function keeper(
  mirror: Pick<IncarnationMirror, 'read' | 'write'> = new IncarnationMirror(own, SERVICE),
  noticeRestore: () => Promise<boolean> = async () => false,
  onRestored: () => Promise<void> = async () => undefined,
): IncarnationKeeper {
  return new IncarnationKeeper({
    database,
    mirror,
    noticeRestore,
    onRestored: (restore) => (takenBack.push(restore), onRestored()),
    report: (restore) => void restores.push(restore),
    reportPromotion: () => undefined,
  });
}

function startConsumer(): void {
  const durable = async (): Promise<string> => durableName(messagingContactsConsumer, await consumerEpoch(database));
  consumer = effectsConsumer(own, database, undefined, durable);
  consumer.start();
}

async function stopConsumer(): Promise<void> {
  await consumer?.stop();
  consumer = undefined;
}

let written = 0;
/** Events of another service, which has not lost them. */
async function emit(count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const id = newCuid();
    const subject = contactChanged.subject;
    const envelope = {
      id,
      subject,
      organizationId: 'corg',
      aggregateId: id,
      sequence: 100,
      occurredAt: '',
      data: null,
    };
    await publisher.publish({ id, subject, payload: JSON.stringify(envelope), traceparent: null });
    written++;
  }
}

const isCompared = async (): Promise<boolean> => (await database.query(comparedSql, []))[0]?.isCompared === true;
const effects = async (): Promise<string[]> => (await database.query(applied, [])).map(({ eventId }) => eventId).sort();

/** Everything that was emitted is applied, once. */
async function allApplied(): Promise<void> {
  await eventually(async () => (await effects()).length >= written);
  const found = await effects();
  expect(new Set(found).size).toBe(written);
  expect(found).toHaveLength(written);
}

/** The whole server as it was when it was backed up. The broker keeps what it has. */
async function restore(backup: BaseBackup): Promise<void> {
  await stopConsumer();
  await backup.restore(await servers.postgres());
  await eventually(effects);
}

describe('a database that was restored while the broker went on', () => {
  it('is noticed though its service has emitted nothing: it gets again what it had acknowledged, and applies it once', async () => {
    await keeper().look();
    startConsumer();
    await emit(10);
    await allApplied();
    const backup = await takeBaseBackup(superuser);
    await keeper().look();
    await emit(7);
    await allApplied();
    await restore(backup);
    expect(await effects()).toHaveLength(written - 7);
    expect(await isCompared()).toBe(false);
    await keeper().look();
    expect(await isCompared()).toBe(true);
    expect(restores).toHaveLength(1);
    expect(takenBack).toEqual(restores);
    startConsumer();
    await allApplied();
    await keeper().look();
    expect(restores).toHaveLength(1);
  });

  it('is noticed a second time, after the provisioning step was run again', async () => {
    await provision(await nats.connect(PROVISIONER), 1);
    startConsumer();
    await allApplied();
    const backup = await takeBaseBackup(superuser);
    await keeper().look();
    await emit(5);
    await allApplied();
    await restore(backup);
    await keeper().look();
    expect(restores).toHaveLength(1);
    startConsumer();
    await allApplied();
  });

  it('is noticed by a process that went on while it was replaced', async () => {
    const running = keeper();
    await running.look();
    const backup = await takeBaseBackup(superuser);
    await running.look();
    await running.look();
    await restore(backup);
    await running.look();
    expect(restores).toHaveLength(1);
    await running.look();
    expect(restores).toHaveLength(1);
  });

  it('is taken back before it is called compared, and reported once however many replicas notice it', async () => {
    await keeper().look();
    const backup = await takeBaseBackup(superuser);
    await keeper().look();
    const before = await consumerEpoch(database);
    await restore(backup);
    const replicas = [1, 2, 3].map(() => keeper());
    await Promise.allSettled(replicas.map((replica) => replica.look()));
    for (const replica of replicas) await replica.look();
    expect(takenBack.length).toBeGreaterThanOrEqual(1);
    expect(restores).toHaveLength(1);
    expect(await consumerEpoch(database)).toBe(before + 1);
  });

  it('is taken back by one replica at a time: what becomes due when the first is done is taken back by none', async () => {
    await keeper().look();
    const backup = await takeBaseBackup(superuser);
    await keeper().look();
    await restore(backup);
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const first = keeper(undefined, undefined, () => {
      begun.resolve();
      return end.promise;
    }).look();
    await begun.promise;
    const second = keeper();
    await second.look();
    expect([takenBack.length, await isCompared()]).toEqual([1, false]);
    end.resolve();
    await first;
    await second.look();
    expect([takenBack.length, restores.length, await isCompared()]).toEqual([1, 1, true]);
  });

  it('is taken back by another replica when the one that began has failed', async () => {
    await keeper().look();
    const backup = await takeBaseBackup(superuser);
    await keeper().look();
    await restore(backup);
    const failing = keeper(undefined, undefined, () => Promise.reject(new Error('locked')));
    await expect(failing.look()).rejects.toThrow('locked');
    const another = keeper();
    await eventually(() => another.look().then(isCompared));
    expect([takenBack.length, restores.length]).toEqual([2, 1]);
  });
});

describe('a database that goes on', () => {
  it('is not called restored after a restart of PostgreSQL, nor compared before it was', async () => {
    await keeper().look();
    await (await servers.postgres()).stop('immediate');
    await (await servers.postgres()).restart();
    expect(await eventually(() => isCompared().then(String))).toBe('false');
    await keeper().look();
    expect(await isCompared()).toBe(true);
    expect(restores).toEqual([]);
  });

  it('is not called compared when no process has looked for long', async () => {
    await keeper().look();
    await database.query(ageSql, []);
    expect(await isCompared()).toBe(false);
    await keeper().look();
    expect(await isCompared()).toBe(true);
  });

  it('is not called restored when a process ended between its database and the broker', async () => {
    const mirror = new IncarnationMirror(own, SERVICE);
    const killed = keeper({ read: () => mirror.read(), write: () => Promise.reject(new Error('killed')) });
    await keeper().look();
    await expect(killed.look()).rejects.toThrow('killed');
    await expect(killed.look()).rejects.toThrow('killed');
    await keeper().look();
    expect(restores).toEqual([]);
  });

  it('stays compared while the broker is away, for a process that has compared it', async () => {
    const mirror = new IncarnationMirror(own, SERVICE);
    let isAway = false;
    const unlessAway = async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
      if (isAway) throw new Error('away');
      return ask();
    };
    const running = keeper({
      read: () => unlessAway(() => mirror.read()),
      write: (shown, after) => unlessAway(() => mirror.write(shown, after)),
    });
    await running.look();
    isAway = true;
    await expect(running.look()).rejects.toThrow('away');
    await database.query(ageSql, []);
    await expect(running.look()).rejects.toThrow('away');
    expect(await isCompared()).toBe(true);
    isAway = false;
    await running.look();
    await running.look();
    expect(restores).toEqual([]);
  });

  it('is not called restored by replicas that look at once', async () => {
    const replicas = [1, 2, 3].map(() => keeper());
    for (let round = 0; round < 10; round++) await Promise.allSettled(replicas.map((replica) => replica.look()));
    expect([restores, takenBack]).toEqual([[], []]);
    expect(await isCompared()).toBe(true);
  });

  it('is not called restored by a replica that starts slowly while another goes on', async () => {
    const running = keeper();
    await running.look();
    const goOn = async (): Promise<void> => {
      await running.look();
      await running.look();
    };
    const whileItAsks = keeper(undefined, async () => {
      await goOn();
      return false;
    });
    await whileItAsks.look();
    const mirror = new IncarnationMirror(own, SERVICE);
    const whileItReads = keeper({
      write: (shown, after) => mirror.write(shown, after),
      read: async () => {
        const shown = await mirror.read();
        await goOn();
        return shown;
      },
    });
    // What it read is no longer the newest: it looks again.
    await expect(whileItReads.look()).rejects.toThrow('wrong last sequence');
    expect([restores, takenBack]).toEqual([[], []]);
    expect(await isCompared()).toBe(true);
  });

  it('is not called restored when the broker has lost its memory', async () => {
    await keeper().look();
    const provisioner = await nats.connect(PROVISIONER);
    await provisioner.request('$JS.API.STREAM.PURGE.INCARNATIONS', '', { timeout: 20_000 });
    await keeper().look();
    expect(restores).toEqual([]);
    expect(await new IncarnationMirror(own, SERVICE).read()).not.toBeNull();
  });
});
