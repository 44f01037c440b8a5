import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ContactView } from '@switchboard/contracts/contacts/http';
import type { ListContactsRequest } from '@switchboard/contracts/contacts/rpc';
import type { Page } from '@switchboard/contracts/grammar/page';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import type { RpcClient } from '@switchboard/nats';
import type { Database } from '@switchboard/postgres';
import { testServers } from '@switchboard/testing';
import fc from 'fast-check';
import { costOf, type StatementCost } from '../../test/statement-cost.js';
import { ChannelDirectory } from '../channel/channel-directory.js';
import { ChannelRepository } from '../channel/channel.repository.js';
import { foldForSearch, searchTextOf } from '../contact/contact.policy.js';
import { storeContacts } from '../contact/contact-store.js';
import { migrations } from '../migrations/index.js';
import { fillContacts } from '../seed.js';
import { ContactListRepository } from './contact-list.repository.js';
import { ListContacts } from './list-contacts.js';
import { gramsQuery, searchTerm } from './search.policy.js';

const servers = testServers();
const MANY = 30_000;
const [MANY_OF, FEW_OF] = ['cmanycontacts', 'cfewcontacts'];
const CHANNELS = ['cchannel1', 'cchannel2'];

let database: Database;
let superuser: Database;
let listContacts: ListContacts;
let repository: ContactListRepository;

beforeAll(async () => {
  const prepared = await servers.serviceDatabase('contacts', migrations);
  [database, superuser] = [await prepared.database(), await prepared.superuser()];
  const channels = new ChannelRepository(database);
  repository = new ContactListRepository(database);
  const nobody = { call: () => Promise.reject(new Error('messaging was asked')) } as unknown as RpcClient;
  listContacts = new ListContacts(repository, channels, new ChannelDirectory(channels, nobody));
  const client = superuser.dataSource.createQueryRunner();
  await fillContacts((sql, values) => client.query(sql, [...values]), {
    organizationId: MANY_OF,
    contacts: MANY,
    channelIds: CHANNELS,
  });
  await client.release();
});

function list(organizationId: string, request: Partial<ListContactsRequest> = {}): Promise<Page<ContactView>> {
  const nothing = { limit: 25, cursor: null, search: null, phone: null, isOptedOut: null };
  return listContacts.execute(systemPrincipal(organizationId, 'test'), { ...nothing, ...request });
}

async function walk(organizationId: string, request: Partial<ListContactsRequest> = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null | undefined = null; cursor !== undefined;) {
    const page: Page<ContactView> = await list(organizationId, { ...request, cursor });
    expect(page.items.length > 0 || page.nextCursor === undefined).toBe(true);
    ids.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  return ids;
}

/** Stores contacts with the names given, oldest first. @returns their ids */
async function insert(
  organizationId: string,
  parts: readonly { readonly name?: string | null; readonly phone?: string; readonly email?: string | null }[],
): Promise<string[]> {
  const writes = parts.map(({ name = null, phone = '', email = null }) => {
    const own = { organizationId, id: newCuid(), phone, name, email, messagingId: '', aliases: phone ? [phone] : [] };
    return { before: null, after: { ...own, optOuts: [], heard: null, version: 1, updatedAt: new Date() } };
  });
  await database.transaction((tx) => storeContacts(tx, writes));
  return writes.map(({ after }) => after.id);
}

describe('pages', () => {
  it('hold every contact that was there at the start exactly once, newest first, whatever is inserted meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 30 }),
        async (count, limit, insertsPerPage) => {
          const organizationId = newCuid();
          const atStart = await insert(organizationId, Array(count).fill({ name: 'a' }));
          const seen: string[] = [];
          for (let cursor: string | null | undefined = null, page = 0; cursor !== undefined; page++) {
            const [answer]: [Page<ContactView>, unknown] = await Promise.all([
              list(organizationId, { limit, cursor }),
              insert(organizationId, Array(insertsPerPage[page] ?? 0).fill({ name: 'b' })),
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
    const [id = ''] = await insert(FEW_OF, [{ name: 'Only here' }]);
    expect((await list(FEW_OF, { cursor: `${id}0` })).items.map((contact) => contact.id)).toEqual([id]);
    expect(await list(FEW_OF, { cursor: 'c0000000' })).toEqual({ items: [] });
    expect(await list(newCuid())).toEqual({ items: [] });
  });

  it.each<[string, Partial<ListContactsRequest>]>([
    ['all', {}],
    ['those not opted out', { isOptedOut: false }],
    ['a frequent term', { search: 'example' }],
  ])('of %s cost on page 1,000 what page 1 costs', async (_what, request) => {
    const [first, deep] = [null, await cursorAt(MANY - 25 * 999)];
    const [costOfFirst, costOfDeep] = [
      await cost({ ...request, cursor: first }),
      await cost({ ...request, cursor: deep }),
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
    const ids = await insert(organizationId, Array(6).fill({ name: 'a' }));
    const cover = async (index: number, ...of: string[]): Promise<void> => {
      for (const channelId of of) {
        await superuser.dataSource.query(
          `INSERT INTO contacts.opt_out (organization_id, id, contact_id, channel_id, source) VALUES ($1, $2, $3, $4, 'API')`,
          [organizationId, newCuid(), ids[index], channelId],
        );
      }
      const coverage = of.includes('*') ? -1 : of.length;
      const values = [coverage, organizationId, ids[index]];
      await superuser.dataSource.query(
        'UPDATE contacts.contact SET coverage = $1 WHERE organization_id = $2 AND id = $3',
        values,
      );
    };
    const channel = (id: string): Promise<unknown> =>
      superuser.dataSource.query('INSERT INTO contacts.channel (organization_id, id) VALUES ($1, $2)', [
        organizationId,
        id,
      ]);
    const optedOut = async (): Promise<number[]> => {
      const out = await walk(organizationId, { isOptedOut: true, limit: 2 });
      const others = await walk(organizationId, { isOptedOut: false, limit: 2 });
      const all = await list(organizationId, { limit: 100 });
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
    const shown = (await list(organizationId, { limit: 100 })).items.toReversed();
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

describe('search', () => {
  const letters = fc.constantFrom(
    ...'aAbBé',
    'e\u0301',
    'ж',
    'Ж',
    'ß',
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
        const ids = await insert(
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
          expect(await walk(organizationId, { search: term })).toEqual(expected);
          const stretch = { organizationId, cursor: null, coverages: null };
          const read = searchTerm(organizationId, term);
          const indexed = await repository.search(stretch, read, gramsQuery(read, new Map()), 100);
          expect(indexed.map(({ id }) => id)).toEqual(expected);
        }
      }),
      { numRuns: 40 },
    );
  });

  it.each([
    ['frequent', 'an'],
    ['rare', 'karezen'],
    ['in another script', 'ольга к'],
    ['of digits', '+12010020'],
    ['of one character', '3'],
    ['of two rare characters', 'Ë '],
    ['that nothing holds', 'qqq'],
  ])('walks pages of a term that is %s and repeats or loses nothing', async (_what, search) => {
    const all: { id: string; name: string; phone: string; email: string }[] = await superuser.dataSource.query(
      'SELECT id, name, phone, email FROM contacts.contact WHERE organization_id = $1 ORDER BY id DESC',
      [MANY_OF],
    );
    const expected = all.filter((contact) => searchTextOf(contact).includes(foldForSearch(search))).map(({ id }) => id);
    expect(await walk(MANY_OF, { search, limit: 100 })).toEqual(expected);
    const optedOut = await walk(MANY_OF, { search, isOptedOut: true, limit: 7 });
    const everyThousandth = (id: string): boolean => Number.parseInt(id.slice(3, 9), 16) % 1_000 === 0;
    expect(optedOut).toEqual(expected.filter(everyThousandth));
  });

  it('finds those of a phone in every written form of it, and narrows them by the other filters', async () => {
    const organizationId = newCuid();
    const [id = ''] = await insert(organizationId, [{ name: 'Ana', phone: '+12015550111' }]);
    const find = async (request: Partial<ListContactsRequest>): Promise<string[]> =>
      (await list(organizationId, { phone: '(+1) 201-555-0111', ...request })).items.map((contact) => contact.id);
    expect(await find({})).toEqual([id]);
    expect(await find({ search: 'NA', isOptedOut: false })).toEqual([id]);
    expect(await find({ search: 'bo' })).toEqual([]);
    expect(await find({ isOptedOut: true })).toEqual([]);
    expect(await find({ cursor: id })).toEqual([]);
    expect(await find({ phone: '+12015550112' })).toEqual([]);
  });

  it('asks the index only for what is rare, and reads little either way', async () => {
    expect((await cost({ search: 'example' })).statements).toEqual(['contacts.list.walk']);
    const rare = await cost({ search: 'karezen' });
    expect(rare.statements).toEqual([
      'contacts.list.walk',
      'contacts.list.end',
      'contacts.list.sample',
      'contacts.list.search',
    ]);
    const whole = await superuser.dataSource.query(`SELECT pg_relation_size('contacts.contact') / 8192 AS pages`);
    expect(rare.buffers).toBeLessThan(Number(whole[0].pages));
  });
});

/** A page of the filled organization, and what it cost. */
function cost(request: Partial<ListContactsRequest>): Promise<StatementCost<Page<ContactView>>> {
  return costOf(database, () => list(MANY_OF, request));
}

/** The id of the contact with that number of the filled organization. */
async function cursorAt(number: number): Promise<string> {
  const { items } = await list(MANY_OF, { cursor: `cmw${number.toString(16).padStart(6, '0')}z`, limit: 1 });
  return items[0]?.id ?? '';
}
