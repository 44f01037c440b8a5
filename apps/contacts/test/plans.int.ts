import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import { Budget, type RpcClient } from '@switchboard/nats';
import { Relay } from '@switchboard/outbox';
import {
  blocksOf,
  FakeClock,
  nodesOf,
  planOf,
  preparedStatements,
  testServers,
  type ServiceDatabase,
} from '@switchboard/testing';
import { SecretBox } from '@switchboard/secrets';
import { ChannelDirectory } from '../src/channel/channel-directory.js';
import { ChannelRepository } from '../src/channel/channel.repository.js';
import { ChangeContacts, type ContactChange } from '../src/contact/change-contacts.js';
import { ContactRepository } from '../src/contact/contact.repository.js';
import { ContactViewRepository } from '../src/contact/contact-view.repository.js';
import { MergedContactRepository } from '../src/contact/merged-contact.repository.js';
import { createOptOut } from '../src/create-opt-out/create-opt-out.js';
import { deleteOptOut } from '../src/delete-opt-out/delete-opt-out.js';
import { ContactListRepository } from '../src/list-contacts/contact-list.repository.js';
import { HeldOptOutRepository } from '../src/held-opt-out/held-opt-out.repository.js';
import { NumberHashes } from '../src/held-opt-out/number-hash.js';
import { ListContacts } from '../src/list-contacts/list-contacts.js';
import { searchTerm } from '../src/list-contacts/search.policy.js';
import { contactsMigrations } from '../src/migrations/all.js';
import { OptOutRepository } from '../src/opt-out/opt-out.repository.js';
import { fillContacts } from '../src/seed.js';
import { upsertContact } from '../src/upsert-contact/upsert-contact.js';
import { phoneOf, input } from './contact-calls.js';

const servers = testServers();
const organizationId = 'corganization1';
const channelId = 'cchannel1';
const grownId = 'cotherorganization';
/** The phone of the first contact that `fillContacts` makes. */
const OLDEST = '+12010000007';

/** Which indexes a statement may use, by its name; several where it looks at several tables. */
const INDEXES: Readonly<Record<string, readonly string[]>> = {
  'contacts.find': [
    'contact_alias_pkey',
    'contact_pkey',
    'contact_alias_contact',
    'opt_out_contact',
    'version_floor_pkey',
    'incarnation_pkey',
  ],
  'contacts.former-alias.holders': ['former_alias_moved'],
  'contacts.change': ['contact_pkey'],
  'contacts.release-aliases': ['contact_alias_pkey'],
  'contacts.delete-opt-outs': ['opt_out_pkey'],
  'contacts.view.get': ['contact_pkey', 'channel_pkey', 'opt_out_contact'],
  'contacts.list': ['contact_pkey', 'channel_pkey', 'opt_out_contact'],
  'contacts.list-covered': ['contact_coverage', 'channel_pkey', 'opt_out_contact'],
  'contacts.list.walk': ['contact_pkey', 'channel_pkey', 'opt_out_contact'],
  'contacts.list.walk-covered': ['contact_coverage', 'channel_pkey', 'opt_out_contact'],
  'contacts.list.end': ['contact_pkey'],
  'contacts.list.end-covered': ['contact_coverage'],
  'contacts.list.search': ['contact_pkey', 'channel_pkey', 'opt_out_contact'],
  'contacts.list.of-phone': ['contact_alias_pkey', 'contact_pkey', 'channel_pkey', 'opt_out_contact'],
  'contacts.opt-out.get': ['opt_out_pkey', 'contact_pkey'],
  'contacts.opt-out.list': ['opt_out_pkey', 'contact_pkey'],
  'contacts.opt-out.list-channel': ['opt_out_channel', 'contact_pkey'],
  'contacts.opt-out.list-contacts': ['opt_out_contact', 'contact_pkey'],
  'contacts.opt-out.contacts-of': ['contact_alias_pkey'],
  'contacts.channel.find': ['channel_pkey'],
  'contacts.channel.ids': ['channel_pkey'],
};

const box = new SecretBox({ current: Buffer.alloc(32, 7), previous: null });

describe('every statement of contacts', () => {
  let prepared: ServiceDatabase;
  beforeAll(async () => (prepared = await servers.serviceDatabase('contacts', contactsMigrations)));

  /** Runs every statement once on a new connection, and reads how each was planned. */
  async function expectPlans(): Promise<void> {
    const database = await prepared.database({ poolMax: 1 });
    const channels = new ChannelRepository(database);
    const lists = new ContactListRepository(database);
    const optOuts = new OptOutRepository(
      database,
      new MergedContactRepository(database, new ContactRepository(database)),
    );
    const relay = new Relay({ database, service: 'contacts' } as unknown as ConstructorParameters<typeof Relay>[0]);
    const held = new HeldOptOutRepository(database, new NumberHashes(box));
    const contacts = new ContactRepository(database);
    const changes = new ChangeContacts(database, contacts, channels, held, relay, new FakeClock());
    const change = async (one: ContactChange<unknown>): Promise<unknown> => {
      const [outcome] = await changes.run([one]);
      return outcome && 'ok' in outcome ? outcome.ok : undefined;
    };
    const phone = phoneOf('+12015550123');
    await change(upsertContact(organizationId, { phone, name: newCuid() }, null));
    const made = await change(createOptOut(organizationId, { ...input(channelId), of: { phone } }, null));
    const { contact, optOut } = made as { contact: { id: string }; optOut: { id: string } };
    const move = (aliases: readonly string[]): ContactChange<unknown> => ({
      organizationId,
      aliases: [],
      contactIds: [contact.id],
      traceparent: null,
      decide: (ledger) => {
        const known = ledger.find(contact.id);
        if (known) ledger.change(known, { aliases });
      },
    });
    await change({ ...move([]), formerAliases: phone.aliases });
    await change(move(phone.aliases));
    await change(deleteOptOut({ organizationId, optOutId: optOut.id, contactId: contact.id }, null));
    await new ContactViewRepository(database).get(organizationId, contact.id);
    await channels.find(organizationId, channelId);
    await channels.idsOf([organizationId]);
    const directory = new ChannelDirectory(channels, {} as RpcClient);
    const page = { limit: 25, cursor: null, search: null, phone: '+12015550123', isOptedOut: true };
    await new ListContacts(lists, channels, directory).execute(
      systemPrincipal(organizationId, 'test'),
      page,
      new Budget(60_000),
    );
    for (const coverages of [null, [0, 1]]) {
      const range = { organizationId, cursor: null, coverages };
      const term = searchTerm('ana');
      await lists.list(range, 25);
      await lists.walk(range, 100, term, 25);
      await lists.end(range, 100);
      await lists.search(range, term, 25);
    }
    const filter = { cursor: null, contactId: null, messagingChannelId: null, aliases: null };
    await optOuts.get(organizationId, optOut.id);
    await optOuts.list(organizationId, filter, 25);
    await optOuts.list(organizationId, { ...filter, messagingChannelId: channelId }, 25);
    await optOuts.list(organizationId, { ...filter, aliases: phone.aliases }, 25);

    const planned: Record<string, unknown> = {};
    for (const statement of await preparedStatements(database)) {
      const expected = INDEXES[statement.name];
      if (!expected) continue;
      const nodes = nodesOf(await planOf(database, statement));
      const used = nodes.flatMap((node) => node['Index Name'] ?? []);
      const strange = used.filter((index) => !expected.includes(index));
      const whole = nodes.filter((node) => /Seq Scan|Bitmap/.test(node['Node Type']));
      planned[statement.name] = { strange, whole: whole.length, unused: expected.filter((one) => !used.includes(one)) };
    }
    expect(planned).toEqual(
      Object.fromEntries(Object.keys(INDEXES).map((name) => [name, { strange: [], whole: 0, unused: [] }])),
    );
  }

  // Plans are made anew when a table is counted, so that tables which are empty and counted do not matter for long.
  it('uses its own index when planned on tables that are new', () => expectPlans());

  /** What a search for the oldest contact's phone reads, planned as the service plans it: for any values. */
  async function blocksOfPhone(): Promise<number> {
    const database = await prepared.database({ poolMax: 1 });
    const range = { organizationId: grownId, cursor: null, coverages: null };
    const found = await new ContactListRepository(database).ofPhone(range, [OLDEST], null, 26);
    expect(found.map(({ phone }) => phone)).toEqual([OLDEST]);
    const ran = (await preparedStatements(database)).find(({ name }) => name === 'contacts.list.of-phone');
    if (!ran) throw new Error('the statement was not prepared');
    const values = [`'${grownId}'`, `'d'`, '26', `'{${OLDEST}}'`, 'NULL', 'NULL'];
    return blocksOf(await planOf(database, ran, { values, analyze: true }));
  }

  it('uses the same on what has grown, with and without statistics', async () => {
    const superuser = await prepared.superuser();
    const client = superuser.dataSource.createQueryRunner();
    const run = (sql: string, values: readonly unknown[]): Promise<unknown> =>
      sql.startsWith('ANALYZE') ? Promise.resolve() : client.query(sql, [...values]);
    await fillContacts(run, { organizationId: grownId, contacts: 20_000, channelIds: [channelId] });
    await client.release();
    await expectPlans();
    expect(await blocksOfPhone()).toBeLessThan(50);
    await superuser.dataSource.query('ANALYZE');
    await expectPlans();
    expect(await blocksOfPhone()).toBeLessThan(50);
  });
});
