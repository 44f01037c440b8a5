import { beforeAll, describe, expect, it } from '@jest/globals';
import { cuidFloor, newCuid } from '@switchboard/contracts/grammar/cuid';
import type { ListConversationsRequest } from '@switchboard/contracts/messaging/rpc';
import { blocksOf, nodesOf, planOf, preparedStatements, testServers } from '@switchboard/testing';
import fc from 'fast-check';
import type { Channel } from '../src/channel/channel.entity.js';
import { ConversationRepository, type ListedConversation } from '../src/conversation/conversation.repository.js';
import { TestInbox } from './test-inbox.js';

const servers = testServers();
type Filter = Pick<ListConversationsRequest, 'status' | 'messagingChannelId' | 'contactId'>;
const ALL: Filter = { status: null, messagingChannelId: null, contactId: null };

/** Something that happens to a conversation while somebody pages: which one is drawn from those that are there. */
const happening = fc.record({
  what: fc.constantFrom('insert', 'move', 'close', 'delete', 'move the last one shown', 'delete the last one shown'),
  which: fc.nat(),
});
const story = fc.record({
  /** Milliseconds between the first messages: some are of the same one. */
  ages: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 20 }),
  limit: fc.integer({ min: 1, max: 6 }),
  happenings: fc.array(fc.array(happening, { maxLength: 3 }), { minLength: 20, maxLength: 20 }),
  filter: fc.constantFrom<('status' | 'channel')[]>([], ['status'], ['channel'], ['status', 'channel']),
});

function messageIdAt(ms: number): string {
  return cuidFloor(new Date(ms)) + newCuid().slice(9);
}

describe('a walk through the list of conversations', () => {
  let first: TestInbox;
  beforeAll(async () => {
    first = await TestInbox.open(servers);
  });

  /** The outcome of a story: what was shown, and which of the first conversations never changed. */
  class Walk {
    readonly shown: ListedConversation[] = [];
    readonly touched = new Set<string>();
    readonly moved = new Set<string>();
    private readonly contacts = new Map<string, string>();
    private readonly conversations: ConversationRepository;

    constructor(
      private readonly inbox: TestInbox,
      private readonly channels: readonly [Channel, Channel],
      private readonly filter: Filter,
    ) {
      this.conversations = new ConversationRepository(inbox.database);
    }

    get ids(): string[] {
      return [...this.contacts.keys()];
    }

    async insert(channel: Channel, messageId = newCuid()): Promise<string> {
      const { id: contactId } = await this.inbox.addContact();
      const id = await this.inbox.touch(channel, contactId, messageId);
      this.contacts.set(id, contactId);
      return id;
    }

    /** One page after the other, each while things happen; then the list as it is when nothing happens any more. */
    async play(limit: number, happenings: readonly (readonly { what: string; which: number }[])[]): Promise<void> {
      for (let cursor: string | null = null, page = 0; ; page++) {
        const here: string | null = cursor;
        const [rows]: [ListedConversation[], ...unknown[]] = await Promise.all([
          this.conversations.list(this.inbox.organizationId, { ...this.filter, cursor: here, limit }, limit),
          ...(happenings[page] ?? []).map((one) => this.happen(one, here)),
        ]);
        this.shown.push(...rows);
        cursor = rows.at(-1)?.position ?? null;
        if (rows.length < limit) return;
      }
    }

    async list(): Promise<ListedConversation[]> {
      return this.conversations.list(this.inbox.organizationId, { ...this.filter, cursor: null, limit: 1_000 }, 1_000);
    }

    private async happen({ what, which }: { what: string; which: number }, cursor: string | null): Promise<void> {
      if (what === 'insert')
        return void this.touched.add(await this.insert(this.channels[which % 2] ?? this.channels[0]));
      const last = this.shown.find(({ position }) => position === cursor)?.id;
      const id = what.includes('last one') ? last : this.ids[which % this.ids.length];
      if (id === undefined) return;
      this.touched.add(id);
      const values = [this.inbox.organizationId, id];
      const { dataSource } = this.inbox.database;
      if (what.startsWith('delete')) {
        await dataSource.query('DELETE FROM conversation WHERE organization_id = $1 AND id = $2', values);
      } else if (what === 'close') {
        const sql = `UPDATE conversation SET status = 'CLOSED' WHERE organization_id = $1 AND id = $2`;
        await dataSource.query(sql, values);
      } else {
        const sql = 'SELECT channel_id AS id FROM conversation WHERE organization_id = $1 AND id = $2';
        const [channel] = await dataSource.query(sql, values);
        // A deleted one must not come back as another under its contact.
        if (!channel) return;
        await this.inbox.touch(channel, this.contacts.get(id) ?? '');
        this.moved.add(id);
      }
    }
  }

  it('repeats nothing and shows everything that did not move exactly once, whatever happens meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(story, async ({ ages, limit, happenings, filter }) => {
        const inbox = first.ofAnotherOrganization();
        const channels = [await inbox.addChannel(), await inbox.addChannel()] as const;
        const walk = new Walk(inbox, channels, {
          status: filter.includes('status') ? 'OPEN' : null,
          messagingChannelId: filter.includes('channel') ? channels[0].id : null,
          contactId: null,
        });
        const startMs = Date.now() - 60_000;
        for (const [index, age] of ages.entries()) {
          await walk.insert(
            channels[filter.includes('channel') ? 0 : index % 2] ?? channels[0],
            messageIdAt(startMs + age),
          );
        }
        const before = await walk.list();
        expect(before).toHaveLength(ages.length);

        await walk.play(limit, happenings);

        const shown = walk.shown.map(({ id }) => id);
        expect(shown).toEqual([...new Set(shown)]);
        const unmoved = before.map(({ id }) => id).filter((id) => !walk.touched.has(id));
        expect(shown.filter((id) => unmoved.includes(id))).toEqual(unmoved);
        const after = await walk.list();
        const places = after.map(({ position }) => position);
        expect(places).toEqual([...places].sort().reverse());
        // What moved, or is new, is before everything that stayed where it was.
        const stayed = after.filter(({ id, position }) =>
          before.some((row) => row.id === id && row.position === position),
        );
        expect(after.slice(after.length - stayed.length)).toEqual(stayed);
        expect(stayed.filter(({ id }) => walk.moved.has(id))).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  it('filters by status, channel and contact, alone and together, and shows the name that the contact has now', async () => {
    const inbox = first.ofAnotherOrganization();
    const [one, two] = [await inbox.addChannel(), await inbox.addChannel()];
    const [ada, eve] = [await inbox.addContact('Ada'), await inbox.addContact()];
    // A millisecond each: within one, conversations are not in the order of their messages.
    const startMs = Date.now() - 60_000;
    const made = [
      await inbox.touch(one, ada.id, messageIdAt(startMs)),
      await inbox.touch(two, ada.id, messageIdAt(startMs + 1)),
      await inbox.touch(one, eve.id, messageIdAt(startMs + 2)),
      await inbox.touch(two, eve.id, messageIdAt(startMs + 3)),
    ] as const;
    await inbox.change(made[1], 'CLOSED');
    await inbox.change(made[2], 'SNOOZED');
    const list = async (filter: Partial<Filter>): Promise<string[]> => {
      const request = { ...ALL, ...filter, cursor: null, limit: 10 };
      return (await new ConversationRepository(inbox.database).list(inbox.organizationId, request, 10)).map(
        ({ id }) => id,
      );
    };
    const [a, b, c, d] = made;
    expect(await list({})).toEqual([d, c, b, a]);
    expect(await list({ status: 'OPEN' })).toEqual([d, a]);
    expect(await list({ status: 'ARCHIVED' })).toEqual([]);
    expect(await list({ messagingChannelId: two.id })).toEqual([d, b]);
    expect(await list({ messagingChannelId: newCuid() })).toEqual([]);
    expect(await list({ messagingChannelId: two.id, status: 'CLOSED' })).toEqual([b]);
    expect(await list({ contactId: ada.id })).toEqual([b, a]);
    expect(await list({ contactId: ada.id, status: 'OPEN' })).toEqual([a]);
    expect(await list({ contactId: ada.id, messagingChannelId: two.id })).toEqual([b]);
    expect(await list({ contactId: eve.id, messagingChannelId: one.id, status: 'OPEN' })).toEqual([]);
    expect(await list({ contactId: newCuid() })).toEqual([]);

    await inbox.addContact('Ada Lovelace', 2, ada.id);
    const rows = await new ConversationRepository(inbox.database).list(
      inbox.organizationId,
      { ...ALL, contactId: ada.id, cursor: null, limit: 10 },
      10,
    );
    expect(rows.map(({ contactName }) => contactName)).toEqual(['Ada Lovelace', 'Ada Lovelace']);
    expect(
      await new ConversationRepository(inbox.database).find(inbox.ofAnotherOrganization().organizationId, a),
    ).toBeNull();
  });

  it('costs on page 1,000 what it costs on page 1, and by a rare filter no more', async () => {
    const inbox = await TestInbox.open(servers);
    const [one, two] = [await inbox.addChannel(), await inbox.addChannel()];
    const { id: contactId } = await inbox.addContact();
    await inbox.superuser.dataSource.query(
      `WITH made AS (
         SELECT n, messaging.cuid_floor(now() - n * interval '1 second') || lpad(n::text, 16, '0') AS id
         FROM generate_series(1, 30000) AS n
       ), known AS (
         INSERT INTO messaging.contact SELECT $1, id, '+' || n, n, NULL, 1 FROM made
       )
       INSERT INTO messaging.conversation (organization_id, id, channel_id, contact_id, status, position, last_message_at,
         event_sequence)
       SELECT $1, id, $2, id, 'OPEN', id, now(), 1 FROM made`,
      [inbox.organizationId, one.id],
    );
    await inbox.superuser.dataSource.query(
      'VACUUM ANALYZE messaging.conversation, messaging.contact, messaging.channel',
    );
    const database = await inbox.prepared.database({ poolMax: 1 });
    // As dear as a million rows would make a plan of one process.
    await database.dataSource.query(`SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
      SET min_parallel_index_scan_size = 0; SET min_parallel_table_scan_size = 0`);
    const conversations = new ConversationRepository(database);
    const page = { ...ALL, cursor: null, limit: 25 };
    for (const filter of [{}, { status: 'PENDING' as const }, { contactId }]) {
      await conversations.list(inbox.organizationId, { ...page, ...filter }, 26);
    }
    const statements = await preparedStatements(database);
    const read = async (name: string, cursor: string, ...more: string[]): Promise<{ blocks: number; by: string[] }> => {
      const statement = statements.find((one) => one.name === `messaging.conversation.${name}`);
      if (!statement) throw new Error(`${name} was not prepared`);
      const values = [`'${inbox.organizationId}'`, `'${cursor}'`, '26', ...more];
      const plan = await planOf(database, statement, { values, analyze: true });
      expect(nodesOf(plan).map((node) => node['Node Type'])).not.toContain('Gather Merge');
      const by = nodesOf(plan).flatMap((node) => node['Index Name'] ?? []);
      return { blocks: blocksOf(plan), by: by.filter((index) => index.startsWith('conversation')) };
    };
    const [{ position }] = await database.dataSource.query(
      'SELECT position FROM conversation WHERE organization_id = $1 ORDER BY position DESC OFFSET 24999 LIMIT 1',
      [inbox.organizationId],
    );
    const open = `'{OPEN}'`;
    for (const [name, index, ...more] of [
      ['list', 'conversation_position'],
      ['list-branches', 'conversation_branch', open, 'NULL'],
      ['list-branches', 'conversation_branch', open, `'${one.id}'`],
    ] as const) {
      await read(name, 'd', ...more);
      const [front, deep] = [await read(name, 'd', ...more), await read(name, position, ...more)];
      expect([front.by, deep.by]).toEqual([[index], [index]]);
      expect(deep.blocks).toBeLessThanOrEqual(front.blocks * 1.5);
      expect(front.blocks).toBeLessThan(200);
    }
    // Statistics that know of one channel and one status: to the planner neither makes a list any shorter.
    for (const status of ['ARCHIVED', 'PENDING']) {
      const rare = await read('list-branches', 'd', `'{${status}}'`, 'NULL');
      expect(rare).toMatchObject({ by: ['conversation_branch'] });
      expect(rare.blocks).toBeLessThan(60);
      await inbox.superuser.dataSource.query(
        `UPDATE messaging.conversation SET status = 'PENDING' WHERE right(id, 4) = '5000'`,
      );
    }
    await inbox.touch(two, contactId);
    const ofContact = await read('list-contact', 'd', open, 'NULL', `'${contactId}'`);
    expect(ofContact.by).toEqual(['conversation_of_contact']);
    expect(ofContact.blocks).toBeLessThan(20);
  });
});
