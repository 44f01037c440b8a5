import type { LaneHeldReason } from '@switchboard/contracts/messaging/bulk-events';
import type { RefusalKind, UpstreamOutcome } from '../upstream/upstream.js';

/** What an outcome means for more than its message. */
export interface LaneConsequence {
  /** What is held: the lane of the job, or every lane of the channel. */
  readonly hold: { readonly whose: 'job' | 'channel'; readonly reason: LaneHeldReason } | null;
  /** The channel's pace is too fast for the upstream. */
  readonly isSlowed: boolean;
  /** What the template is by this answer. */
  readonly template: 'PAUSED' | 'DISABLED' | 'NOT_FOUND' | null;
  /** Refused for now by something that holds the job: sent again when the job goes on. */
  readonly isRepeated: boolean;
}

const NONE: LaneConsequence = { hold: null, isSlowed: false, template: null, isRepeated: false };
const TEMPLATE_HOLD = { whose: 'job', reason: 'TEMPLATE_NOT_APPROVED' } as const;

const OF_REFUSAL: Readonly<Partial<Record<RefusalKind, LaneConsequence>>> = {
  blocked: { ...NONE, hold: { whose: 'channel', reason: 'CHANNEL_BLOCKED' } },
  // The recipient's message fails; those behind it would fail likewise.
  'template-missing': { ...NONE, hold: TEMPLATE_HOLD, template: 'NOT_FOUND' },
  'template-paused': { ...NONE, hold: TEMPLATE_HOLD, template: 'PAUSED', isRepeated: true },
  'template-disabled': { ...NONE, hold: TEMPLATE_HOLD, template: 'DISABLED', isRepeated: true },
};

/** @param outcome of an attempt, of a bulk send or not: both share the channel. Source: docs/api-behaviour.md#bulk-sends-held. */
export function laneConsequenceOf(outcome: UpstreamOutcome): LaneConsequence {
  if (outcome.state === 'refused') return OF_REFUSAL[outcome.kind] ?? NONE;
  if (outcome.state !== 'not-taken') return NONE;
  if (outcome.limit === 'spam') return { ...NONE, hold: { whose: 'channel', reason: 'SPAM_LIMIT' } };
  return outcome.limit === 'throughput' ? { ...NONE, isSlowed: true } : NONE;
}
