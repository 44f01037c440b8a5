import { expect, it } from '@jest/globals';
import type { Queryable } from '@switchboard/postgres';
import { RecentEpoch } from './recent-epoch.js';

/** Answers 1, 2, 3 and counts; `away`: refuses. */
function ledger(): { readonly through: Queryable; readonly asked: () => number; away: boolean } {
  let asked = 0;
  const made = {
    away: false,
    asked: () => asked,
    through: {
      query: async () => {
        asked++;
        if (made.away) throw new Error('away');
        return [{ epoch: asked }];
      },
    } as unknown as Queryable,
  };
  return made;
}

it('is read once for all who ask within a while', async () => {
  const { through, asked } = ledger();
  const epoch = new RecentEpoch(through, 2 ** 30);
  expect(await Promise.all([epoch.read(), epoch.read()])).toEqual([1, 1]);
  expect(await epoch.read()).toBe(1);
  expect(asked()).toBe(1);
});

it('is read anew afterwards', async () => {
  const epoch = new RecentEpoch(ledger().through, 0);
  expect([await epoch.read(), await epoch.read()]).toEqual([1, 2]);
});

it('is read anew for one who doubts it, and kept for the others', async () => {
  const epoch = new RecentEpoch(ledger().through, 2 ** 30);
  expect([await epoch.read(), await epoch.read(true), await epoch.read()]).toEqual([1, 2, 2]);
});

it('is asked for again when the database refused', async () => {
  const database = ledger();
  const epoch = new RecentEpoch(database.through, 2 ** 30);
  database.away = true;
  const refused = await Promise.allSettled([epoch.read(), epoch.read()]);
  expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  database.away = false;
  expect(await epoch.read()).toBe(2);
});
