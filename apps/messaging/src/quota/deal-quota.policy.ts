import { quotaMonthOf } from './quota.policy.js';
import type { QuotaTake } from './quota.repository.js';

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
