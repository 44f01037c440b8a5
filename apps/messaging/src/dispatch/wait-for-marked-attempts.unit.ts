import { expect, it } from '@jest/globals';
import { waitForMarkedAttempts } from './wait-for-marked-attempts.js';

/** Looks that find these, one after the other, and the last of them for ever. */
function looks(...found: string[][]): () => Promise<string[]> {
  return () => Promise.resolve((found.length > 1 ? found.shift() : found[0]) ?? []);
}

it('attempts that were marked behind the first look are not waited for, however many come', async () => {
  const { signal } = new AbortController();
  expect(await waitForMarkedAttempts(looks(['a', 'b'], ['b', 'c'], ['c', 'd']), signal)).toBe(2);
});

it('attempts that do not end are waited for as long as the caller has patience', async () => {
  const signal = AbortSignal.abort();
  await expect(waitForMarkedAttempts(looks(['a']), signal)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(await waitForMarkedAttempts(looks([]), signal)).toBe(0);
});
