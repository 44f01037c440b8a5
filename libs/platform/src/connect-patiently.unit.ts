import { describe, expect, it } from '@jest/globals';
import { connectPatiently } from './connect-patiently.js';

const refusing = (failures: number): (() => Promise<string>) => {
  let tries = 0;
  return async () => {
    if (++tries > failures) return `try ${tries}`;
    throw new Error(`no ${tries}`);
  };
};

describe('connectPatiently', () => {
  it('tries again what may pass, and says why it waits', async () => {
    const waits: unknown[] = [];
    const onWait = (error: unknown, leftMs: number): void => void waits.push([String(error), leftMs > 0]);
    const connected = connectPatiently({ connect: refusing(2), mayPass: () => true, onWait, random: () => 0 });
    expect(await connected).toBe('try 3');
    expect(waits).toEqual([
      ['Error: no 1', true],
      ['Error: no 2', true],
    ]);
  });

  it.each([
    ['what cannot pass, at once', false, undefined, 'no 1'],
    ['what does not pass, when its time is over', true, 0, 'no 1'],
    ['and tries once more at the end of its time', true, 1, 'no 2'],
  ])('fails with %s', async (_what, mayPass, withinMs, message) => {
    const connected = connectPatiently({
      connect: refusing(9),
      mayPass: () => mayPass,
      onWait: () => undefined,
      withinMs,
    });
    await expect(connected).rejects.toThrow(message);
  });
});
