import { dealQuota } from '../quota/deal-quota.policy.js';
import type { QuotaTake } from '../quota/quota.repository.js';
import type { Candidate } from './judge-messages.repository.js';

/** What the last check looks at. */
export interface QuotaItem {
  readonly organizationId: string;
  readonly messageId: string;
  /** What the organization may send in a UTC month; null: counted only. */
  readonly messagesPerMonth: number | null;
}

/**
 * The last check: refuses, of what has passed all others, the last ones that the quota does not hold any more.
 *
 * @param judged a candidate for each item, in their order
 * @returns the same with what is refused; and what the accepted ones take, which must be taken in the same transaction
 */
export function withinQuota(
  items: readonly QuotaItem[],
  judged: readonly Candidate[],
): { readonly candidates: readonly Candidate[]; readonly takes: readonly QuotaTake[] } {
  const passed = items.flatMap((item, index) => {
    const candidate = judged[index];
    return candidate?.verdict === 'accepted' ? [{ item, candidate }] : [];
  });
  const { fits, takes } = dealQuota(
    passed.map(({ item: { organizationId, messageId, messagesPerMonth }, candidate }) => ({
      organizationId,
      messageId,
      messagesMax: messagesPerMonth,
      used: candidate.quotaUsed,
    })),
  );
  const refused = new Set(passed.filter((_one, index) => !fits[index]).map(({ candidate }) => candidate));
  const candidates = judged.map((candidate): Candidate =>
    refused.has(candidate) ? { ...candidate, verdict: 'quota-used-up' } : candidate,
  );
  return { candidates, takes };
}
