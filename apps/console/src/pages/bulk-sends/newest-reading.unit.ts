import { describe, expect, it } from '@jest/globals';
import { newestReading } from './newest-reading.js';

describe('of readings that overlap', () => {
  it('only that which was begun last counts, whichever ends last and however', async () => {
    const ends: string[] = [];
    const follow = newestReading();
    const [large, broken, small] = [0, 1, 2].map(() => settledLater());
    for (const one of [large, broken, small]) {
      if (one)
        follow(
          one.promise,
          (text) => ends.push(text),
          () => ends.push('failed'),
        );
    }
    small?.resolve('small');
    await small?.promise;
    large?.resolve('large');
    broken?.reject(new Error('broken'));
    await Promise.allSettled([large?.promise, broken?.promise]);
    expect(ends).toEqual(['small']);
  });

  it('a failed one counts when it is the last', async () => {
    const ends: string[] = [];
    const reading = Promise.reject(new Error('broken'));
    newestReading()(
      reading,
      () => ends.push('read'),
      () => ends.push('failed'),
    );
    await reading.catch(() => undefined);
    expect(ends).toEqual(['failed']);
  });
});

function settledLater(): {
  readonly promise: Promise<string>;
  resolve(text: string): void;
  reject(error: Error): void;
} {
  let [resolve, reject]: [(text: string) => void, (error: Error) => void] = [() => undefined, () => undefined];
  const promise = new Promise<string>((...both) => ([resolve, reject] = both));
  return { promise, resolve: (text) => resolve(text), reject: (error) => reject(error) };
}
