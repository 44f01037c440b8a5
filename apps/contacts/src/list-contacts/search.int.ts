import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { ListContactsRequest } from '@switchboard/contracts/contacts/rpc';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { testServers } from '@switchboard/testing';
import fc from 'fast-check';
import { ContactLists, MANY_OF } from '../../test/contact-lists.js';
import { foldForSearch, searchTextOf } from '../contact/contact.policy.js';
import { contactsMigrations } from '../migrations/all.js';
import { FIRST_WALK, searchTerm } from './search.policy.js';

const servers = testServers();

let lists: ContactLists;

beforeAll(async () => {
  lists = await ContactLists.open(await servers.serviceDatabase('contacts', contactsMigrations));
});

describe('search', () => {
  const letters = fc.constantFrom(
    ...'aAbBé',
    'e\u0301',
    'ж',
    'Ж',
    'ß',
    'ẞ',
    'İ',
    'i\u0307',
    'ı',
    '😀',
    '%',
    '_',
    '\\',
    "'",
    '"',
    ' ',
    '+',
    '1',
    '@',
    '\u001e',
    '\u001f',
  );
  const text = fc.array(letters, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));

  it('finds exactly what holds the term in name, phone or email, in any case and literally, walking or by the index', async () => {
    const contact = fc.record({
      name: fc.option(text),
      email: fc.option(text),
      phone: fc.constantFrom('+12015550111', '+5215512345678', ''),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(contact, { minLength: 1, maxLength: 8 }), fc.array(text), async (contacts, terms) => {
        const organizationId = newCuid();
        // A phone has one contact; the rest of the property does not need one.
        const ids = await lists.insert(
          organizationId,
          contacts.map((one, index) => (index === 0 ? one : { ...one, phone: '' })),
        );
        for (const term of [...terms, ...contacts.flatMap(({ name }) => (name ? [name.slice(1) || name] : []))]) {
          if (!term.isWellFormed()) continue;
          const expected = contacts
            .map((one, index) => (index === 0 ? one : { ...one, phone: '' }))
            .flatMap((one, index) =>
              [one.name ?? '', one.phone, one.email ?? ''].some((field) =>
                foldForSearch(field).includes(foldForSearch(term)),
              )
                ? [ids[index]]
                : [],
            )
            .reverse();
          expect(await lists.walk(organizationId, { search: term })).toEqual(expected);
          expect(await walkIndex(organizationId, term, 100)).toEqual(expected);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('by the index walks in the order of the list, whatever segments contacts came to be in', async () => {
    const terms = ['a', 'bo', 'ana', 'nab', 'zzz'];
    const contact = fc.record({
      name: fc.constantFrom('ana', 'bob', 'anabob', 'nabo', 'x'),
      segment: fc.integer({ min: 0, max: 3 }),
      coverage: fc.integer({ min: 0, max: 1 }),
    });
    const contactsOf = fc.array(contact, { minLength: 1, maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(contactsOf, fc.integer({ min: 1, max: 5 }), async (contacts, limit) => {
        const organizationId = newCuid();
        const ids = await lists.insert(organizationId, contacts);
        await lists.superuser.dataSource.query(
          `UPDATE contacts.contact c SET ordinal = p.segment * 8192, coverage = p.coverage
           FROM unnest($2::text[], $3::int[], $4::int[]) AS p(id, segment, coverage)
           WHERE c.organization_id = $1 AND c.id = p.id`,
          [organizationId, ids, contacts.map(({ segment }) => segment), contacts.map(({ coverage }) => coverage)],
        );
        for (const term of terms) {
          const holds = ids
            .flatMap((id, n) => (contacts[n]?.name.includes(term) ? [{ id, ...contacts[n] }] : []))
            .reverse();
          expect(await walkIndex(organizationId, term, limit)).toEqual(holds.map(({ id }) => id));
          const covered = holds.filter(({ coverage }) => coverage === 1).map(({ id }) => id);
          expect(await walkIndex(organizationId, term, limit, [1])).toEqual(covered);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('puts contacts into segments in the order of their ids, however they come', async () => {
    const organizationId = newCuid();
    const [first = ''] = await lists.insert(organizationId, [{ name: 'a' }]);
    const setOrdinal = (value: number): Promise<unknown> =>
      lists.superuser.dataSource.query(
        'UPDATE contacts.contact SET ordinal = $1 WHERE organization_id = $2 AND id = $3',
        [value, organizationId, first],
      );
    await setOrdinal(8_190);
    const others = await lists.insert(organizationId, Array(100).fill({ name: 'b' }));
    const placed: { id: string; ordinal: number; segment: number }[] = await lists.superuser.dataSource.query(
      'SELECT id, ordinal, segment FROM contacts.contact WHERE organization_id = $1 ORDER BY id',
      [organizationId],
    );
    expect(placed.map(({ ordinal }) => ordinal)).toEqual([first, ...others].map((_id, n) => 8_190 + n));
    expect(placed.map(({ segment }) => segment)).toEqual([0, 0, ...Array(99).fill(1)]);
  });

  it.each([
    ['frequent', 'an'],
    ['in the oldest contacts alone', 'legacy.example'],
    ['in old ones alone, and of digits', '+49'],
    ['in a range in the middle alone', 'between'],
    ['in some of the oldest alone', 'bers1'],
    ['rare', 'karezen'],
    ['in another script', 'ольга к'],
    ['of digits', '+12010020'],
    ['of one character', '3'],
    ['of two rare characters', 'Ë '],
    ['that nothing holds', 'qqq'],
  ])('walks pages of a term that is %s and repeats or loses nothing', async (_what, search) => {
    const all: { id: string; name: string; phone: string; email: string }[] = await lists.superuser.dataSource.query(
      'SELECT id, name, phone, email FROM contacts.contact WHERE organization_id = $1 ORDER BY id DESC',
      [MANY_OF],
    );
    const expected = all.filter((contact) => searchTextOf(contact).includes(foldForSearch(search))).map(({ id }) => id);
    expect(await lists.walk(MANY_OF, { search, limit: 100 })).toEqual(expected);
    const optedOut = await lists.walk(MANY_OF, { search, isOptedOut: true, limit: 7 });
    const everyThousandth = (id: string): boolean => Number.parseInt(id.slice(3, 9), 16) % 1_000 === 0;
    expect(optedOut).toEqual(expected.filter(everyThousandth));
  });

  it.each([null, false])(
    'repeats and loses nothing that is stored while it asks, opted out: %s',
    async (isOptedOut) => {
      const organizationId = newCuid();
      const name = 'mark';
      // Matches on both sides of where the first walk ends, as near as can be.
      const ids = await lists.insert(
        organizationId,
        Array.from({ length: FIRST_WALK + 40 }, (_, n) => (n < 80 && n % 3 === 0 ? { name } : { name: 'other' })),
      );
      const matches = ids.filter((_id, n) => n < 80 && n % 3 === 0).reverse();
      const later: string[] = [];
      const real = lists.repository.end.bind(lists.repository);
      const asked = jest.spyOn(lists.repository, 'end').mockImplementation(async (...range) => {
        later.push(
          ...(await lists.insert(organizationId, [{ name }, ...Array(9).fill({ name: 'other' })])).slice(0, 1),
        );
        return real(...range);
      });
      const found = (await lists.list(organizationId, { search: name, limit: 100, isOptedOut })).items.map(
        ({ id }) => id,
      );
      asked.mockRestore();
      expect(found.filter((id) => !later.includes(id))).toEqual(matches);
      expect(new Set(found).size).toBe(found.length);
      expect(later).toHaveLength(1);
    },
  );

  it('finds those of a phone in every written form of it, and narrows them by the other filters', async () => {
    const organizationId = newCuid();
    const [id = ''] = await lists.insert(organizationId, [{ name: 'Ana', phone: '+12015550111' }]);
    const find = async (request: Partial<ListContactsRequest>): Promise<string[]> =>
      (await lists.list(organizationId, { phone: '(+1) 201-555-0111', ...request })).items.map((contact) => contact.id);
    expect(await find({})).toEqual([id]);
    expect(await find({ search: 'NA', isOptedOut: false })).toEqual([id]);
    expect(await find({ search: 'bo' })).toEqual([]);
    expect(await find({ isOptedOut: true })).toEqual([]);
    expect(await find({ cursor: id })).toEqual([]);
    expect(await find({ phone: '+12015550112' })).toEqual([]);
  });

  it('asks the index only for what the newest do not have, and reads little wherever the matches are', async () => {
    expect((await lists.cost({ search: 'example' })).statements).toEqual(['contacts.list.walk']);
    const rare = await lists.cost({ search: 'karezen' });
    expect(rare.statements).toEqual([
      'contacts.list.walk',
      'contacts.list.end',
      'contacts.list.span',
      'contacts.list.search',
    ]);
    const whole = await lists.superuser.dataSource.query(`SELECT pg_relation_size('contacts.contact') / 8192 AS pages`);
    for (const search of ['karezen', 'legacy.example', 'between', '+49', 'qqq']) {
      for (const isOptedOut of [null, true]) {
        expect((await lists.cost({ search, isOptedOut })).buffers).toBeLessThan(Number(whole[0].pages));
      }
    }
  });
});

/** All pages of a search by the index alone. */
async function walkIndex(
  organizationId: string,
  term: string,
  limit: number,
  coverages: readonly number[] | null = null,
): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = null; ;) {
    const rows = await lists.repository.search({ organizationId, cursor, coverages }, searchTerm(term), limit);
    ids.push(...rows.map(({ id }) => id));
    if (rows.length < limit) return ids;
    cursor = ids.at(-1) ?? null;
  }
}
