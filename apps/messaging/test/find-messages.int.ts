import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { messageStatuses } from '@switchboard/contracts/messaging/message-facts';
import type { FindMessagesRequest } from '@switchboard/contracts/messaging/rpc';
import { blocksOf, nodesOf, planOf, preparedStatements, testServers } from '@switchboard/testing';
import fc from 'fast-check';
import { FindMessagesHandler } from '../src/find-messages/find-messages.handler.js';
import { MessageSearchRepository } from '../src/find-messages/message-search.repository.js';
import type { MessageRow } from '../src/message/message-view.js';
import { TestInbox } from './test-inbox.js';
import { Budget } from '@switchboard/nats';

const servers = testServers();
const ALL: FindMessagesRequest = {
  limit: 25,
  cursor: null,
  status: null,
  direction: null,
  conversationId: null,
  contactId: null,
  messagingChannelId: null,
  jobId: null,
  clientReference: null,
  createdFrom: null,
  createdBefore: null,
};
/** By what each walk goes, and how many of its arms are merged: the values that the story's messages are drawn from. */
const COUNTS = { channels: 2, contacts: 3, jobs: 2, references: 2 };

describe('the search for messages', () => {
  let inbox: TestInbox;
  let search: MessageSearchRepository;
  let messages: MessageRow[];
  const channels: string[] = [];
  const contacts = Array.from({ length: COUNTS.contacts }, () => newCuid());
  const jobs = Array.from({ length: COUNTS.jobs }, () => newCuid());
  const references = ['order 4711', '😀'];

  beforeAll(async () => {
    inbox = await TestInbox.open(servers);
    for (let n = 0; n < COUNTS.channels; n++) channels.push((await inbox.addChannel()).id);
    await addPartitions(inbox, 3);
    const conversations = new Map<string, string>();
    for (const id of contacts) {
      await inbox.addContact(null, 1, id);
      for (const channel of channels) {
        const conversation = await inbox.touch({ id: channel, organizationId: inbox.organizationId } as never, id);
        conversations.set(`${channel} ${id}`, conversation);
      }
    }
    const random = seeded(7);
    const rows = Array.from({ length: 400 }, (_, n) => {
      const [channel, contact] = [pick(random, channels), pick(random, contacts)];
      const status = pick(random, messageStatuses);
      const isJobs = status !== 'RECEIVED' && random() < 0.4;
      return {
        // Two days in three months, several messages of one millisecond.
        ageMs: Math.floor(random() * 3) * 30 * 86_400_000 + Math.floor(random() * 50) * 3_600_000,
        tail: String(n).padStart(16, '0'),
        conversation: conversations.get(`${channel} ${contact}`),
        contact,
        channel,
        direction: status === 'RECEIVED' ? 'INBOUND' : 'OUTBOUND',
        status,
        job: isJobs ? pick(random, jobs) : null,
        reference: random() < 0.5 ? pick(random, references) : null,
      };
    });
    await inbox.superuser.dataSource.query(
      `INSERT INTO messaging.message (organization_id, id, conversation_id, contact_id, channel_id, direction, type, text,
         status, job_id, recipient_index, client_reference)
       SELECT owner, messaging.cuid_floor(now() - r."ageMs" * interval '1 ms') || r.tail, r.conversation, r.contact,
         r.channel, r.direction, 'TEXT', 'x', r.status, r.job, CASE WHEN r.job IS NOT NULL THEN 0 END, r.reference
       FROM jsonb_to_recordset($2::jsonb) AS r("ageMs" bigint, tail text, conversation text, contact text, channel text,
         direction text, status text, job text, reference text), unnest($1::text[]) AS owner`,
      [[inbox.organizationId, newCuid()], JSON.stringify(rows)],
    );
    search = new MessageSearchRepository(inbox.database);
    messages = await search.find(inbox.organizationId, ALL, 1_000);
  });

  it('finds what each combination of filters says, newest first, each once, in pages of any size', async () => {
    expect(messages).toHaveLength(400);
    expect(messages.map(({ id }) => id)).toEqual(
      messages
        .map(({ id }) => id)
        .sort()
        .reverse(),
    );
    const times = messages.map(({ id }) => new Date(parseInt(id.slice(1, 9), 36)).toISOString());
    const filter = fc.record({
      status: fc.option(fc.constantFrom(...messageStatuses)),
      direction: fc.option(fc.constantFrom('OUTBOUND' as const, 'INBOUND' as const)),
      messagingChannelId: fc.option(fc.constantFrom(...channels, newCuid())),
      contactId: fc.option(fc.constantFrom(...contacts, newCuid()), { freq: 1 }),
      conversationId: fc.option(fc.constantFrom(...new Set(messages.map((one) => one.conversationId))), { freq: 1 }),
      jobId: fc.option(fc.constantFrom(...jobs, newCuid()), { freq: 1 }),
      clientReference: fc.option(fc.constantFrom(...references, 'none'), { freq: 1 }),
      createdFrom: fc.option(fc.constantFrom(...times), { freq: 1 }),
      createdBefore: fc.option(fc.constantFrom(...times), { freq: 1 }),
    });
    await fc.assert(
      fc.asyncProperty(filter, fc.integer({ min: 1, max: 100 }), async (filters, limit) => {
        const expected = messages.filter((message) => passes(message, filters)).map(({ id }) => id);
        expect(await walk({ ...ALL, ...filters }, limit)).toEqual(expected);
      }),
      { numRuns: 150 },
    );
  });

  it('finds every message before, and none after, a moment that no id can carry', async () => {
    const ids = messages.map(({ id }) => id);
    for (const far of ['2060-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z']) {
      expect(await walk({ ...ALL, createdBefore: far }, 100)).toEqual(ids);
      expect(await walk({ ...ALL, createdFrom: far }, 100)).toEqual([]);
    }
    expect(await walk({ ...ALL, createdFrom: '0000-01-01T00:00:00.000Z' }, 100)).toEqual(ids);
    expect(await walk({ ...ALL, createdBefore: '0000-01-01T00:00:00.000Z' }, 100)).toEqual([]);
  });

  it('shows nothing of another organization, whatever is named', async () => {
    const handler = new FindMessagesHandler(search);
    const principal = inbox.ofAnotherOrganization().principal;
    const [first] = messages;
    for (const filters of [
      {},
      { contactId: contacts[0] },
      { conversationId: first?.conversationId },
      { jobId: jobs[0] },
    ]) {
      const request = { ...ALL, ...(filters as Partial<FindMessagesRequest>) };
      expect(await handler.find({ principal, request, budget: new Budget(60_000) })).toEqual({ items: [] });
    }
  });

  async function walk(request: FindMessagesRequest, limit: number): Promise<string[]> {
    const shown: string[] = [];
    for (let cursor: string | null = null; ;) {
      const rows: MessageRow[] = await search.find(inbox.organizationId, { ...request, cursor }, limit);
      shown.push(...rows.map(({ id }) => id));
      if (rows.length < limit) return shown;
      cursor = rows.at(-1)?.id ?? null;
    }
  }
});

describe('a walk through messages', () => {
  /** Its filter, the statement it goes by, and the one index that it may use. */
  const walks: readonly [string, Partial<FindMessagesRequest>, string, string][] = [
    ['all', {}, 'messaging.message.find', 'message_pkey'],
    ['a status', { status: 'FAILED' }, 'messaging.message.find-branches', 'message_branch'],
    ['a channel', { messagingChannelId: 'cchannel' }, 'messaging.message.find-branches', 'message_branch'],
    ['a conversation', { conversationId: 'rare' }, 'messaging.message.find-of-conversation', 'message_page'],
    ['a contact', { contactId: 'crare' }, 'messaging.message.find-of-contact', 'message_page'],
    ['a reference', { clientReference: 'rare' }, 'messaging.message.find-of-reference', 'message_reference'],
    ['a job', { jobId: 'crarejob', status: 'FAILED' }, 'messaging.message.find-of-job', 'message_job'],
  ];

  it('goes by its index alone and reads what it shows, however many messages there are, with statistics or without', async () => {
    const inbox = await TestInbox.open(servers);
    const { organizationId } = inbox;
    const channel = await inbox.addChannel();
    await addPartitions(inbox, 35);
    await expectWalks(inbox, channel.id, null);
    // What is rare lies behind all the rest.
    const conversation = await inbox.touch(channel, 'crare');
    const rare = { conversation, contact: 'crare', status: 'FAILED', job: 'crarejob', reference: 'rare' };
    const loud = { conversation: 'loud', contact: 'cloud', status: 'READ', job: 'cloudjob', reference: 'loud' };
    for (const [kind, count, daysAgo] of [
      [loud, 40_000, 0],
      [rare, 3, 100],
    ] as const) {
      await inbox.superuser.dataSource.query(
        `INSERT INTO messaging.message (organization_id, id, conversation_id, contact_id, channel_id, direction, type, text,
           status, job_id, recipient_index, client_reference)
         SELECT $1, messaging.cuid_floor(now() - make_interval(days => $2) - n * interval '1 second') || lpad(n::text, 16, '0'),
           $4, $5, $6, 'OUTBOUND', 'TEXT', 'x', $7, $8, 0, $9 FROM generate_series(1, $3::int) AS n`,
        [
          organizationId,
          daysAgo,
          count,
          kind.conversation,
          kind.contact,
          channel.id,
          kind.status,
          kind.job,
          kind.reference,
        ],
      );
    }
    await expectWalks(inbox, channel.id, conversation);
    await inbox.superuser.dataSource.query('VACUUM ANALYZE messaging.message');
    await expectWalks(inbox, channel.id, conversation);
  });

  async function expectWalks(inbox: TestInbox, channelId: string, conversationId: string | null): Promise<void> {
    const database = await inbox.prepared.database({ poolMax: 1 });
    const search = new MessageSearchRepository(database);
    const parents: { name: string; parent: string }[] = await inbox.superuser.dataSource.query(
      `SELECT c.relname AS name, p.relname AS parent FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       JOIN pg_class p ON p.oid = i.inhparent WHERE p.relkind = 'I'`,
    );
    const parentOf = new Map(parents.map(({ name, parent }) => [name, parent]));
    for (const [walk, filter, name, index] of walks) {
      const request = { ...ALL, ...filter };
      if (filter.messagingChannelId) request.messagingChannelId = channelId;
      if (filter.conversationId) request.conversationId = conversationId ?? 'rare';
      await search.find(inbox.organizationId, request, 26);
      const statement = (await preparedStatements(database)).find((one) => one.name === name);
      if (!statement) throw new Error(`${name} was not prepared`);
      const values = literals(inbox.organizationId, request);
      const nodes = nodesOf(await planOf(database, statement, { values }));
      const used = nodes.flatMap((node) => (node['Index Name'] ? [parentOf.get(node['Index Name'])] : []));
      expect([walk, [...new Set(used.filter((parent) => parent !== undefined))]]).toEqual([walk, [index]]);
      if (conversationId === null) continue;
      const plan = await planOf(database, statement, { values, analyze: true });
      // A merged branch looks into each of 39 months, where the others stop in the newest.
      expect([walk, blocksOf(plan) < 600]).toEqual([walk, true]);
    }
  }

  /** The parameters of a walk as SQL, in their order. */
  function literals(organizationId: string, request: FindMessagesRequest): string[] {
    const { status, direction, messagingChannelId, contactId, conversationId, jobId, clientReference } = request;
    const filters = [status, direction, messagingChannelId, contactId, conversationId, jobId, clientReference];
    const asked = status === null ? messageStatuses : [status];
    const text = (value: string | null): string => (value === null ? 'NULL' : `'${value}'`);
    return [text(organizationId), "'d'", "''", '26', ...filters.map(text), `'{${asked.join()}}'`];
  }
});

/** Partitions of messages as a platform has them that is so many months old. */
async function addPartitions(inbox: TestInbox, months: number): Promise<void> {
  await inbox.superuser.dataSource.query(
    `SELECT messaging.ensure_partition('message', month, month + interval '1 month', to_char(month, 'YYYYMM'))
     FROM generate_series(date_trunc('month', now() AT TIME ZONE 'UTC') - make_interval(months => $1),
       date_trunc('month', now() AT TIME ZONE 'UTC') - interval '2 months', interval '1 month') AS month`,
    [months],
  );
}

function passes(message: MessageRow, filters: Omit<FindMessagesRequest, 'limit' | 'cursor'>): boolean {
  const at = new Date(parseInt(message.id.slice(1, 9), 36)).toISOString();
  const { messagingChannelId, createdFrom, createdBefore, ...same } = filters;
  const equal = Object.entries({ ...same, channelId: messagingChannelId }).every(
    ([field, value]) => value === null || Reflect.get(message, field) === value,
  );
  return equal && (createdFrom === null || at >= createdFrom) && (createdBefore === null || at < createdBefore);
}

/** Uniform in [0, 1), the same at every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

function pick<Value>(random: () => number, values: readonly Value[]): Value {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error('there is nothing to pick');
  return value;
}
