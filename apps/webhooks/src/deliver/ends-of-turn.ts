import type { MarkedAttempt } from '../delivery/delivery.entity.js';

/** Something of an attempt that a turn takes up. */
interface OfAttempt {
  readonly attempt: MarkedAttempt;
  readonly isAlone?: boolean;
}

/** Ends that a turn records, and those of the turns after it; both in the order in which they came. */
export interface EndsOfTurn<End extends OfAttempt> {
  readonly taken: End[];
  readonly left: End[];
}

/** Whose ends a turn records, and how many. */
export interface EndsAsked {
  readonly isOfTurn: (webhookId: string) => boolean;
  readonly max: number;
  readonly webhooksMax: number;
}

/**
 * Divides what has ended. All ends of a webhook keep their order, which decides what counts as consecutive. One that is to be alone is the
 * first of a turn, and the only one.
 */
export function endsOfTurn<End extends OfAttempt>(
  ended: readonly End[],
  { isOfTurn, max, webhooksMax }: EndsAsked,
): EndsOfTurn<End> {
  const webhooks = new Set<string>();
  const waiting = new Set<string>();
  const taken: End[] = [];
  const left: End[] = [];
  for (const end of ended) {
    const { webhookId } = end.attempt.delivery;
    if (webhooks.size < webhooksMax && isOfTurn(webhookId)) webhooks.add(webhookId);
    if (taken.length > 0 && (end.isAlone || taken[0]?.isAlone)) waiting.add(webhookId);
    const isTaken = taken.length < max && webhooks.has(webhookId) && !waiting.has(webhookId);
    (isTaken ? taken : left).push(end);
  }
  return { taken, left };
}
