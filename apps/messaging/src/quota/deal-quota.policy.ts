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

/** Who fits, in the order asked, and what they take together. */
export interface QuotaDeal {
  readonly fits: readonly boolean[];
  readonly takes: readonly QuotaTake[];
}

/** More than a plan can hold, and still an exact number. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/**
 * Deals what is left of quotas to messages in their order, as if each had come alone: the last ones do not fit.
 *
 * Each is held to the number that it came with, so that a plan that changes between two of a batch counts at once.
 */
export function dealQuota(asks: readonly QuotaAsk[]): QuotaDeal {
  const takes = new Map<string, QuotaTake>();
  const fits = asks.map(({ organizationId, messageId, messagesMax, used }) => {
    const month = quotaMonthOf(messageId);
    const key = `${organizationId} ${month}`;
    const before = takes.get(key) ?? { organizationId, month, messages: 0, usedBeforeMax: UNLIMITED };
    const messages = before.messages + 1;
    const leftMax = (messagesMax ?? UNLIMITED) - messages;
    if (used > leftMax) return false;
    takes.set(key, { ...before, messages, usedBeforeMax: Math.min(before.usedBeforeMax, leftMax) });
    return true;
  });
  return { fits, takes: [...takes.values()] };
}
