import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ContactView } from '@switchboard/contracts/contacts/http';
import type { ListContactsRequest } from '@switchboard/contracts/contacts/rpc';
import type { Page } from '@switchboard/contracts/grammar/page';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { testServers } from '@switchboard/testing';
import fc from 'fast-check';
import { ContactLists, MANY, MANY_OF } from '../../test/contact-lists.js';
import { contactsMigrations } from '../migrations/all.js';

const servers = testServers();
const FEW_OF = 'cfewcontacts';

let lists: ContactLists;

beforeAll(async () => {
  lists = await ContactLists.open(await servers.serviceDatabase('contacts', contactsMigrations));
});

describe('pages', () => {
  it('hold every contact that was there at the start exactly once, newest first, whatever is inserted meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 30 }),
        async (count, limit, insertsPerPage) => {
          const organizationId = newCuid();
          const atStart = await lists.insert(organizationId, Array(count).fill({ name: 'a' }));
          const seen: string[] = [];
          for (let cursor: string | null | undefined = null, page = 0; cursor !== undefined; page++) {
            const [answer]: [Page<ContactView>, unknown] = await Promise.all([
              lists.list(organizationId, { limit, cursor }),
              lists.insert(organizationId, Array(insertsPerPage[page] ?? 0).fill({ name: 'b' })),
            ]);
            expect(answer.items.length).toBeLessThanOrEqual(limit);
            seen.push(...answer.items.map(({ id }) => id));
            cursor = answer.nextCursor;
          }
          expect(seen).toEqual(seen.toSorted().reverse());
          expect(new Set(seen).size).toBe(seen.length);
          expect(seen.filter((id) => atStart.includes(id))).toEqual(atStart.toReversed());
        },
      ),
      { numRuns: 25 },
    );
  });

  it('go on behind a cursor that names no contact, and belong to one organization', async () => {
    const [id = ''] = await lists.insert(FEW_OF, [{ name: 'Only here' }]);
    expect((await lists.list(FEW_OF, { cursor: `${id}0` })).items.map((contact) => contact.id)).toEqual([id]);
    expect(await lists.list(FEW_OF, { cursor: 'c0000000' })).toEqual({ items: [] });
    expect(await lists.list(newCuid())).toEqual({ items: [] });
  });

  it.each<[string, Partial<ListContactsRequest>]>([
    ['all', {}],
    ['those not opted out', { isOptedOut: false }],
    ['a frequent term', { search: 'example' }],
  ])('of %s cost on page 1,000 what page 1 costs', async (_what, request) => {
    const [first, deep] = [null, await cursorAt(MANY - 25 * 999)];
    const [costOfFirst, costOfDeep] = [
      await lists.cost({ ...request, cursor: first }),
      await lists.cost({ ...request, cursor: deep }),
    ];
    expect(costOfFirst.result.items).toHaveLength(25);
    expect(costOfDeep.result.items).toHaveLength(25);
    expect(costOfDeep.buffers).toBeLessThanOrEqual(costOfFirst.buffers * 2);
    expect(costOfFirst.buffers).toBeLessThan(300);
  });
});

describe('opted out', () => {
  it('is who is covered on every channel, and the filter finds exactly those', async () => {
    const organizationId = newCuid();
    const ids = await lists.insert(organizationId, Array(6).fill({ name: 'a' }));
    const cover = async (index: number, ...of: string[]): Promise<void> => {
      for (const channelId of of) {
        await lists.superuser.dataSource.query(
          `INSERT INTO contacts.opt_out (organization_id, id, contact_id, channel_id, source) VALUES ($1, $2, $3, $4, 'API')`,
          [organizationId, newCuid(), ids[index], channelId],
        );
      }
      const coverage = of.includes('*') ? -1 : of.length;
      const values = [coverage, organizationId, ids[index]];
      await lists.superuser.dataSource.query(
        'UPDATE contacts.contact SET coverage = $1 WHERE organization_id = $2 AND id = $3',
        values,
      );
    };
    const channel = (id: string): Promise<unknown> =>
      lists.superuser.dataSource.query('INSERT INTO contacts.channel (organization_id, id) VALUES ($1, $2)', [
        organizationId,
        id,
      ]);
    const optedOut = async (): Promise<number[]> => {
      const out = await lists.walk(organizationId, { isOptedOut: true, limit: 2 });
      const others = await lists.walk(organizationId, { isOptedOut: false, limit: 2 });
      const all = await lists.list(organizationId, { limit: 100 });
      expect(all.items.filter(({ isOptedOut }) => isOptedOut).map(({ id }) => id)).toEqual(out);
      expect(all.items.filter(({ isOptedOut }) => !isOptedOut).map(({ id }) => id)).toEqual(others);
      return out.map((id) => ids.indexOf(id)).sort();
    };

    await cover(1, '*');
    expect(await optedOut()).toEqual([1]);
    await channel('cchannel1');
    await cover(2, 'cchannel1');
    await cover(3, 'cchannel1', '*');
    expect(await optedOut()).toEqual([1, 2, 3]);
    // A channel more: who was covered on the only one is reachable again, until that is covered as well.
    await channel('cchannel2');
    await cover(4, 'cchannel2', 'cchannel1');
    expect(await optedOut()).toEqual([1, 3, 4]);
    const shown = (await lists.list(organizationId, { limit: 100 })).items.toReversed();
    expect(shown.map(({ optedOutChannelIds }) => optedOutChannelIds)).toEqual([
      [],
      [],
      ['cchannel1'],
      ['cchannel1'],
      ['cchannel1', 'cchannel2'],
      [],
    ]);
  });
});

/** The id of the contact with that number of the filled organization. */
async function cursorAt(number: number): Promise<string> {
  const { items } = await lists.list(MANY_OF, { cursor: `cmw${number.toString(16).padStart(6, '0')}z`, limit: 1 });
  return items[0]?.id ?? '';
}
