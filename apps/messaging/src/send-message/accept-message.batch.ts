import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { activeTraceparent } from '@switchboard/nats';
import { appendEvents, Relay } from '@switchboard/outbox';
import {
  Database,
  isTransientConflict,
  isUniqueViolation,
  OutcomeUnknown,
  type Transaction,
} from '@switchboard/postgres';
import { coalesce, type Coalesced, type Outcome, type RunOptions } from '@switchboard/postgres/coalesce';
import { LOG, systemClock, type Log } from '@switchboard/platform';
import { holdRecipients } from '../contact/contact.repository.js';
import type { Attempt } from '../dispatch/dispatch.entity.js';
import { insertDispatches } from '../dispatch/dispatch.repository.js';
import { ReleasedLeases } from '../dispatch/released-leases.js';
import { findKeys, insertKeys, type KeyClaim, type TakenKey } from '../idempotency-key/idempotency-key.repository.js';
import { acceptedEventsOf, enterConversations, type MessageContent } from '../message/enter-conversations.js';
import { insertMessages, NO_PARTS } from '../message/message.repository.js';
import { isQuotaMoved, takeQuota } from '../quota/quota.repository.js';
import { judgeMessages, unlessUnheld, type Candidate, type Verdict } from '../message/judge-messages.repository.js';
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

/** 16 names and values of 540 characters each, at 3 bytes. */
const METADATA_BYTES_MAX = 26_000;
/** Far more than concurrent batches over all replicas: the last one sees what is left. */
const QUOTA_RUNS_MAX = 20;
const CONFLICT_RUNS_MAX = 3;

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
      run: (items, options) => this.run(items, options),
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

  private async run(items: readonly AcceptItem[], options: RunOptions): Promise<Outcome<AcceptResult>[]> {
    const accept = (tx: Transaction): Promise<Outcome<AcceptResult>[]> => acceptMessages(tx, items);
    const outcomes = await this.database.transaction(accept, { hasShortLocks: true, ...options });
    // What the upstream answers follows within milliseconds: one turn of the relay, and one batch of each consumer, less.
    this.relay.wakeSoon();
    return outcomes;
  }
}

/**
 * Others have committed what this batch did not see, and the next run does: a quota that was taken from (each time less is
 * left to be disputed), a key that has an owner, a message that another replica stored.
 */
function runsAgain(error: unknown, runs: number): boolean {
  if (isQuotaMoved(error)) return runs < QUOTA_RUNS_MAX;
  return runs < CONFLICT_RUNS_MAX && (isTransientConflict(error) || isUniqueViolation(error));
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
  const accepted = new Map((await enterConversations(tx, passed, contentOf)).map((one) => [one.item, one]));
  const all = [...accepted.values()];
  insertMessages(
    tx,
    all.map(({ message }) => message),
  );
  insertDispatches(
    tx,
    all.map(({ item, candidate }) => ({
      ...attemptOf(item, candidate, markedMs),
      waits: candidate.waits,
    })),
  );
  insertKeys(
    tx,
    all.flatMap(({ item }) => claimedKeysOf(item)),
    past,
  );
  appendEvents(tx, all.flatMap(acceptedEventsOf));
  // Last, because from there on every other send of the organization waits for this COMMIT.
  takeQuota(tx, takes);
  return items.map((item, index) => {
    const candidate = candidates[index];
    const owner = conflicts.get(item);
    if (owner) return { ok: { verdict: 'conflict', owner }, provesNothing: true };
    if (!candidate) return { error: new Error('an item has no verdict') };
    const { verdict } = candidate;
    // It took no quota, and has no conversation: a send to a new contact ends so at first.
    if (verdict !== 'accepted') return { ok: { verdict }, provesNothing: true };
    const conversationId = accepted.get(item)?.conversation.id;
    if (!conversationId) return { error: new Error('an accepted item has no conversation') };
    const attempt = attemptOf(item, candidate, markedMs);
    return { ok: { verdict: 'accepted', conversationId, attempt, waits: candidate.waits } };
  });
}

function contentOf(item: AcceptItem): MessageContent {
  const { messageId: id, text, clientReference, metadata, traceparent } = item;
  return { ...NO_PARTS, id, type: 'TEXT', text, clientReference, metadata, traceparent };
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
    lane: null,
    phoneNumberId: candidate.phoneNumberId,
    accessTokenSealed: candidate.accessTokenSealed,
    contactMessagingId: candidate.contactMessagingId,
    markedMs,
  };
}
