import { describe, expect, it } from '@jest/globals';
import { sharedOfRun } from '@switchboard/testing/run-servers';
import { faults } from './faults/all.js';
import { isKept, tableOf } from './report/table.js';
import { runChaos } from './run-chaos.js';

/** What shares one stack, so that all of it fits into the time of a change's checks. */
const NAMES = [
  'kill-messaging',
  'kill-messaging-burst',
  'kill-gateway',
  'kill-contacts',
  'kill-simulator',
  'kill-nats',
  'stop-postgres',
  'two-relays',
];

describe('chaos, one point of each', () => {
  it('loses no event of webhooks and of the feed, and changes none, while a replica of webhooks dies', async () => {
    const lines: string[] = [];
    const results = await runChaos({
      faults: faults.filter(({ name }) => name === 'kill-webhooks'),
      seed: 20_260_102,
      points: 1,
      isShort: true,
      prepared: await sharedOfRun<string>('data'),
      say: (line) => void lines.push(line),
    });
    const account = `${lines.join('\n')}\n${tableOf(results)}`;
    expect({ account, kept: results.map(isKept) }).toEqual({ account, kept: [true] });
    const [tally] = results.map(({ outcome }) => ('tally' in outcome ? outcome.tally : null));
    expect(tally?.sends).toBeGreaterThan(20);
  }, 900_000);

  it('loses nothing, doubles nothing and confirms nothing false while processes and servers die', async () => {
    const lines: string[] = [];
    const results = await runChaos({
      faults: faults.filter(({ name }) => NAMES.includes(name)),
      seed: 20_260_101,
      points: 1,
      isShort: true,
      prepared: await sharedOfRun<string>('data'),
      say: (line) => void lines.push(line),
    });
    // What was seen is what helps when it fails.
    const account = `${lines.join('\n')}\n${tableOf(results)}`;
    expect({ account, broken: results.filter((result) => !isKept(result)).map(({ name }) => name) }).toEqual({
      account,
      broken: [],
    });
    expect(results.map(({ name }) => name)).toEqual([...NAMES, 'afterwards']);
    const sends = results.map(({ outcome }) => ('tally' in outcome ? outcome.tally.sends : 0)).slice(0, -1);
    expect(Math.min(...sends)).toBeGreaterThan(20);
  }, 900_000);
});
