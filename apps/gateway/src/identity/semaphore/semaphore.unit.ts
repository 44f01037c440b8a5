import { describe, expect, it } from '@jest/globals';
import { Semaphore } from './semaphore.js';

/** Work that ends when the test says so. */
class Work {
  readonly begun: number[] = [];
  private readonly ends: PromiseWithResolvers<void>[] = [];

  readonly of = (index: number) => async (): Promise<number> => {
    this.begun.push(index);
    await (this.ends[index] ??= Promise.withResolvers()).promise;
    return index;
  };

  end(index: number, error?: Error): void {
    const { resolve, reject } = (this.ends[index] ??= Promise.withResolvers());
    if (error) reject(error);
    else resolve();
  }
}

const codeOf = async (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: { code?: string }) => error.code,
  );

describe('a semaphore', () => {
  it('runs as many as it may, lets as many wait as it may, and refuses the next', async () => {
    const [work, semaphore] = [new Work(), new Semaphore(2, 3)];
    const accepted = [0, 1, 2, 3, 4].map((index) => semaphore.run(work.of(index)));
    expect(await codeOf(semaphore.run(work.of(5)))).toBe('SERVICE_UNAVAILABLE');
    expect(work.begun).toEqual([0, 1]);
    work.end(1);
    expect(await accepted[1]).toBe(1);
    const sixth = semaphore.run(work.of(6));
    expect(await codeOf(semaphore.run(work.of(7)))).toBe('SERVICE_UNAVAILABLE');
    for (const index of [0, 2, 3, 4, 6]) work.end(index);
    expect(await Promise.all([...accepted, sixth])).toEqual([0, 1, 2, 3, 4, 6]);
  });

  it('gives a free place to the one that waits longest, never to a newcomer', async () => {
    const [work, semaphore] = [new Work(), new Semaphore(1, 10)];
    const first = semaphore.run(work.of(0)).then(() => semaphore.run(work.of(3)));
    const others = [1, 2].map((index) => semaphore.run(work.of(index)));
    for (const index of [0, 1, 2, 3]) work.end(index);
    await Promise.all([first, ...others]);
    expect(work.begun).toEqual([0, 1, 2, 3]);
  });

  it('frees the place of work that fails, and throws what the work threw', async () => {
    const [work, semaphore] = [new Work(), new Semaphore(1, 0)];
    const failed = semaphore.run(work.of(0));
    work.end(0, new Error('broken'));
    await expect(failed).rejects.toThrow('broken');
    work.end(1);
    expect(await semaphore.run(work.of(1))).toBe(1);
  });
});
