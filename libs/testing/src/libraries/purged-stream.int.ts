import { expect, it } from '@jest/globals';
import { EventPublisher } from '@switchboard/nats';
import { appendEvents, Relay } from '@switchboard/outbox';
import { statement } from '@switchboard/postgres';
import { eventually, testServers } from '../index.js';
import { eventOf, Outbox1764000000000, unpublished } from './outbox-fixture.js';

const servers = testServers({ ownNats: true });
const EVENTS = 20;
const replayAll = statement('t.replay-all', 'UPDATE relay_state SET replay_from = 0');

it('a stream that was purged holds at once what an operator has published again, also what it knew of for moments', async () => {
  const prepared = await servers.serviceDatabase('contacts', [Outbox1764000000000]);
  const database = await prepared.database();
  const nats = await servers.ownNats();
  const admin = await nats.connect('admin');
  const reports: string[] = [];
  const relay = new Relay({
    database,
    service: 'contacts',
    broker: new EventPublisher(await nats.connect('contacts'), 'contacts'),
    report: ({ kind }) => void reports.push(kind),
    pollIntervalMs: 20,
  });
  relay.start();
  servers.onEnd(() => relay.stop());
  const held = async (): Promise<number> => {
    const answer = await admin.request('$JS.API.STREAM.INFO.CONTACTS', '', { timeout: 5_000 });
    return answer.json<{ state: { messages: number } }>().state.messages;
  };
  const events = Array.from({ length: EVENTS }, (_none, index) => eventOf(`purged${index}`, 1));
  await database.transaction(async (tx) => appendEvents(tx, events));
  await eventually(async () => (await held()) === EVENTS && (await database.query(unpublished, []))[0]?.n === 0);
  // Twice: what was published again is known as well.
  for (const _ of [1, 2]) {
    await admin.request('$JS.API.STREAM.PURGE.CONTACTS', '', { timeout: 5_000 });
    expect(await held()).toBe(0);
    reports.length = 0;
    await database.query(replayAll, []);
    await eventually(() => reports.includes('replayed'));
    await eventually(async () => (await database.query(unpublished, []))[0]?.n === 0);
    expect(await held()).toBe(EVENTS);
  }
});
