import { describe, expect, it, jest } from '@jest/globals';
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
    const onWait = (reason: string, leftMs: number): void => void waits.push([reason, leftMs > 0]);
    const connected = connectPatiently({ connect: refusing(2), mayPass: () => true, onWait, random: () => 0 });
    expect(await connected).toBe('try 3');
    expect(waits).toEqual([
      ['Error: no 1', true],
      ['Error: no 2', true],
    ]);
  });

  it('says of a name with several addresses what each of them answered', async () => {
    const reasons: string[] = [];
    const refused = [new Error('connect ECONNREFUSED ::1'), new Error('connect ECONNREFUSED 127.0.0.1')];
    const tries = [new AggregateError(refused)];
    const connect = async (): Promise<void> => {
      const failure = tries.shift();
      if (failure) throw failure;
    };
    await connectPatiently({ connect, mayPass: () => true, onWait: (reason) => reasons.push(reason), random: () => 0 });
    expect(reasons).toEqual(['Error: connect ECONNREFUSED ::1; Error: connect ECONNREFUSED 127.0.0.1']);
  });

  it.each([
    ['what cannot pass, at once', false, undefined, 'no 1'],
    ['what does not pass, when its time is over', true, 0, 'no 1'],
    ['and tries once more at the end of its time', true, 1, 'no 2'],
  ])('fails with %s', async (_what, mayPass, withinMs, message) => {
    // Passes with the pauses alone, whatever the tries take.
    let nowMs = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const connected = connectPatiently({
      connect: refusing(9),
      mayPass: () => mayPass,
      onWait: (_reason, leftMs) => void (nowMs += leftMs),
      withinMs,
    });
    await expect(connected.finally(() => clock.mockRestore())).rejects.toThrow(message);
  });
});
