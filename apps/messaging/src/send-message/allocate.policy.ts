import type { ClaimedKey, KeyClaim, KeyName, TakenKey } from '../idempotency-key/idempotency-key.repository.js';
import { quotaMonthOf, type QuotaTake } from '../quota/quota.repository.js';
import type { Candidate } from './judge-messages.repository.js';

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
  readonly late: ReadonlyMap<Message, TakenKey>;
  readonly takes: readonly QuotaTake[];
}

/**
 * The checks in which the messages of a batch stand in each other's way, one after the other: the key first, which belongs
 * to the first that passes everything; the quota last, which does not hold the last ones.
 *
 * @param judged a candidate for each message, in their order
 * @param taken what is stored under their keys
 */
export function allocate<Message extends WaitingMessage>(
  messages: readonly Message[],
  judged: readonly Candidate[],
  taken: readonly TakenKey[],
): Allocation<Message> {
  const holders = new KeyHolders(taken);
  const quota = new QuotaDealer();
  const late = new Map<Message, TakenKey>();
  const candidates = judged.map((candidate, index): Candidate => {
    const message = messages[index];
    if (!message) return candidate;
    const holder = holders.otherThan(message);
    if (holder) late.set(message, holder);
    if (holder || candidate.verdict !== 'accepted') return candidate;
    const { organizationId, messageId, messagesPerMonth: messagesMax } = message;
    if (!quota.deal({ organizationId, messageId, messagesMax, used: candidate.quotaUsed })) {
      return { ...candidate, verdict: 'quota-used-up' };
    }
    holders.take(message);
    return candidate;
  });
  return { candidates, late, takes: quota.takes };
}

/** Whose keys are, while messages are let through one after the other: a key belongs to the first that passes. */
class KeyHolders {
  private readonly holders: Map<string, TakenKey>;

  /** @param taken what is stored under the messages' keys */
  constructor(taken: readonly TakenKey[]) {
    this.holders = new Map(taken.map((key) => [nameOf(key), key]));
  }

  /** Who has the message's key, when another does. One that is stored under its own id is never in its own way. */
  otherThan(message: ClaimingMessage): TakenKey | null {
    const [claimed] = claimedKeysOf(message);
    const holder = claimed && this.holders.get(nameOf(claimed));
    return holder && holder.messageId !== message.messageId ? holder : null;
  }

  /** The message has passed, and its key is its own. */
  take(message: ClaimingMessage): void {
    for (const claimed of claimedKeysOf(message)) {
      this.holders.set(nameOf(claimed), { ...claimed, answer: null, ageMs: 0 });
    }
  }
}

/** The message's claim with whose it is; none when it claims nothing. */
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
 * Deals what is left of quotas to messages, one after the other, as if each had come alone.
 *
 * Each is held to the number that it came with, so that a plan that changes between two of a batch counts at once.
 */
export class QuotaDealer {
  private readonly dealt = new Map<string, QuotaTake>();

  /** Whether the message fits; then it takes one. */
  deal({ organizationId, messageId, messagesMax, used }: QuotaAsk): boolean {
    const month = quotaMonthOf(messageId);
    const key = `${organizationId} ${month}`;
    const before = this.dealt.get(key) ?? { organizationId, month, messages: 0, usedBeforeMax: UNLIMITED };
    const messages = before.messages + 1;
    const leftMax = (messagesMax ?? UNLIMITED) - messages;
    if (used > leftMax) return false;
    this.dealt.set(key, { ...before, messages, usedBeforeMax: Math.min(before.usedBeforeMax, leftMax) });
    return true;
  }

  /** What those that fit take together. */
  get takes(): readonly QuotaTake[] {
    return [...this.dealt.values()];
  }
}
