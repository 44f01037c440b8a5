import { expect, it } from '@jest/globals';
import type { Queryable } from '@switchboard/postgres';
import { RedriveWalk } from './redrive-walk.js';

/** Marked letters of a consumer: each that is settled has gone. */
function marked(count: number): { readonly ids: Set<string>; readonly through: Queryable } {
  const ids = new Set(Array.from({ length: count }, (_, n) => `c${String(n).padStart(4, '0')}`));
  const query = async (_statement: unknown, [, max, after]: [string, number, string]) =>
    [...ids]
      .filter((id) => id > after)
      .slice(0, max)
      .map((id) => ({ envelope: JSON.stringify({ id }), deliveries: 1 }));
  return { ids, through: { query } as unknown as Queryable };
}

it('letters behind a page of which none can be tried come next, and all of them again in the walk after that', async () => {
  const { ids, through } = marked(120);
  const walk = new RedriveWalk(through, 'consumer');
  const given: string[] = [];
  /** The first hundred belong to a line that is locked. */
  const redrive = async (letters: readonly { readonly envelope: { readonly id: string } }[]): Promise<number> => {
    const free = letters.map(({ envelope }) => envelope.id).filter((id) => id >= 'c0100');
    given.push(...letters.map(({ envelope }) => envelope.id));
    for (const id of free) ids.delete(id);
    return free.length;
  };
  // A pause behind each page of which nothing has gone; one that has gone makes the whole walk worth another.
  const rounds = [await walk.round(redrive), await walk.round(redrive), await walk.round(redrive)];
  expect(rounds).toEqual([expect.any(Number), expect.any(Number), true]);
  expect(given).toEqual([...new Set(given)].sort());
  expect(given).toHaveLength(120);
  given.length = 0;
  expect([await walk.round(redrive), await walk.round(redrive), await walk.round(redrive)].at(-1)).toBe(false);
  expect(given).toEqual([...ids]);
});
