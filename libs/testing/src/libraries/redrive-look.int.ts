import { expect, it } from '@jest/globals';
import { buryEvent } from '@switchboard/outbox';
import { createLog, RedriveLook } from '@switchboard/platform';
import { WakeSignal } from '@switchboard/timing';
import { eventually, testServers } from '../index.js';
import { delivered, markAllLetters, Outbox1764000000000 } from './outbox-fixture.js';

const servers = testServers();

it('wakes the consumers that have marked letters, every one of a name, again while marks remain, and no other', async () => {
  const prepared = await servers.serviceDatabase('contacts', [Outbox1764000000000]);
  const database = await prepared.database();
  const log = createLog('test', { write: () => undefined });
  const wakes = new Map<string, number>();
  const signalOf = (name: string): WakeSignal =>
    Object.assign(new WakeSignal(), { wake: () => void wakes.set(name, (wakes.get(name) ?? 0) + 1) });
  await buryEvent(database, 'first', delivered(1), 'of the test');
  await buryEvent(database, 'second', delivered(2), 'of the test');
  await buryEvent(database, 'unknown here', delivered(3), 'of the test');
  /** Each begins with a look at once. */
  const lookOnce = async (consumers: Readonly<Record<string, string>>): Promise<void> => {
    let asked = 0;
    const counting = {
      query: async (...given: Parameters<typeof database.query>) => {
        const rows = await database.query(...given);
        asked++;
        return rows;
      },
    } as typeof database;
    const look = new RedriveLook(counting, log);
    for (const [name, consumer] of Object.entries(consumers)) look.add(consumer, signalOf(name));
    const gone = signalOf('gone');
    look.add('first', gone);
    look.remove(gone);
    look.start();
    await eventually(() => asked > 0);
    await look.stop();
  };
  const all = { a: 'first', b: 'first', c: 'second', d: 'third' };

  await lookOnce(all);
  expect(wakes).toEqual(new Map());
  await database.query(markAllLetters, []);
  await lookOnce(all);
  expect(wakes).toEqual(new Map([...'abc'].map((name) => [name, 1])));
  await lookOnce({ a: 'first' });
  expect(wakes.get('a')).toBe(2);
});
