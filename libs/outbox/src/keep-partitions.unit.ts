import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Database, Statement } from '@switchboard/postgres';
import { PartitionKeeper } from './keep-partitions.js';

describe('days to write to', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('are made again soon after a failure, for until then nothing may be written, and less often while it lasts', async () => {
    let asked = 0;
    const query = async ({ name }: Statement): Promise<never> => {
      if (name === 'outbox.keep-partitions') asked++;
      throw new Error('timeout exceeded when trying to connect');
    };
    const keeper = new PartitionKeeper({ query } as unknown as Database, () => undefined);
    keeper.start();
    await jest.advanceTimersByTimeAsync(1_250);
    expect(asked).toBe(2);
    await jest.advanceTimersByTimeAsync(600_000);
    expect(asked).toBeGreaterThan(10);
    expect(asked).toBeLessThan(25);
    await keeper.stop();
  });

  it('are made at once when the clock was set, or the machine has slept, and none is dropped before the next hour', async () => {
    let [asked, looked] = [0, 0];
    const drops: boolean[] = [];
    const query = async ({ name }: Statement): Promise<readonly object[]> => {
      if (name === 'outbox.keep-partitions') asked++;
      if (name === 'outbox.past-partitions') looked++;
      return name === 'clock.database-time' ? [{ ms: Date.now() }] : [];
    };
    const more = async (mayDrop: boolean): Promise<void> => void drops.push(mayDrop);
    const keeper = new PartitionKeeper({ query } as unknown as Database, () => undefined, more);
    keeper.start();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(asked).toBe(1);
    for (const [index, days] of [9, -3].entries()) {
      // Timers stay as they are.
      jest.setSystemTime(Date.now() + days * 86_400_000);
      await jest.advanceTimersByTimeAsync(15_000);
      expect(asked).toBe(index + 2);
    }
    await jest.advanceTimersByTimeAsync(40 * 60_000);
    expect([asked, looked, drops]).toEqual([3, 1, [true, false, false]]);
    await jest.advanceTimersByTimeAsync(40 * 60_000);
    expect([asked, looked, drops]).toEqual([4, 2, [true, false, false, true]]);
    await keeper.stop();
  });
});
