import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { cuidTime } from '@switchboard/contracts/grammar/cuid';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { conversationOpened, messageAccepted } from '@switchboard/contracts/messaging/events';
import { activeTraceparent } from '@switchboard/nats';
import { appendEvents, Relay, type NewEvent } from '@switchboard/outbox';
import { Database, isTransientConflict, OutcomeUnknown, sqlState, type Transaction } from '@switchboard/postgres';
import { coalesce, type Coalesced, type Outcome } from '@switchboard/postgres/coalesce';
import { LOG, systemClock, type Log } from '@switchboard/platform';
import { conversationView } from '../conversation/conversation-view.js';
import {
  conversationIdFor,
  touchConversations,
  type ConversationTouch,
  type TouchedConversation,
} from '../conversation/touch-conversations.js';
import { holdRecipients, type Held } from '../contact/contact.repository.js';
import type { Attempt } from '../dispatch/dispatch.entity.js';
import { insertDispatches } from '../dispatch/dispatch.repository.js';
import { ReleasedLeases } from '../dispatch/released-leases.js';
import { findKeys, insertKeys, type KeyClaim, type TakenKey } from '../idempotency-key/idempotency-key.repository.js';
import { messageEventData } from '../message/message-view.js';
import { insertMessages, NO_PARTS, type NewMessage } from '../message/message.repository.js';
import { isQuotaMoved, takeQuota } from '../quota/quota.repository.js';
import { judgeMessages, type Candidate, type Verdict } from './judge-messages.repository.js';
import { allocate, claimedKeysOf } from './allocate.policy.js';

/** A text message to accept. */
export interface AcceptRequest {
  readonly organizationId: string;
  readonly messageId: string;
  readonly channelId: string | null;
  /** E.164; null when `to` is no phone number, which is answered after the channel was found. */
  readonly phone: string | null;
  readonly text: string;
  readonly clientReference: string | null;
  /** Null stands for none. */
  readonly metadata: Readonly<Record<string, string>> | null;
  /** What the organization may send in a UTC month; null: counted only. */
  readonly messagesPerMonth: number | null;
  /** Of the attempt that the message is marked with: drawn for this request, used for no other. */
  readonly lease: string;
  /** Of a send under an idempotency key. */
  readonly claim?: KeyClaim | undefined;
}

/** What became of it. `repeated`: a message of that id is stored already. `conflict`: its key is another message's. */
export type AcceptResult =
  | {
      readonly verdict: 'accepted';
      readonly conversationId: string;
      readonly attempt: Attempt;
      /** Not marked: it goes after earlier ones of its conversation. */
      readonly waits: boolean;
    }
  | { readonly verdict: 'conflict'; readonly owner: TakenKey }
  | { readonly verdict: 'repeated' }
  | { readonly verdict: Exclude<Verdict, 'accepted' | 'repeated'> };

interface AcceptItem extends AcceptRequest {
  readonly traceparent: string | null;
}

/** An item that passed, with the conversation it went into. */
interface Accepted {
  readonly item: AcceptItem;
  readonly candidate: Candidate;
  readonly message: NewMessage;
  readonly conversation: TouchedConversation;
  readonly sequence: number;
}

/** 16 names and values of 540 characters each, at 3 bytes. */
const METADATA_BYTES_MAX = 26_000;
/** Far more than concurrent batches over all replicas: the last one sees what is left. */
const QUOTA_RUNS_MAX = 20;
const CONFLICT_RUNS_MAX = 3;
const UNIQUE_VIOLATION = '23505';

/** Accepts texts: message, conversation, events and the mark of the first attempt in one transaction. */
@Injectable()
export class AcceptMessage implements BeforeApplicationShutdown {
  private readonly accept: Coalesced<AcceptItem, AcceptResult>;

  constructor(
    private readonly database: Database,
    private readonly relay: Relay,
    private readonly released: ReleasedLeases,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.accept = coalesce<AcceptItem, AcceptResult>({
      name: 'messaging.accept-message',
      run: (items) => this.run(items),
      tenant: (item) => item.organizationId,
      serialKey: (item) => `${item.organizationId} ${item.channelId ?? ''} ${item.phone ?? ''}`,
      runsAgain,
      bytes: (item) => item.text.length * 3 + METADATA_BYTES_MAX * (item.metadata ? 1 : 0),
      limits: { items: 200, bytes: 4_000_000, inFlight: 2, waiting: 10_000 },
    });
  }

  /**
   * Never repeats: the owner of the budget does, by the message's id.
   *
   * A COMMIT without an answer ends this attempt: whenever the message turns out to be stored, the background sends it.
   *
   * @throws SERVICE_UNAVAILABLE, with the message's id when it may be stored; the signal's reason, with nothing stored
   */
  async execute(request: AcceptRequest, signal: AbortSignal): Promise<AcceptResult> {
    try {
      return await this.accept({ ...request, traceparent: activeTraceparent() }, signal);
    } catch (cause) {
      const { messageId, lease } = request;
      const isInDoubt = cause instanceof OutcomeUnknown;
      if (!isInDoubt && !isQuotaMoved(cause)) throw cause;
      if (isInDoubt) {
        this.released.giveBack(lease);
        this.log.warn('message.accept-in-doubt', { messageId });
      }
      const details = { retryAfterSeconds: 1, cause, ...(isInDoubt ? { messageId } : {}) };
      throw new AppError(serviceErrors.SERVICE_UNAVAILABLE, undefined, details);
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.accept.drain();
  }

  private async run(items: readonly AcceptItem[]): Promise<Outcome<AcceptResult>[]> {
    const outcomes = await this.database.transaction((tx) => acceptMessages(tx, items), { hasShortLocks: true });
    this.relay.wake();
    return outcomes;
  }
}

/**
 * Others have committed what this batch did not see, and the next run does: a quota that was taken from (each time less is
 * left to be disputed), a key that has an owner, a message that another replica stored.
 */
function runsAgain(error: unknown, runs: number): boolean {
  if (isQuotaMoved(error)) return runs < QUOTA_RUNS_MAX;
  return runs < CONFLICT_RUNS_MAX && (isTransientConflict(error) || sqlState(error) === UNIQUE_VIOLATION);
}

/** The whole effect of a batch. */
export async function acceptMessages(tx: Transaction, items: readonly AcceptItem[]): Promise<Outcome<AcceptResult>[]> {
  const markedMs = systemClock.monotonic();
  // All in one round trip. The others see what was committed until the first had its locks.
  const [held, judged, { taken, past }] = await Promise.all([
    holdRecipients(tx, items),
    judgeMessages(tx, items),
    findKeys(tx, items.flatMap(claimedKeysOf)),
  ]);
  const heldOnes = judged.map((candidate, index) => unlessUnheld(candidate, items[index], held));
  const { candidates, conflicts, takes } = allocate(items, heldOnes, taken);
  const passed = items.flatMap((item, index) => {
    const candidate = candidates[index];
    return candidate?.verdict === 'accepted' && !conflicts.has(item) ? [{ item, candidate }] : [];
  });
  const accepted = new Map((await intoConversations(tx, passed)).map((one) => [one.item, one]));
  const all = [...accepted.values()];
  insertMessages(
    tx,
    all.map(({ message }) => message),
  );
  insertDispatches(
    tx,
    all.map(({ item, candidate }) => ({ ...attemptOf(item, candidate, markedMs), waits: candidate.waits })),
  );
  insertKeys(
    tx,
    all.flatMap(({ item }) => claimedKeysOf(item)),
    past,
  );
  appendEvents(tx, all.flatMap(eventsOf));
  // Last, because from there on every other send of the organization waits for this COMMIT.
  takeQuota(tx, takes);
  return items.map((item, index) => {
    const candidate = candidates[index];
    const owner = conflicts.get(item);
    if (owner) return { ok: { verdict: 'conflict', owner } };
    if (!candidate) return { error: new Error('an item has no verdict') };
    const { verdict } = candidate;
    if (verdict !== 'accepted') return { ok: { verdict } };
    const conversationId = accepted.get(item)?.conversation.id;
    if (!conversationId) return { error: new Error('an accepted item has no conversation') };
    const attempt = attemptOf(item, candidate, markedMs);
    return { ok: { verdict: 'accepted', conversationId, attempt, waits: candidate.waits } };
  });
}

/** A contact or phone that became known between the statements is not held: its sender repeats, as for an unknown one. */
function unlessUnheld(candidate: Candidate, item: AcceptItem | undefined, held: Held): Candidate {
  if (candidate.verdict !== 'accepted') return candidate;
  const isHeld = item?.phone && held.contactIds.has(candidate.contactId) && held.has({ ...item, phone: item.phone });
  return isHeld ? candidate : { ...candidate, verdict: 'contact-unknown' };
}

/** Groups what passed by conversation, touches each once, and numbers its messages in the order given. */
async function intoConversations(
  tx: Transaction,
  passed: readonly { readonly item: AcceptItem; readonly candidate: Candidate }[],
): Promise<Accepted[]> {
  const groups = Map.groupBy(passed, ({ item, candidate }) =>
    conversationKey(item.organizationId, candidate.channelId, candidate.contactId),
  );
  const conversations = await touchConversations(tx, [...groups.values()].flatMap(touchOf));
  return conversations.flatMap((conversation) => {
    const { organizationId, channelId, contactId, eventSequence } = conversation;
    const group = groups.get(conversationKey(organizationId, channelId, contactId)) ?? [];
    return group.map(({ item, candidate }, index) => ({
      item,
      candidate,
      conversation,
      sequence: eventSequence - group.length + index + 1,
      message: {
        organizationId,
        id: item.messageId,
        conversationId: conversation.id,
        contactId,
        channelId,
        direction: 'OUTBOUND' as const,
        type: 'TEXT' as const,
        unsupportedType: null,
        text: item.text,
        status: 'QUEUED' as const,
        upstreamMessageId: null,
        traceparent: item.traceparent,
        ...NO_PARTS,
        clientReference: item.clientReference,
        metadata: item.metadata,
      },
    }));
  });
}

function touchOf(group: readonly { readonly item: AcceptItem; readonly candidate: Candidate }[]): ConversationTouch[] {
  const [first] = group;
  if (!first) return [];
  const lastMessageId = group.reduce((last, { item }) => (item.messageId > last ? item.messageId : last), '');
  return [
    {
      organizationId: first.item.organizationId,
      channelId: first.candidate.channelId,
      contactId: first.candidate.contactId,
      newId: conversationIdFor(lastMessageId),
      lastMessageId,
      lastMessageAt: cuidTime(lastMessageId),
      messages: group.length,
      reopens: false,
    },
  ];
}

function conversationKey(organizationId: string, channelId: string, contactId: string): string {
  return `${organizationId} ${channelId} ${contactId}`;
}

function attemptOf(item: AcceptItem, candidate: Candidate, markedMs: number): Attempt {
  return {
    organizationId: item.organizationId,
    messageId: item.messageId,
    channelId: candidate.channelId,
    contactId: candidate.contactId,
    recipientPhone: item.phone ?? candidate.contactPhone,
    attempts: 1,
    lease: item.lease,
    text: item.text,
    template: null,
    phoneNumberId: candidate.phoneNumberId,
    accessTokenSealed: candidate.accessTokenSealed,
    contactMessagingId: candidate.contactMessagingId,
    markedMs,
  };
}

/** `conversation.opened` comes before the message that opened it. */
function eventsOf({ item, candidate, message, conversation, sequence }: Accepted): NewEvent<unknown>[] {
  const common = {
    organizationId: item.organizationId,
    aggregateId: conversation.id,
    occurredAt: cuidTime(item.messageId),
    traceparent: item.traceparent,
  };
  const stored = { ...message, errorCode: null, errorMessage: null, attemptedAt: null, sentAt: null };
  const data = messageEventData({ ...stored, deliveredAt: null, readAt: null, failedAt: null });
  const accepted: NewEvent<unknown> = { ...common, event: messageAccepted, sequence, data };
  // Created just now: its opening is event 1, and its first message event 2.
  if (!conversation.opened || sequence !== 2) return [accepted];
  const opened = { conversation: conversationView({ ...conversation, ...candidate, id: conversation.id }) };
  return [{ ...common, event: conversationOpened, sequence: sequence - 1, data: opened }, accepted];
}
