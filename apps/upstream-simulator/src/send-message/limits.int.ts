import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SimulatorHarness, stopClock } from '../../test/harness.js';

let sim: SimulatorHarness;

beforeAll(async () => {
  sim = await SimulatorHarness.start({});
});
afterAll(() => SimulatorHarness.stopAll());
beforeEach(() => sim.control('PUT', 'knobs/reset'));
afterEach(() => void jest.restoreAllMocks());

describe('the knobs of limits', () => {
  it('limit the pace of a line: a burst, and what comes back with time', async () => {
    const clock = stopClock();
    await sim.control('PUT', 'knobs', { limits: { messagesPerSecond: 3 } });
    expect(await codesOf(5, '+16505550001')).toEqual([undefined, undefined, undefined, 130429, 130429]);
    clock.advance(334);
    expect(await codesOf(2, '+16505550001')).toEqual([undefined, 130429]);
  });

  it('limit the messages to one recipient, and those to no other', async () => {
    const clock = stopClock();
    await sim.control('PUT', 'knobs', { limits: { pairRate: true } });
    expect(await codesOf(46, '+16505550002')).toEqual([...Array<undefined>(45).fill(undefined), 131056]);
    expect(await codesOf(1, '+16505550003')).toEqual([undefined]);
    // One comes back every 6 s.
    clock.advance(6_000);
    expect(await codesOf(2, '+16505550002')).toEqual([undefined, 131056]);
  });

  it('refuse what is written freely before its recipient has written', async () => {
    await sim.control('PUT', 'knobs', { limits: { window24h: true } });
    expect(await codesOf(1, '+16505550004')).toEqual([131047]);
    await sim.control('POST', 'inbound', { from: '+16505550004', text: 'Hi' });
    expect(await codesOf(1, '+16505550004')).toEqual([undefined]);
  });
});

async function codesOf(count: number, to: string): Promise<readonly unknown[]> {
  const codes: unknown[] = [];
  for (let at = 0; at < count; at += 1) codes.push((await sim.send({ to })).body['error']?.['code']);
  return codes;
}
