import { describe, expect, it } from '@jest/globals';
import { onceAtATime } from './once-at-a-time.js';

describe('an act that is made once at a time', () => {
  it('begins no second time with the same input before it has ended, and then does', async () => {
    const begun: { readonly id: string; readonly ended: PromiseWithResolvers<void> }[] = [];
    const act = onceAtATime(({ id }: { readonly id: string }) => {
      const ended = Promise.withResolvers<void>();
      begun.push({ id, ended });
      return ended.promise;
    });
    act({ id: 'a' });
    act({ id: 'a' });
    act({ id: 'b' });
    expect(begun.map(({ id }) => id)).toEqual(['a', 'b']);
    begun[0]?.ended.resolve();
    await new Promise(setImmediate);
    act({ id: 'a' });
    act({ id: 'b' });
    expect(begun.map(({ id }) => id)).toEqual(['a', 'b', 'a']);
  });
});
