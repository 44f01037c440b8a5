import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { EventPublisher, LinkState, WakeUps } from '@switchboard/nats';
import { appendEvents, Relay, type RelayOptions } from '@switchboard/outbox';
import type { Database } from '@switchboard/postgres';
import { eventually, testServers, type ServiceDatabase, type OwnTestNats } from '../index.js';
import { eventOf, Outbox1764000000000 } from './outbox-fixture.js';

const servers = testServers({ ownNats: true });
/** Longer than any test may take: what comes does not come by a poll. */
const NEVER_MS = 2 ** 30;

let prepared: ServiceDatabase;
let database: Database;
let nats: OwnTestNats;
const published = new Set<string>();
beforeAll(async () => {
  prepared = await servers.serviceDatabase('contacts', [Outbox1764000000000]);
  database = await prepared.database();
  nats = await servers.ownNats();
});

/** A relay as one replica has it, with connections of its own. */
async function startReplica(options: Partial<RelayOptions> = {}): Promise<Relay> {
  const connection = await nats.connect('contacts');
  const publisher = new EventPublisher(connection, 'contacts');
  const relay = new Relay({
    database: await prepared.database(),
    service: 'contacts',
    broker: {
      stream: publisher.stream,
      get isDoubtful() {
        return publisher.isDoubtful;
      },
      streamState: () => publisher.streamState(),
      publish: async (event) => {
        published.add((JSON.parse(event.payload) as { aggregateId: string }).aggregateId);
        return publisher.publish(event);
      },
    },
    wakeUps: new WakeUps(connection, new LinkState(connection), 'contacts'),
    pollIntervalMs: NEVER_MS,
    report: () => undefined,
    ...options,
  });
  relay.start();
  servers.onEnd(() => relay.stop());
  return relay;
}

async function append(aggregateId: string): Promise<void> {
  await database.transaction(async (tx) => appendEvents(tx, [eventOf(aggregateId, 1)]));
}

const isPublished = (aggregateId: string): Promise<boolean> => eventually(() => published.has(aggregateId));

/** Returns when the relay leads and has read all that there was: only a wake-up brings what comes later. */
async function untilIdle(relay: Relay, aggregateId: string): Promise<void> {
  await append(aggregateId);
  await eventually(() => {
    relay.wake();
    return published.has(aggregateId);
  });
}

/** Does it in one moment, though the process may stand still on a busy machine. */
function withoutTime(work: () => void): void {
  const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
  work();
  clock.mockRestore();
}

describe('a relay', () => {
  it('that leads is woken by the commits of its process and of every other replica; a stop ends its pause', async () => {
    const leader = await startReplica();
    await untilIdle(leader, 'first');
    const replica = await startReplica();
    await append('own');
    leader.wake();
    await isPublished('own');
    for (const n of [1, 2, 3]) {
      await append(`other${n}`);
      replica.wake();
      await isPublished(`other${n}`);
    }
    await Promise.all([leader.stop(), replica.stop()]);
  });

  it('finds with its next poll what it was not woken for, and a replica what the leader has left', async () => {
    // What the others send is lost: nothing listens, and nothing is sent.
    const wakeUps = { send: () => undefined, listen: () => () => undefined };
    const leader = await startReplica({ wakeUps, pollIntervalMs: 100 });
    await untilIdle(leader, 'second');
    const replica = await startReplica({ wakeUps, pollIntervalMs: 100 });
    await append('unheard');
    replica.wake();
    await isPublished('unheard');
    await leader.stop();
    await append('left');
    await isPublished('left');
    await replica.stop();
  });

  it('hears the others again over a connection to NATS that was cut', async () => {
    const leader = await startReplica();
    const replica = await startReplica();
    await untilIdle(leader, 'third');
    await nats.server.restart();
    await append('after');
    await eventually(() => {
      replica.wake();
      return published.has('after');
    });
    await Promise.all([leader.stop(), replica.stop()]);
  });

  it('is woken at once for an event without a waiting caller after a quiet time, and once for all that follow closely', async () => {
    let sent = 0;
    let replica: Relay | undefined = undefined;
    const send = (): void => {
      // Right behind the wake-up: later it would be one after a quiet time.
      if (++sent === 2) replica?.wakeLater();
    };
    const wakeUps = { send, listen: () => () => undefined };
    replica = new Relay({
      database,
      service: 'contacts',
      broker: new EventPublisher(await nats.connect('contacts'), 'contacts'),
      wakeUps,
      report: () => undefined,
    });
    withoutTime(() => {
      for (let n = 0; n < 1_000; n++) replica?.wakeLater();
    });
    expect(sent).toBe(1);
    await eventually(() => sent > 1);
    expect(sent).toBe(2);
    await replica.stop();
    replica.wakeLater();
    expect(sent).toBe(2);
  });

  it('is woken once for events that others follow closely, with these, and by itself when none follows', async () => {
    let sent = 0;
    const wakeUps = { send: () => void sent++, listen: () => () => undefined };
    const broker = new EventPublisher(await nats.connect('contacts'), 'contacts');
    const replica = new Relay({ database, service: 'contacts', broker, wakeUps, report: () => undefined });
    for (let n = 0; n < 1_000; n++) replica.wakeSoon();
    expect(sent).toBe(0);
    replica.wake();
    expect(sent).toBe(1);
    replica.wakeSoon();
    await eventually(() => sent > 1);
    expect(sent).toBe(2);
    // Neither longer than it says for what has more time, nor lost with a stop: another replica may lead.
    withoutTime(() => {
      replica.wakeLater();
      replica.wakeLater();
    });
    replica.wakeSoon();
    await replica.stop();
    replica.wakeSoon();
    expect(sent).toBe(5);
  });

  it('sends the last wake-up of a burst, and few of it', async () => {
    const connection = await nats.connect('contacts');
    const wakeUps = new WakeUps(connection, new LinkState(connection), 'contacts');
    let heard = 0;
    const end = new WakeUps(await nats.connect('contacts'), new LinkState(connection), 'contacts').listen(
      () => heard++,
    );
    await eventually(() => {
      wakeUps.send();
      return heard > 0;
    });
    const before = heard;
    for (let n = 0; n < 1_000; n++) wakeUps.send();
    await eventually(() => heard > before);
    expect(heard - before).toBeLessThan(100);
    end();
  });
});
