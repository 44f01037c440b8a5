import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { testServers } from '@switchboard/testing';
import { messageOf, MessagingStore, settlementOf, taken } from '../test/messaging-store.js';
import { conversationView } from './conversation/conversation-view.js';
import { ConversationRepository } from './conversation/conversation.repository.js';
import type { AcceptRequest } from './send-message/accept-message.batch.js';

const servers = testServers();

describe('the messaging store', () => {
  let store: MessagingStore;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
  });

  it('judges in the order of checks and stores only what it accepts', async () => {
    const sender = await store.sender();
    const verdict = async (request: Partial<AcceptRequest>): Promise<string> => {
      const [result] = await store.accept([{ ...store.request(sender), ...request }]);
      return result?.verdict ?? 'none';
    };
    expect(await verdict({ channelId: newCuid(), phone: null })).toBe('channel-not-found');
    expect(await verdict({ organizationId: newCuid() })).toBe('channel-not-found');
    expect(await verdict({ organizationId: newCuid(), channelId: null })).toBe('not-connected');
    expect(await verdict({ phone: null })).toBe('invalid-phone');
    expect(await verdict({ phone: '+14155559999' })).toBe('contact-unknown');
    expect(await store.database.dataSource.query('SELECT count(*)::int AS n FROM message')).toEqual([{ n: 0 }]);
  });

  it('leaves the same rows, numbers and events for a batch as for its items one by one', async () => {
    const sender = await store.sender(2);
    const rowsOf = async (contact: number): Promise<unknown[]> =>
      store.database.dataSource.query(
        `SELECT m.text, m.status, m.direction, c.status AS conversation, c.event_sequence, d.state, d.attempts
         FROM message m JOIN conversation c ON c.id = m.conversation_id JOIN dispatch d ON d.message_id = m.id
         WHERE m.contact_id = $1 ORDER BY m.id`,
        [sender.contacts[contact]?.id],
      );
    const batch = (contact: number): AcceptRequest[] =>
      ['a', 'b', 'c'].map((text) => ({ ...store.request(sender, contact), text }));

    await store.accept(batch(0));
    for (const request of batch(1)) await store.accept([request]);

    expect(await rowsOf(0)).toEqual(await rowsOf(1));
    const numbered = (await store.events(sender.organizationId)).filter(({ sequence }) => sequence !== null);
    const [together, alone] = [...Map.groupBy(numbered, ({ aggregateId }) => aggregateId).values()];
    expect(together?.map(summary)).toEqual(alone?.map(summary));
    expect(together?.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
  });

  it('takes a message id once, and marks it with one attempt, however often it is asked for', async () => {
    const request = store.request(await store.sender());
    expect(await store.accept([request])).toMatchObject([{ verdict: 'accepted', attempt: { lease: request.lease } }]);
    for (const lease of [request.lease, 'another']) {
      expect(await store.accept([{ ...request, lease }])).toEqual([{ verdict: 'repeated' }]);
    }
    expect(await store.dispatches(request)).toMatchObject([
      { state: 'DISPATCHING', attempts: 1, lease: request.lease },
    ]);
    const events = (await store.events(request.organizationId)).filter((event) => messageOf(event));
    expect(events.map((event) => messageOf(event)?.id)).toEqual([request.messageId]);
  });

  it('postpones only under its own lease, and refuses further sends once the upstream reported an opt-out', async () => {
    const sender = await store.sender();
    const attempt = await store.attempt(sender);
    const unknown = { state: 'unknown', reason: 'cut' } as const;
    await store.settle(settlementOf({ ...attempt, lease: 'another' }, unknown));
    expect(await store.dispatches(attempt)).toMatchObject([{ state: 'DISPATCHING' }]);
    await store.settle(settlementOf(attempt, unknown));
    expect(await store.dispatches(attempt)).toMatchObject([{ state: 'UNKNOWN' }]);

    const optedOut = { state: 'refused', kind: 'opted-out', code: '131050', message: 'stopped' } as const;
    await store.settle(settlementOf(attempt, optedOut));
    expect(await store.accept([store.request(sender)])).toEqual([{ verdict: 'opted-out' }]);
    const events = await store.events(sender.organizationId);
    expect(events.at(-1)).toMatchObject({ subject: 'messaging.opt-out.observed.v1' });
  });

  it('disconnects a channel whose token was refused, unless it was connected again with another meanwhile', async () => {
    const sender = await store.sender();
    const refused = { state: 'refused', kind: 'disconnected', code: '190', message: 'expired' } as const;
    const [late, current] = [await store.attempt(sender), store.attempt.bind(store, sender)];
    await store.connect(sender, 'a new token');
    await store.settle(settlementOf(late, refused));
    expect(await store.accept([store.request(sender)])).toMatchObject([{ verdict: 'accepted' }]);
    await store.settle(settlementOf(await current(), refused));
    expect(await store.accept([store.request(sender)])).toEqual([{ verdict: 'not-connected' }]);
  });

  it('pages conversations newest first without losing or repeating one', async () => {
    const sender = await store.sender(3);
    for (const contact of [0, 1, 2]) await store.settle(await settled(contact));
    const conversations = new ConversationRepository(store.database);
    const rows = await conversations.list(sender.organizationId, listOf(null), 100);
    const paged: string[] = [];
    for (let cursor: string | null = null; ;) {
      const [row] = await conversations.list(sender.organizationId, listOf(cursor), 1);
      if (!row) break;
      paged.push(row.id);
      cursor = row.position;
    }
    expect(rows).toHaveLength(3);
    expect(paged).toEqual(rows.map(({ id }) => id));
    expect(rows.map(({ contactId }) => contactId)).toEqual(sender.contacts.map(({ id }) => id).reverse());
    expect(await conversations.list(newCuid(), listOf(null), 100)).toEqual([]);
    expect(rows.map(conversationView)[0]).toMatchObject({ status: 'OPEN', messagingChannelId: sender.channelId });

    async function settled(contact: number): Promise<ReturnType<typeof settlementOf>> {
      const attempt = await store.attempt(sender, contact);
      return settlementOf(attempt, taken(attempt));
    }
  });
});

function listOf(cursor: string | null): Parameters<ConversationRepository['list']>[1] {
  return { limit: 1, cursor, status: null, messagingChannelId: null, contactId: null };
}

function summary(event: EventEnvelope): unknown {
  return { subject: event.subject, sequence: event.sequence, text: messageOf(event)?.text };
}
