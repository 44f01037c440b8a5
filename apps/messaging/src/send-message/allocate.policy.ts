import type { ClaimedKey, KeyClaim, KeyName, TakenKey } from '../idempotency-key/idempotency-key.repository.js';
import { quotaMonthOf, type QuotaTake } from '../quota/quota.repository.js';
import type { Candidate } from '../message/judge-messages.repository.js';

/** A message to accept, with or without a key. */
interface ClaimingMessage {
  readonly organizationId: string;
  readonly messageId: string;
  readonly claim?: KeyClaim | undefined;
}

/** What the first and the last check look at. */
export interface WaitingMessage extends ClaimingMessage {
  /** What the organization may send in a UTC month; null: counted only. */
  readonly messagesPerMonth: number | null;
}

/** What became of messages, and what those that passed take: keys and quota of the same transaction. */
export interface Allocation<Message> {
  /** In the order of the messages. */
  readonly candidates: readonly Candidate[];
  /** Who has the key of a message, when another does: this comes before its candidate's verdict. */
  readonly conflicts: ReadonlyMap<Message, TakenKey>;
  readonly takes: readonly QuotaTake[];
}

/**
 * The checks in which the messages of a batch stand in each other's way, one after the other: the key first, which belongs
 * to the first that passes everything; the quota last, which does not hold the last ones. A message to an unknown phone is
 * refused where nothing is left of the quota: its contact is learnt only for a message that may pass.
 *
 * @param judged a candidate for each message, in their order
 * @param taken what is stored under their keys
 */
export function allocate<Message extends WaitingMessage>(
  messages: readonly Message[],
  judged: readonly Candidate[],
  taken: readonly TakenKey[],
): Allocation<Message> {
  const owners = new KeyOwners(taken);
  const quota = new QuotaAllocator();
  const conflicts = new Map<Message, TakenKey>();
  const candidates = judged.map((candidate, index): Candidate => {
    const message = messages[index];
    if (!message) return candidate;
    const owner = owners.otherThan(message);
    if (owner) {
      conflicts.set(message, owner);
      return candidate;
    }
    const { organizationId, messageId, messagesPerMonth: messagesMax } = message;
    const ask = { organizationId, messageId, messagesMax, used: candidate.quotaUsed };
    if (candidate.verdict === 'contact-unknown' && !quota.fits(ask)) {
      return { ...candidate, verdict: 'quota-used-up' };
    }
    if (candidate.verdict !== 'accepted') return candidate;
    if (!quota.allocate(ask)) return { ...candidate, verdict: 'quota-used-up' };
    owners.take(message);
    return candidate;
  });
  return { candidates, conflicts, takes: quota.takes };
}

/** The owners of keys while messages are accepted one after the other: a key belongs to the first that passes. */
class KeyOwners {
  private readonly owners: Map<string, TakenKey>;

  /** @param taken what is stored under the messages' keys */
  constructor(taken: readonly TakenKey[]) {
    this.owners = new Map(taken.map((key) => [nameOf(key), key]));
  }

  /** The owner of the message's key when that is another message: a stored message never conflicts with itself. */
  otherThan(message: ClaimingMessage): TakenKey | null {
    const [claimed] = claimedKeysOf(message);
    const owner = claimed && this.owners.get(nameOf(claimed));
    return owner && owner.messageId !== message.messageId ? owner : null;
  }

  /** Makes a message that has passed the owner of its key. */
  take(message: ClaimingMessage): void {
    for (const claimed of claimedKeysOf(message)) {
      this.owners.set(nameOf(claimed), { ...claimed, answer: null, ageMs: 0 });
    }
  }
}

/** The message's claim with its organization and message; none when it claims nothing. */
export function claimedKeysOf({ organizationId, messageId, claim }: ClaimingMessage): ClaimedKey[] {
  return claim ? [{ organizationId, messageId, ...claim }] : [];
}

function nameOf({ organizationId, keySha256 }: KeyName): string {
  return `${organizationId} ${keySha256}`;
}

/** A message that has passed every other check. */
export interface QuotaAsk {
  readonly organizationId: string;
  readonly messageId: string;
  /** The organization's number of messages a month; null: whoever asks knows none, it is counted only. */
  readonly messagesMax: number | null;
  /** What was seen to be used of the message's month. */
  readonly used: number;
}

/** More than a plan can hold, and still an exact number. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/**
 * Allocates what is left of quotas to messages, one after the other, as if each had come alone.
 *
 * Each is held to the number that it came with, so that a plan that changes between two of a batch counts at once.
 */
export class QuotaAllocator {
  private readonly allocated = new Map<string, QuotaTake>();

  /** Whether the message fits; then it takes one. */
  allocate(ask: QuotaAsk): boolean {
    const { key, take, leftMax } = this.next(ask);
    if (ask.used > leftMax) return false;
    this.allocated.set(key, { ...take, usedBeforeMax: Math.min(take.usedBeforeMax, leftMax) });
    return true;
  }

  /** Whether the message fits; it takes none. */
  fits(ask: QuotaAsk): boolean {
    return ask.used <= this.next(ask).leftMax;
  }

  private next({ organizationId, messageId, messagesMax }: QuotaAsk) {
    const month = quotaMonthOf(messageId);
    const key = `${organizationId} ${month}`;
    const before = this.allocated.get(key) ?? { organizationId, month, messages: 0, usedBeforeMax: UNLIMITED };
    const take: QuotaTake = { ...before, messages: before.messages + 1 };
    return { key, take, leftMax: (messagesMax ?? UNLIMITED) - take.messages };
  }

  /** What those that fit take together. */
  get takes(): readonly QuotaTake[] {
    return [...this.allocated.values()];
  }
}
