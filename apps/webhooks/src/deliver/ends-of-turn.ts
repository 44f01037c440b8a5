import type { EndedRequest } from '../delivery/delivery.entity.js';

/** Ends that a turn records, and those of the turns after it; both in the order in which they came. */
export interface EndsOfTurn {
  readonly taken: EndedRequest[];
  readonly left: EndedRequest[];
}

/**
 * Divides what has ended: of hundreds of receivers that time out at the same moment a turn records few, so that what goes
 * well does not wait for them. All ends of a webhook keep their order, which decides what counts as consecutive.
 *
 * @param failingMax webhooks of which a failure is recorded
 */
export function endsOfTurn(ended: readonly EndedRequest[], max: number, failingMax: number): EndsOfTurn {
  const failing = new Set(ended.flatMap((end) => (end.result.outcome === 'SUCCEEDED' ? [] : webhookOf(end))));
  const now = new Set([...failing].slice(0, failingMax));
  const taken: EndedRequest[] = [];
  const left: EndedRequest[] = [];
  for (const end of ended) {
    const webhookId = webhookOf(end);
    const isNow = taken.length < max && (now.has(webhookId) || !failing.has(webhookId));
    (isNow ? taken : left).push(end);
  }
  return { taken, left };
}

function webhookOf({ attempt }: EndedRequest): string {
  return attempt.delivery.webhookId;
}
