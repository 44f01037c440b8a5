import type { ContactFacts } from '@switchboard/contracts/contacts/rpc';
import type { CallbackItem, UpstreamMessageItem } from '@switchboard/contracts/gateway/events';
import { cuidTime, newCuid } from '@switchboard/contracts/grammar/cuid';
import { conversationOpened, messageReceived } from '@switchboard/contracts/messaging/events';
import { appendEvents, type NewEvent } from '@switchboard/outbox';
import { statement, type Queryable, type Transaction, unnestColumns } from '@switchboard/postgres';
import type { Channel } from '../channel/channel.entity.js';
import { conversationView } from '../conversation/conversation-view.js';
import {
  conversationIdFor,
  touchConversations,
  type TouchedConversation,
} from '../conversation/touch-conversations.js';
import { messageEventData } from '../message/message-view.js';
import { monthFloor } from '../message/month-floor.js';
import { insertMessages, NO_PARTS, type NewMessage } from '../message/message.repository.js';
import { contentOf } from './inbound-content.policy.js';

/** An inbound message with its channel, its sender and the event that brought it. */
export interface InboundCallback {
  /** When it was sent, by the upstream. */
  readonly at: Date;
  readonly traceparent: string | null;
  readonly channel: Channel;
  readonly contact: ContactFacts;
  readonly callback: CallbackItem<UpstreamMessageItem>;
}

/** What a message is known by. */
export type InboundKey = Pick<InboundCallback, 'at' | 'channel' | 'callback'>;

interface NewInbound extends InboundCallback {
  readonly messageId: string;
}

/**
 * The transaction that inserts the upstream's id takes the message; a repetition finds it taken. Sorted against deadlocks.
 *
 * Repetitions name one time, and so meet in one month; two of them at the same moment, too. Whatever lies in another month (its time
 * was none that can be, or it was taken when there were no months) is looked for in those that a repetition may come from.
 */
const takeSql = statement<{ messageId: string }>(
  'messaging.inbound.take',
  `INSERT INTO upstream_message (channel_id, upstream_message_id, organization_id, message_id, month)
   SELECT t.* FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
     AS t(channel_id, upstream_message_id, organization_id, message_id, month)
   WHERE NOT EXISTS (SELECT FROM upstream_message u WHERE u.month >= $6
     AND u.channel_id = t.channel_id AND u.upstream_message_id = t.upstream_message_id)
   ORDER BY 1, 2
   ON CONFLICT DO NOTHING RETURNING message_id AS "messageId"`,
);
/** By the key, in the months in which `takeSql` looks for repetitions. */
const findTakenSql = statement<{ channelId: string; upstreamMessageId: string }>(
  'messaging.inbound.find-taken',
  `SELECT u.channel_id AS "channelId", u.upstream_message_id AS "upstreamMessageId"
   FROM unnest($1::text[], $2::text[], $3::text[]) AS given(organization_id, channel_id, upstream_message_id)
   JOIN upstream_message u ON u.month >= $4
     AND u.channel_id = given.channel_id AND u.upstream_message_id = given.upstream_message_id
     AND u.organization_id = given.organization_id`,
);
const MS_PER_DAY = 24 * 60 * 60 * 1_000;
/** A time of the upstream that is further from now is taken for none. The months in between are always there. */
const BELIEVED_MS = 28 * MS_PER_DAY;
/** The months that are searched at least: repetitions come for a week, and what is driven again later names its time. */
const REPEATED_MS = 35 * MS_PER_DAY;

/**
 * Those of the messages that were taken before: what such a message says is said, and whoever sent it was a contact then. One that is
 * taken meanwhile is not among them.
 */
export async function findTaken<Message extends InboundKey>(
  through: Queryable,
  messages: readonly Message[],
): Promise<ReadonlySet<Message>> {
  if (messages.length === 0) return new Set();
  const keys = unnestColumns(messages, [
    ({ channel }) => channel.organizationId,
    ({ channel }) => channel.id,
    ({ callback }) => callback.item.message.id,
  ]);
  const rows = await through.query(findTakenSql, [...keys, firstMonth(messages)]);
  const taken = new Set(rows.map(({ channelId, upstreamMessageId }) => `${channelId} ${upstreamMessageId}`));
  return new Set(messages.filter(({ channel, callback }) => taken.has(`${channel.id} ${callback.item.message.id}`)));
}

/**
 * Stores inbound messages once each, in their conversations, which they open.
 *
 * Those that are taken together stand in the order in which they were sent, by the upstream's seconds. One that comes after
 * later ones were taken stands behind them: ids carry the time at which we took a message, so that whoever has read a
 * conversation finds what is new at its end, and lists and cursors never go back.
 */
export async function takeInbound(tx: Transaction, callbacks: readonly InboundCallback[]): Promise<void> {
  if (callbacks.length === 0) return;
  const sorted = [...callbacks].sort((one, other) => one.at.getTime() - other.at.getTime());
  const all = sorted.map((callback): NewInbound => ({ ...callback, messageId: newCuid() }));
  const taken = await tx.query(takeSql, [
    ...unnestColumns(all, [
      ({ channel }) => channel.id,
      ({ callback }) => callback.item.message.id,
      ({ channel }) => channel.organizationId,
      'messageId',
      ({ at, messageId }) => monthOf(at, cuidTime(messageId)),
    ]),
    firstMonth(sorted),
  ]);
  const takenIds = new Set(taken.map(({ messageId }) => messageId));
  const fresh = all.filter(({ messageId }) => takenIds.has(messageId));
  const groups = Map.groupBy(fresh, ({ channel, contact }) => `${channel.organizationId} ${channel.id} ${contact.id}`);
  const conversations = await touchConversations(tx, [...groups.values()].map(touchOf));
  const stored = conversations.map((conversation) => {
    const { organizationId, channelId, contactId } = conversation;
    return { conversation, group: groups.get(`${organizationId} ${channelId} ${contactId}`) ?? [] };
  });
  insertMessages(
    tx,
    stored.flatMap(({ conversation, group }) => group.map((inbound) => messageOf(inbound, conversation))),
  );
  appendEvents(
    tx,
    stored.flatMap(({ conversation, group }) => eventsOf(group, conversation)),
  );
}

/** The first month in which repetitions of the messages may lie. */
function firstMonth(messages: readonly InboundKey[]): string {
  return monthFloor(new Date(Math.min(Date.now() - REPEATED_MS, ...messages.map(({ at }) => at.getTime()))));
}

/** @param takenAt now */
function monthOf(at: Date, takenAt: Date): string {
  const isBelieved = Math.abs(at.getTime() - takenAt.getTime()) < BELIEVED_MS;
  return monthFloor(isBelieved ? at : takenAt);
}

function touchOf(group: readonly NewInbound[]): Parameters<typeof touchConversations>[1][number] {
  const last = group.at(-1);
  if (!last) throw new Error('a group has at least one message');
  return {
    organizationId: last.channel.organizationId,
    channelId: last.channel.id,
    contactId: last.contact.id,
    newId: conversationIdFor(last.messageId),
    lastMessageId: last.messageId,
    lastMessageAt: cuidTime(last.messageId),
    messages: group.length,
    reopens: true,
  };
}

function messageOf(
  { channel, contact, callback, messageId, traceparent }: NewInbound,
  { id }: TouchedConversation,
): NewMessage {
  return {
    organizationId: channel.organizationId,
    id: messageId,
    conversationId: id,
    contactId: contact.id,
    channelId: channel.id,
    direction: 'INBOUND',
    ...contentOf(callback.item.message),
    status: 'RECEIVED',
    upstreamMessageId: callback.item.message.id,
    traceparent,
    ...NO_PARTS,
  };
}

/** One `conversation.opened` where the group opened it, then one `message.received` each, numbered in that order. */
function eventsOf(group: readonly NewInbound[], conversation: TouchedConversation): NewEvent<unknown>[] {
  const first = conversation.eventSequence - group.length + 1;
  const received = group.map((inbound, index): NewEvent<unknown> => {
    const message = messageOf(inbound, conversation);
    const unsent = { errorCode: null, errorMessage: null, attemptedAt: null, sentAt: null };
    const row = { ...message, ...unsent, deliveredAt: null, readAt: null, failedAt: null };
    return {
      event: messageReceived,
      organizationId: conversation.organizationId,
      aggregateId: conversation.id,
      sequence: first + index,
      occurredAt: cuidTime(inbound.messageId),
      data: messageEventData(row),
      traceparent: inbound.traceparent,
    };
  });
  const [opening] = group;
  if (!conversation.opened || !opening) return received;
  const { name, phone, messagingId } = opening.contact;
  const contact = { contactName: name, contactPhone: phone, contactMessagingId: messagingId };
  const opened: NewEvent<unknown> = {
    event: conversationOpened,
    organizationId: conversation.organizationId,
    aggregateId: conversation.id,
    sequence: first - 1,
    occurredAt: cuidTime(opening.messageId),
    data: { conversation: conversationView({ ...conversation, ...contact }) },
    traceparent: opening.traceparent,
  };
  return [opened, ...received];
}
