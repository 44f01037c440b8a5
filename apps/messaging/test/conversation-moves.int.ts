import { beforeAll, describe, expect, it } from '@jest/globals';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import type { ConversationEventData } from '@switchboard/contracts/messaging/events';
import {
  conversationStatuses,
  type ConversationStatus,
  type ConversationView,
} from '@switchboard/contracts/messaging/http';
import { createLog } from '@switchboard/platform';
import { eventually, testServers } from '@switchboard/testing';
import type { Channel } from '../src/channel/channel.entity.js';
import { isAllowedTransition } from '../src/conversation/conversation-status.policy.js';
import { conversationView } from '../src/conversation/conversation-view.js';
import { ConversationRepository } from '../src/conversation/conversation.repository.js';
import { wakeSnoozed } from '../src/wake-snoozed/wake-snoozed.js';
import { SnoozeSignal } from '../src/conversation/snooze-signal.js';
import { WakeSnoozedWorker } from '../src/wake-snoozed/wake-snoozed.worker.js';
import { TestInbox } from './test-inbox.js';

const servers = testServers();
const EVENT_OF: Readonly<Record<ConversationStatus, string>> = {
  OPEN: 'messaging.conversation.opened.v1',
  CLOSED: 'messaging.conversation.closed.v1',
  PENDING: 'messaging.conversation.updated.v1',
  SNOOZED: 'messaging.conversation.updated.v1',
  ARCHIVED: 'messaging.conversation.updated.v1',
};
/** Ways from OPEN, where every conversation begins. */
const WAYS: Readonly<Record<ConversationStatus, readonly ConversationStatus[]>> = {
  OPEN: [],
  PENDING: ['PENDING'],
  SNOOZED: ['SNOOZED'],
  CLOSED: ['CLOSED'],
  ARCHIVED: ['CLOSED', 'ARCHIVED'],
};
const pairs = conversationStatuses.flatMap((from) => conversationStatuses.map((to) => [from, to] as const));
const LATER = new Date('2999-12-31T00:00:00.000Z');

describe('moving a conversation', () => {
  let inbox: TestInbox;
  let channel: Channel;

  beforeAll(async () => {
    inbox = await TestInbox.open(servers);
    channel = await inbox.addChannel();
  });

  async function conversationIn(status: ConversationStatus): Promise<string> {
    const id = await inbox.touch(channel, (await inbox.addContact('Ada')).id);
    for (const step of WAYS[status]) await inbox.change(id, step);
    return id;
  }

  async function shown(id: string): Promise<ConversationView | null> {
    const row = await new ConversationRepository(inbox.database).find(inbox.organizationId, id);
    return row && conversationView(row);
  }

  /** The events of the conversation itself; asserts that the sequence of all its events has no gap. */
  async function emitted(id: string): Promise<EventEnvelope<ConversationEventData>[]> {
    const events = await inbox.eventsOf(id);
    // The helper's touch reserves two numbers, one of them for an opening that emits no event.
    const [first = 0] = events.map(({ sequence }) => sequence);
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => Number(first) + index));
    return events.filter(({ subject }) => subject.includes('.conversation.')) as EventEnvelope<ConversationEventData>[];
  }

  it.each(pairs)('from %s to %s by hand does what the table says, and emits one event', async (from, to) => {
    const id = await conversationIn(from);
    const [before, emittedBefore] = [await shown(id), await emitted(id)];
    if (!isAllowedTransition(from, to)) {
      const refused = inbox.change(id, to);
      await expect(refused).rejects.toMatchObject({
        code: 'INVALID_TRANSITION',
        message: `A conversation cannot move from ${from} to ${to}`,
      });
      expect([await shown(id), await emitted(id)]).toEqual([before, emittedBefore]);
      return;
    }
    const after = await inbox.change(id, to);
    expect(after).toEqual({ ...before, status: to });
    expect(await shown(id)).toEqual(after);
    const news = (await emitted(id)).slice(emittedBefore.length);
    const by = { type: 'key', keyId: 'ckey0001' };
    if (from === to) expect(news).toEqual([]);
    else expect(news).toMatchObject([{ subject: EVENT_OF[to], data: { conversation: after, change: { from, by } } }]);
  });

  it('snoozes until a time in the future, takes a new one, and none', async () => {
    const id = await conversationIn('OPEN');
    expect(await inbox.change(id, 'SNOOZED', LATER)).toMatchObject({ snoozedUntil: LATER.toISOString() });
    const earlier = new Date('2998-01-01T00:00:00.123Z');
    expect(await inbox.change(id, 'SNOOZED', earlier)).toMatchObject({ snoozedUntil: '2998-01-01T00:00:00.123Z' });
    expect(await inbox.change(id, 'SNOOZED', earlier)).toEqual(await shown(id));
    expect(await emitted(id)).toHaveLength(2);
    expect(await inbox.change(id, 'SNOOZED')).toMatchObject({ status: 'SNOOZED', snoozedUntil: null });
    await inbox.change(id, 'SNOOZED', LATER);
    expect(await inbox.change(id, 'PENDING')).toMatchObject({ status: 'PENDING', snoozedUntil: null });
    const past = inbox.change(id, 'SNOOZED', new Date(Date.now() - 1));
    await expect(past).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      message: '`snoozedUntil` must be in the future',
    });
  });

  it("knows nothing of another organization's conversation", async () => {
    const id = await conversationIn('OPEN');
    await expect(inbox.ofAnotherOrganization().change(id, 'CLOSED')).rejects.toMatchObject({
      code: 'CONVERSATION_NOT_FOUND',
    });
    expect(await shown(id)).toMatchObject({ status: 'OPEN' });
  });

  it.each([...conversationStatuses])('an inbound message opens it or leaves it: %s', async (status) => {
    const contact = await inbox.addContact();
    await inbox.receive(channel, contact, 'first');
    const id = await inbox.touch(channel, contact.id);
    for (const step of WAYS[status]) await inbox.change(id, step, step === 'SNOOZED' ? LATER : null);
    const emittedBefore = (await inbox.eventsOf(id)).length;
    await inbox.receive(channel, contact, 'second', 'third');
    const reopened = status === 'PENDING' || status === 'SNOOZED' || status === 'CLOSED';
    const now = status === 'ARCHIVED' ? 'ARCHIVED' : 'OPEN';
    expect(await shown(id)).toMatchObject({ status: now, snoozedUntil: null });
    const news = (await inbox.eventsOf(id)).slice(emittedBefore);
    expect(news.map(({ subject }) => subject.split('.').slice(1, 3).join('.'))).toEqual([
      ...(reopened ? ['conversation.opened'] : []),
      'message.received',
      'message.received',
    ]);
    if (reopened) expect(news[0]?.data).toEqual({ conversation: await shown(id) });
    // Whatever became of the snooze, nothing is left that could end.
    expect(await inbox.database.transaction((tx) => wakeSnoozed(tx, 100))).toEqual([]);
  });

  it('stays in line under changes, inbound messages and ends of snoozes all at once', async () => {
    const contact = await inbox.addContact();
    await inbox.receive(channel, contact, 'first');
    const id = await inbox.touch(channel, contact.id);
    const before = (await inbox.eventsOf(id)).length;
    const changes = Array.from({ length: 40 }, async (_, index) => {
      const status = conversationStatuses[index % conversationStatuses.length] ?? 'OPEN';
      // Some of these snoozes end while the others are under way.
      const until = status === 'SNOOZED' ? new Date(Date.now() + 200) : null;
      await inbox.change(id, status, until).catch((error: unknown) => expect(error).toMatchObject({ status: 400 }));
    });
    const messages = Array.from({ length: 20 }, (_, index) => inbox.receive(channel, contact, `text ${index}`));
    const wakes = Array.from({ length: 20 }, () => inbox.database.transaction((tx) => wakeSnoozed(tx, 10)));
    await Promise.all([...changes, ...messages, ...wakes]);

    const events = (await inbox.eventsOf(id)).slice(before);
    const numbers = events.map(({ sequence }) => Number(sequence));
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
    expect(events.filter(({ subject }) => subject.includes('message.received'))).toHaveLength(20);
    // Each event was true when it was emitted: applied in order, they end in the state of the row.
    let status: ConversationStatus = 'OPEN';
    for (const { subject, data } of events as EventEnvelope<ConversationEventData>[]) {
      if (!subject.includes('.conversation.')) continue;
      expect(data.change?.from ?? status).toBe(status);
      expect(subject).toBe(EVENT_OF[data.conversation.status]);
      status = data.conversation.status;
    }
    expect(await shown(id)).toMatchObject({ status });
  });

  it('wakes what is due and nothing else, each once, however many look at the same time', async () => {
    await inbox.superuser.dataSource.query('DELETE FROM messaging.conversation');
    const ids: string[] = [];
    for (let count = 0; count < 30; count++) ids.push(await conversationIn('OPEN'));
    const [still, ...due] = ids;
    for (const id of ids) await inbox.change(id, 'SNOOZED', LATER);
    await inbox.superuser.dataSource.query(
      `UPDATE messaging.conversation SET snoozed_until = now() - interval '1 ms' WHERE id = ANY($1)`,
      [due],
    );
    const rounds = await Promise.all(
      Array.from({ length: 16 }, () => inbox.database.transaction((tx) => wakeSnoozed(tx, 4))),
    );
    expect(rounds.flat()).toHaveLength(due.length);
    // By the database's clock, from the time that was set to the transaction that ended it.
    for (const lateMs of rounds.flat()) expect(lateMs).toBeGreaterThanOrEqual(1);
    for (const id of due) {
      const [, opened, ...more] = await emitted(id);
      const by = { type: 'system', name: 'wake-snoozed' };
      expect(opened).toMatchObject({
        subject: EVENT_OF.OPEN,
        data: { conversation: await shown(id), change: { from: 'SNOOZED', by } },
      });
      expect([more, await shown(id)]).toEqual([[], expect.objectContaining({ status: 'OPEN', snoozedUntil: null })]);
    }
    expect(await shown(still ?? '')).toMatchObject({ status: 'SNOOZED', snoozedUntil: LATER.toISOString() });
  });

  it('wakes more than one transaction can take by several at once, each conversation once', async () => {
    const crowd = inbox.ofAnotherOrganization();
    const [line, contact] = [await crowd.addChannel(), await crowd.addContact()];
    await inbox.superuser.dataSource.query('DELETE FROM messaging.conversation');
    // A conversation for each channel; its foreign keys are to the contact alone.
    await inbox.superuser.dataSource.query(SNOOZED_NOW, [crowd.organizationId, 2_600, line.id, contact.id]);
    let [underWay, most] = [0, 0];
    const transaction: typeof inbox.database.transaction = async (work) => {
      most = Math.max(most, ++underWay);
      return inbox.database.transaction(work).finally(() => underWay--);
    };
    const log = createLog('messaging', { write: () => undefined });
    const worker = new WakeSnoozedWorker({ transaction }, { wake: () => undefined }, log, new SnoozeSignal());
    worker.onApplicationBootstrap();
    const count = async (sql: string): Promise<number> => (await inbox.superuser.dataSource.query(sql))[0].n;
    await eventually(async () => (await count(SNOOZED_COUNT)) === 0);
    await worker.onModuleDestroy();
    expect([most, underWay]).toEqual([3, 0]);
    expect(await count(OPENED_COUNT)).toBe(2_600);
  });
});

const SNOOZED_NOW = `
  INSERT INTO messaging.conversation (organization_id, id, channel_id, contact_id, status, position, last_message_at,
    event_sequence, snoozed_until)
  SELECT $1, 'crowd' || n, $3 || n, $4, 'SNOOZED', 'crowd' || n, now(), 1, now() FROM generate_series(1, $2::int) AS n`;
const SNOOZED_COUNT = "SELECT count(*)::int AS n FROM messaging.conversation WHERE status = 'SNOOZED'";
const OPENED_COUNT = `
  SELECT count(DISTINCT aggregate_id)::int AS n FROM messaging.outbox
  WHERE aggregate_id LIKE 'crowd%' HAVING count(DISTINCT aggregate_id) = count(*)`;
