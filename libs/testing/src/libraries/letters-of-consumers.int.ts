import { beforeAll, expect, it } from '@jest/globals';
import { buryEvent, handleBatch, markedLetters, redriveBatch, takeEvent, type BatchHandler } from '@switchboard/outbox';
import type { Database } from '@switchboard/postgres';
import { testServers } from '../index.js';
import { deadLetters, delivered, markAllLetters, Outbox1764000000000 } from './outbox-fixture.js';

const servers = testServers();
const [FIRST, SECOND] = ['first', 'second'];
let database: Database;
beforeAll(async () => {
  database = await (await servers.serviceDatabase('contacts', [Outbox1764000000000])).database();
});

/** Applies what it is given. */
const handler = (consumer: string): BatchHandler<null> => ({
  database,
  consumer,
  prepare: async () => null,
  apply: async () => new Set(),
  onDead: () => undefined,
  onLinesAway: () => undefined,
});

it('a letter of an event that is driven again for one consumer stays for another one', async () => {
  const event = delivered(1);
  for (const consumer of [FIRST, SECOND]) await buryEvent(database, consumer, event, 'of the test');
  await database.query(markAllLetters, []);
  expect(await redriveBatch(handler(FIRST), await markedLetters(database, FIRST, 10))).toBe(1);
  expect(await database.query(deadLetters, [])).toMatchObject([{ eventId: event.envelope.id, consumer: SECOND }]);
});

it('an event that is buried for one consumer is not applied again by another one', async () => {
  const event = delivered(1);
  const { id } = event.envelope;
  const take = (consumer: string): Promise<boolean> => database.transaction((tx) => takeEvent(tx, consumer, id));
  expect([await take(FIRST), await take(SECOND)]).toEqual([true, true]);
  await buryEvent(database, FIRST, event, 'of the test');
  expect([await take(FIRST), await take(SECOND)]).toEqual([true, false]);
});

it('an event that comes twice in one batch is applied once', async () => {
  const event = delivered(1);
  const given: string[] = [];
  const applied = {
    ...handler('of a batch'),
    apply: async (_tx: unknown, events: readonly (typeof event)[]) => {
      given.push(...events.map(({ envelope }) => envelope.id));
      return new Set<string>();
    },
  };
  expect(await handleBatch(applied, [event, { ...event, deliveries: 2 }])).toEqual([{ ack: true }, { ack: true }]);
  expect(given).toEqual([event.envelope.id]);
});

it('a letter that has lost its mark since it was read is left as it is', async () => {
  const event = delivered(1);
  await buryEvent(database, 'unmarked', event, 'of the test');
  await database.query(markAllLetters, []);
  const letters = await markedLetters(database, 'unmarked', 10);
  // As another replica does that has tried it meanwhile, and failed.
  await buryEvent(database, 'unmarked', event, 'again');
  let applied = 0;
  const counting = {
    ...handler('unmarked'),
    apply: async (_tx: unknown, events: readonly (typeof event)[]) => ((applied += events.length), new Set<string>()),
  };
  await redriveBatch(counting, letters);
  expect(applied).toBe(0);
  const kept = (await database.query(deadLetters, [])).filter(({ consumer }) => consumer === 'unmarked');
  expect(kept).toMatchObject([{ eventId: event.envelope.id, error: 'again' }]);
});
