import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import type { MessageView } from '@switchboard/contracts/messaging/http';
import { dumpSchema, statement, type Database } from '@switchboard/postgres';
import { goldenFile, testServers } from '@switchboard/testing';
import { ContactRepository } from './contact/contact.repository.js';
import { conversationView } from './conversation/conversation-view.js';
import { ConversationRepository } from './conversation/conversation.repository.js';
import { applySettlements } from './dispatch/settle-dispatch.batch.js';
import { Message } from './message/message.entity.js';
import { messageView } from './message/message-view.js';
import { MessageRepository } from './message/message.repository.js';
import { recordProgress } from './message/record-progress.js';
import { messagingMigrations } from './migrations/all.js';
import { seedChannels } from './seed.js';
import { acceptMessages, type AcceptRequest, type AcceptResult } from './send-message/accept-message.batch.js';
import pg from 'pg';

const servers = testServers();
const outboxSql = statement<{ payload: string }>('test.outbox', 'SELECT payload FROM outbox ORDER BY position');
const openSql = statement<{ state: string }>('test.open', 'SELECT state FROM dispatch WHERE message_id = $1');
const key = Buffer.alloc(32, 7);

describe('the messaging store', () => {
  let database: Database;
  const organizationId = newCuid();
  const channelId = newCuid();
  const phone = '+14155550100';
  const contactId = newCuid();

  beforeAll(async () => {
    const prepared = await servers.serviceDatabase('messaging', messagingMigrations);
    database = await prepared.database({ entities: [Message] });
    const superuser = new pg.Client({ connectionString: prepared.superuserUrl });
    await superuser.connect();
    await seedChannels(
      (sql, values) => superuser.query(sql, [...values]),
      [channelSeed(organizationId, channelId)],
      key,
    );
    await superuser.end();
    await new ContactRepository(database).project([contactOf(organizationId, contactId, phone)]);
  });

  it('is what schema.sql says', async () => {
    const actual = await dumpSchema(database.dataSource, 'messaging');
    expect(actual).toBe(await goldenFile(join(import.meta.dirname, '..', 'schema.sql'), actual));
  });

  it('judges in the order of checks and stores only what it accepts', async () => {
    const before = await database.dataSource.query('SELECT count(*) AS n FROM message');
    const verdict = async (request: Partial<AcceptRequest>): Promise<string> => {
      const [result] = await accept([{ ...requestOf(), ...request }]);
      return result?.verdict ?? 'none';
    };
    expect(await verdict({ channelId: newCuid(), phone: null })).toBe('channel-not-found');
    expect(await verdict({ organizationId: newCuid(), channelId })).toBe('channel-not-found');
    expect(await verdict({ organizationId: newCuid(), channelId: null })).toBe('not-connected');
    expect(await verdict({ phone: null })).toBe('invalid-phone');
    expect(await verdict({ phone: '+14155559999' })).toBe('contact-unknown');
    expect(await database.dataSource.query('SELECT count(*) AS n FROM message')).toEqual(before);
  });

  it('leaves the same rows, numbers and events for a batch as for its items one by one', async () => {
    const [one, two] = [newCuid(), newCuid()];
    const superuserRows = async (contact: string): Promise<unknown[]> =>
      database.dataSource.query(
        `SELECT m.text, m.status, m.direction, c.status AS conversation, c.event_sequence, d.state, d.attempts
         FROM message m JOIN conversation c ON c.id = m.conversation_id JOIN dispatch d ON d.message_id = m.id
         WHERE m.contact_id = $1 ORDER BY m.id`,
        [contact],
      );
    const contacts = new ContactRepository(database);
    await contacts.project([
      contactOf(organizationId, one, '+14155550111'),
      contactOf(organizationId, two, '+14155550112'),
    ]);
    const batch = (to: string): AcceptRequest[] => ['a', 'b', 'c'].map((text) => ({ ...requestOf(), phone: to, text }));

    await accept(batch('+14155550111'));
    for (const request of batch('+14155550112')) await accept([request]);

    expect(await superuserRows(one)).toEqual(await superuserRows(two));
    expect((await eventsOf(one)).map(summary)).toEqual((await eventsOf(two)).map(summary));
    expect((await eventsOf(one)).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
  });

  it('takes a message id once and still knows whose attempt it was', async () => {
    const request = requestOf();
    expect(await accept([request])).toMatchObject([{ verdict: 'accepted' }]);
    expect(await accept([request])).toMatchObject([{ verdict: 'accepted' }]);
    expect(await accept([{ ...request, lease: 'another' }])).toMatchObject([{ verdict: 'repeated' }]);
    const told = (await eventsOf(contactId)).filter((event) => idOf(event) === request.messageId);
    expect(told).toHaveLength(1);
  });

  it('settles an attempt as the upstream answered, tells each milestone once, and closes what was open', async () => {
    const request = requestOf();
    const [result] = await accept([request]);
    if (result?.verdict !== 'accepted') throw new Error('not accepted');
    const outcome = { state: 'accepted', upstreamMessageId: `wamid.${request.messageId}`, messagingId: null } as const;
    const settlement = { dispatch: result.attempt, outcome, traceparent: null };
    // A callback that overtook our own record, our record, and our record once more.
    const delivered = { type: 'delivered', at: new Date(Date.now() + 5_000) } as const;
    const report = { organizationId, messageId: request.messageId, fact: delivered, traceparent: null };
    await database.transaction((tx) =>
      recordProgress(tx, [{ ...report, upstreamMessageId: outcome.upstreamMessageId }]),
    );
    await database.transaction((tx) => applySettlements(tx, [settlement]));
    await database.transaction((tx) => applySettlements(tx, [settlement]));

    const row = await new MessageRepository(database).find(organizationId, request.messageId);
    expect(row && messageView(row)).toMatchObject({
      status: 'DELIVERED',
      upstreamMessageId: outcome.upstreamMessageId,
      sentAt: expect.any(String),
      deliveredAt: delivered.at.toISOString(),
    });
    expect(await database.query(openSql, [request.messageId])).toEqual([]);
    const told = (await eventsOf(contactId)).filter((event) => idOf(event) === request.messageId);
    expect(told.map(({ subject }) => subject)).toEqual([
      'messaging.message.accepted.v1',
      'messaging.message.sent.v1',
      'messaging.message.delivered.v1',
    ]);
  });

  it('postpones only under its own lease, and refuses further sends once the upstream told of an opt-out', async () => {
    const request = requestOf();
    const [result] = await accept([request]);
    if (result?.verdict !== 'accepted') throw new Error('not accepted');
    const dispatch = result.attempt;
    const unknown = { state: 'unknown', reason: 'cut' } as const;
    const foreign = { dispatch: { ...dispatch, lease: 'another' }, outcome: unknown, traceparent: null };
    await database.transaction((tx) => applySettlements(tx, [foreign]));
    expect(await database.query(openSql, [request.messageId])).toEqual([{ state: 'DISPATCHING' }]);
    await database.transaction((tx) => applySettlements(tx, [{ ...foreign, dispatch }]));
    expect(await database.query(openSql, [request.messageId])).toEqual([{ state: 'UNKNOWN' }]);

    const optedOut = { state: 'refused', kind: 'opted-out', code: '131050', message: 'stopped' } as const;
    await database.transaction((tx) => applySettlements(tx, [{ dispatch, outcome: optedOut, traceparent: null }]));
    expect(await accept([requestOf()])).toEqual([{ verdict: 'opted-out' }]);
  });

  it('pages conversations newest first without losing or repeating one', async () => {
    const other = newCuid();
    const rows = await new ConversationRepository(database).list(organizationId, listOf(null), 100);
    const paged: string[] = [];
    for (let cursor: string | null = null; ;) {
      const [row] = await new ConversationRepository(database).list(organizationId, listOf(cursor), 1);
      if (!row) break;
      paged.push(row.id);
      cursor = row.position;
    }
    expect(rows.length).toBeGreaterThan(2);
    expect(paged).toEqual(rows.map(({ id }) => id));
    expect(rows.map(({ position }) => position)).toEqual(
      rows
        .map(({ position }) => position)
        .sort()
        .reverse(),
    );
    expect(await new ConversationRepository(database).list(other, listOf(null), 100)).toEqual([]);
    expect(rows.map(conversationView)[0]).toMatchObject({ status: 'OPEN', messagingChannelId: channelId });
  });

  function requestOf(): AcceptRequest {
    return { organizationId, messageId: newCuid(), channelId, phone, text: 'hello', lease: newCuid() };
  }

  async function accept(requests: readonly AcceptRequest[]): Promise<AcceptResult[]> {
    const items = requests.map((request) => ({ ...request, traceparent: null }));
    const outcomes = await database.transaction((tx) => acceptMessages(tx, items));
    return outcomes.map((outcome) => {
      if ('error' in outcome) throw outcome.error;
      return outcome.ok;
    });
  }

  async function eventsOf(contact: string): Promise<EventEnvelope[]> {
    const rows = await database.query(outboxSql, []);
    const events = rows.map(({ payload }) => JSON.parse(payload) as EventEnvelope);
    const aggregates = new Set(
      events.filter((event) => messageOf(event)?.contactId === contact).map((e) => e.aggregateId),
    );
    return events.filter(({ aggregateId }) => aggregates.has(aggregateId));
  }
});

function channelSeed(organizationId: string, id: string): Parameters<typeof seedChannels>[1][number] {
  return {
    organizationId,
    id,
    name: 'support',
    phone: '+12015550181',
    businessAccountId: '1',
    phoneNumberId: '106540352242922',
    accessToken: 'token',
    defaultRegion: 'US',
    isDefault: true,
  };
}

function contactOf(
  organizationId: string,
  id: string,
  phone: string,
): Parameters<ContactRepository['project']>[0][number] {
  const messagingId = phone.slice(1);
  return { organizationId, contact: { id, phone, phoneForms: [phone], name: null, messagingId, version: 1 } };
}

function listOf(cursor: string | null): Parameters<ConversationRepository['list']>[1] {
  return { limit: 1, cursor, status: null, messagingChannelId: null, contactId: null };
}

function messageOf(event: EventEnvelope): MessageView | undefined {
  return (event.data as { message?: MessageView }).message;
}

function idOf(event: EventEnvelope): string | undefined {
  return messageOf(event)?.id;
}

function summary(event: EventEnvelope): unknown {
  return { subject: event.subject, sequence: event.sequence, text: messageOf(event)?.text };
}
