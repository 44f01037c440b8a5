import type { TakenKey } from '../idempotency-key/idempotency-key.repository.js';
import { KeyHolders, type ClaimingMessage } from '../idempotency-key/key-holders.policy.js';
import { QuotaDealer } from '../quota/deal-quota.policy.js';
import type { QuotaTake } from '../quota/quota.repository.js';
import type { Candidate } from './judge-messages.repository.js';

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
