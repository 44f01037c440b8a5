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
});
