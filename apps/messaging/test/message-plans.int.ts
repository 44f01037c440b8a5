import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Database } from '@switchboard/postgres';
import {
  blocksOf,
  nodesOf,
  planOf,
  preparedStatements,
  testServers,
  type PreparedStatement,
} from '@switchboard/testing';
import type { Channel } from '../src/channel/channel.entity.js';
import { ConversationRepository } from '../src/conversation/conversation.repository.js';
import { claimRetries, unclaim } from '../src/dispatch/retry-claim.repository.js';
import { MessagePageRepository } from '../src/list-messages/message-page.repository.js';
import { Message } from '../src/message/message.entity.js';
import { MessageRepository } from '../src/message/message.repository.js';
import { recordProgress } from '../src/message/record-progress.js';
import { acceptMessages } from '../src/send-message/accept-message.batch.js';
import { failExpired } from '../src/settle-overdue/settle-overdue.js';
import { wakeSnoozed } from '../src/wake-snoozed/wake-snoozed.js';
import { TestInbox } from './test-inbox.js';

const servers = testServers();
/** Of the statement that reads a page of a conversation's messages. */
const PAGE = 'messaging.message.page';
/** Those that look rows up by their keys, on the ways of sends, callbacks and conversations. */
const BY_KEY = [
  'messaging.message.judge',
  'messaging.message.lock',
  'messaging.message.lock-free',
  'messaging.dispatch.expired',
  'messaging.message.progress',
  'messaging.conversation.sequence',
  'messaging.conversation.find',
  'messaging.conversation.lock',
  'messaging.conversation.move',
  'messaging.conversation.wake',
];
/** Those that look contacts and their phones up by their keys. */
const BY_PHONE = [
  'messaging.contact.hold-by-phones',
  'messaging.contact.hold-phones',
  'messaging.message.judge',
  'messaging.dispatch.claim',
  'messaging.dispatch.judge',
];
/** What a statement may look up by its key. */
const KEYED = /^(message_\d+|conversation|contact)$/;

describe('statements on conversations and the partitions of messages', () => {
  let inbox: TestInbox;
  let channel: Channel;
  const contactId = newCuid();

  beforeAll(async () => {
    inbox = await TestInbox.open(servers);
    channel = await inbox.addChannel();
    await inbox.addContact('Ada', 1, contactId);
    // Three years of partitions, as a platform has them that is not new.
    await inbox.superuser.dataSource.query(`
      SELECT messaging.ensure_partition('message', month, month + interval '1 month', to_char(month, 'YYYYMM'))
      FROM generate_series(date_trunc('month', now() AT TIME ZONE 'UTC') - interval '35 months',
        date_trunc('month', now() AT TIME ZONE 'UTC') - interval '2 months', interval '1 month') AS month`);
  });

  /** A new connection that has planned every statement which reads or changes a message by its key, and the page. */
  async function planned(): Promise<{ readonly database: Database; readonly statements: PreparedStatement[] }> {
    const database = await inbox.prepared.database({ entities: [Message], poolMax: 1 });
    const { organizationId } = inbox;
    const [messageId, phone] = [newCuid(), (await inbox.addContact()).phone];
    const request = {
      organizationId,
      messageId,
      channelId: channel.id,
      phone,
      text: 'x',
      clientReference: null,
      metadata: null,
      messagesPerMonth: null,
      lease: 'l',
      traceparent: null,
    };
    await database.transaction((tx) => acceptMessages(tx, [request]));
    const due = "UPDATE messaging.dispatch SET state = 'RETRY', due_at = now() WHERE message_id = $1";
    await inbox.superuser.dataSource.query(due, [messageId]);
    await claimRetries(database, [], { limit: 64, organizationMax: 16, underway: new Map() }, 'l');
    await unclaim(database, ['l']);
    await failExpired(database, 10, new Date());
    const fact = { type: 'sent' } as const;
    const report = { organizationId, messageId, fact, upstreamMessageId: null, traceparent: null };
    await database.transaction((tx) => recordProgress(tx, [report]));
    const { conversationId } = await new MessageRepository(database).find(organizationId, messageId).then(known);
    await new ConversationRepository(database).find(organizationId, conversationId);
    await inbox.change(conversationId, 'CLOSED', null, database);
    await database.transaction((tx) => wakeSnoozed(tx, 10));
    const page = { conversationId: newCuid(), limit: 25, cursor: null };
    await new MessagePageRepository(database).list(organizationId, page, 26);
    return { database, statements: await preparedStatements(database) };
  }

  /** Conversation n of so many gets every n-th message; ids spread over the months from `months` ago until now. */
  async function fill(messages: number, conversations: number, months: number): Promise<void> {
    await inbox.superuser.dataSource.query(
      `INSERT INTO messaging.message (organization_id, id, conversation_id, contact_id, channel_id, direction, type, text,
         status)
       SELECT $1, messaging.cuid_floor(now() - n * make_interval(months => $4) / $2) || lpad(n::text, 16, '0'),
         'conversation' || n % $3, $5, $6, 'INBOUND', 'TEXT', 'text', 'RECEIVED' FROM generate_series(1, $2::int) AS n`,
      [inbox.organizationId, messages, conversations, months, contactId, channel.id],
    );
  }

  async function expectPlans(): Promise<void> {
    const { database, statements } = await planned();
    for (const name of BY_KEY) {
      const statement = statements.find((one) => one.name === name);
      if (!statement) throw new Error(`${name} was not prepared`);
      const looks = nodesOf(await planOf(database, statement)).filter(
        (node) =>
          KEYED.test(node['Relation Name'] ?? '') &&
          node['Index Name'] !== 'conversation_snoozed' &&
          node['Index Name'],
      );
      expect(looks.length).toBeGreaterThan(0);
      for (const look of looks) {
        expect([name, look['Index Name']]).toEqual([name, `${look['Relation Name']}_pkey`]);
        expect([name, look['Index Cond']]).toEqual([name, expect.stringMatching(/organization_id = .*\bid = /)]);
      }
    }
    const judge = statements.find(({ name }) => name === 'messaging.message.judge');
    const queue = nodesOf(judge ? await planOf(database, judge) : { 'Node Type': 'none' }).filter(
      (node) => node['Relation Name'] === 'dispatch',
    );
    expect(queue.map((node) => node['Index Name']).toSorted()).toEqual(['dispatch_order', 'dispatch_repeat']);
    for (const look of queue) expect(look['Index Cond']).toMatch(/contact_id = .*message_id < /);
    for (const name of BY_PHONE) {
      const statement = statements.find((one) => one.name === name);
      if (!statement) throw new Error(`${name} was not prepared`);
      const looks = nodesOf(await planOf(database, statement)).filter((node) =>
        /^contact(_phone)?$/.test(node['Relation Name'] ?? ''),
      );
      expect(looks.length).toBeGreaterThan(0);
      for (const look of looks) {
        expect([name, look['Index Name']]).toEqual([name, `${look['Relation Name']}_pkey`]);
        expect([name, look['Index Cond']]).toEqual([
          name,
          expect.stringMatching(/organization_id = .*\b(id|phone) = /),
        ]);
      }
    }
    const page = statements.find(({ name }) => name === PAGE);
    const plan = page && (await planOf(database, page, { values: ["'corg'", "'cconversation'", "'d'", '26'] }));
    const scans = nodesOf(plan ?? { 'Node Type': 'none' }).filter((node) => node['Index Name'] !== undefined);
    expect(scans.length).toBeGreaterThanOrEqual(36);
    expect([...new Set(scans.map((node) => node['Index Name']?.replace(/_\d{6}_/, '_N_')))]).toEqual([
      'message_N_expr_id_idx',
    ]);
    // Ordered by the partitions themselves: nothing is sorted, nothing is merged.
    expect(nodesOf(plan ?? { 'Node Type': 'none' }).map((node) => node['Node Type'])).not.toContain('Sort');
  }

  it('use the whole primary key, and the page its own index, when planned on empty tables', () => expectPlans());

  it('use the same when planned without statistics on what has grown, and with statistics', async () => {
    await fill(40_000, 40, 30);
    await expectPlans();
    await inbox.superuser.dataSource.query('ANALYZE messaging.message');
    await expectPlans();
  });

  it('find an old conversation as fast behind a month that has only another one, and all of its statistics', async () => {
    const years = await TestInbox.open(servers);
    await years.superuser.dataSource.query(
      `INSERT INTO messaging.message (organization_id, id, conversation_id, contact_id, channel_id, direction, type, text,
         status)
       SELECT $1, messaging.cuid_floor(month) || lpad(n::text, 16, '0'), name, 'c', 'c', 'INBOUND', 'TEXT', 'x', 'RECEIVED'
       FROM (VALUES (now(), 'loud', 20000), (now() - interval '1 month', 'old', 100)) AS made(month, name, count),
         generate_series(1, made.count) AS n`,
      [years.organizationId],
    );
    await years.superuser.dataSource.query('VACUUM ANALYZE messaging.message');
    const database = await years.prepared.database({ poolMax: 1 });
    const request = { conversationId: 'old', limit: 25, cursor: null };
    expect(await new MessagePageRepository(database).list(years.organizationId, request, 26)).toHaveLength(26);
    const statement = (await preparedStatements(database)).find(({ name }) => name === PAGE);
    const values = [`'${years.organizationId}'`, "'old'", "'d'", '26'];
    expect(blocksOf(await planOf(database, known(statement ?? null), { values, analyze: true }))).toBeLessThan(60);
  });

  it('read for page 1,000 what they read for page 1, and of partitions that are not needed nothing', async () => {
    const { database, statements } = await planned();
    const page = statements.find(({ name }) => name === PAGE);
    if (!page) throw new Error('there is no page');
    // One conversation of 26,000 messages in the last month, and what was before.
    await inbox.superuser.dataSource.query(
      `INSERT INTO messaging.message (organization_id, id, conversation_id, contact_id, channel_id, direction, type, text,
         status)
       SELECT $1, messaging.cuid_floor(now() - n * interval '1 second') || lpad(n::text, 16, 'x'),
         'conversation1', $2, $3, 'INBOUND', 'TEXT', 'text', 'RECEIVED' FROM generate_series(1, 26000) AS n`,
      [inbox.organizationId, contactId, channel.id],
    );
    await inbox.superuser.dataSource.query('VACUUM ANALYZE messaging.message');
    const [{ id: behind }] = await inbox.superuser.dataSource.query(
      `SELECT id FROM messaging.message WHERE organization_id = $1 AND conversation_id = 'conversation1'
       ORDER BY id DESC OFFSET 24999 LIMIT 1`,
      [inbox.organizationId],
    );
    const read = async (cursor: string): Promise<{ readonly blocks: number; readonly partitions: number }> => {
      const values = [`'${inbox.organizationId}'`, "'conversation1'", `'${cursor}'`, '26'];
      const plan = await planOf(database, page, { values, analyze: true });
      const begun = nodesOf(plan).filter((node) => node['Index Name'] !== undefined);
      return { blocks: blocksOf(plan), partitions: begun.length };
    };
    await read('d');
    const [first, thousandth] = [await read('d'), await read(behind)];
    expect(thousandth.blocks).toBeLessThanOrEqual(first.blocks * 2);
    expect(first.blocks).toBeLessThan(100);
    // Three months ahead are there already and empty; the year before is never looked at.
    expect(first.partitions).toBeLessThanOrEqual(6);
    expect(thousandth.partitions).toBeLessThanOrEqual(3);
  });
});

function known<Value>(value: Value | null): Value {
  if (value === null) throw new Error('it is not there');
  return value;
}
