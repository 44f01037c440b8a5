import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { readEvery } from './read-every.js';

const page = (id: string, nextCursor?: string) => Response.json({ items: [{ id }], nextCursor });
const refusal = (status: number, retryAfter?: string) =>
  Response.json(
    { error: { code: 'REFUSED', message: 'Not now' } },
    { status, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter } },
  );

describe('a list read to its end', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** Answers requests in this order. @returns where they went, and the pauses between them */
  function given(...answers: readonly Response[]) {
    const left = [...answers];
    const paths: string[] = [];
    const pauses: number[] = [];
    jest.spyOn(globalThis, 'fetch').mockImplementation(async (path) => {
      paths.push(String(path));
      return left.shift() ?? Promise.reject(new Error('one request too many'));
    });
    const read = () =>
      readEvery('listAuditLog', { query: { action: 'api-key.created' } }, async (seconds) => pauses.push(seconds));
    return { paths, pauses, read };
  }

  it('asks for every page, with the filters, and goes on after a refusal for as long as that says', async () => {
    const { paths, pauses, read } = given(page('a', 'after a'), refusal(429, '7'), refusal(503, '1'), page('b'));
    expect(await read()).toEqual([{ id: 'a' }, { id: 'b' }]);
    const first = '/app/api/audit-log?action=api-key.created&limit=100';
    expect(paths).toEqual([first, ...Array.from({ length: 3 }, () => `${first}&cursor=after+a`)]);
    expect(pauses).toEqual([7, 2]);
  });

  it('gives a page up after six refusals, counted anew for each page', async () => {
    const refusals = (count: number) => Array.from({ length: count }, () => refusal(429));
    const { pauses, read } = given(...refusals(5), page('a', 'after a'), ...refusals(6));
    await expect(read()).rejects.toMatchObject({ status: 429 });
    expect(pauses).toEqual([1, 2, 4, 8, 16, 1, 2, 4, 8, 16]);
  });

  it('waits neither after another refusal nor for longer than a minute', async () => {
    for (const answer of [refusal(403), refusal(500, '1'), refusal(429, '61')]) {
      const { status } = answer;
      const { pauses, read } = given(page('a', 'after a'), answer);
      await expect(read()).rejects.toMatchObject({ status });
      expect(pauses).toEqual([]);
    }
  });
});
