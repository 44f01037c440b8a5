import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';

/** Events of a batch, by whether the one before them is stored. */
export interface OrderedEvents<Event> {
  /** May be stored now, in the order given. */
  readonly ready: readonly Event[];
  /** Ids of those that come too early. */
  readonly waiting: ReadonlySet<string>;
  /** The last number of each line, once the ready ones are stored. */
  readonly reached: ReadonlyMap<string, number>;
}

/**
 * An event waits so long for the one before it, from when it occurred. What a reader that crashed had taken comes again after 30 s;
 * what is older than this misses nothing that is still on its way: a replay, or a conversation from before this record.
 */
export const PATIENCE_MS = 45_000;

/**
 * Splits events by the order of their lines: a counted one is ready when its number is the next of its line, or not higher.
 *
 * @param last the last number that is stored of each line
 * @param nowMs milliseconds since 1970
 */
export function inOrder<Event extends { readonly envelope: EventEnvelope }>(
  events: readonly Event[],
  last: ReadonlyMap<string, number>,
  nowMs: number,
): OrderedEvents<Event> {
  const reached = new Map<string, number>();
  const waiting = new Set<string>();
  const ready = events.filter(({ envelope: { id, aggregateId, sequence, occurredAt } }) => {
    if (sequence === null) return true;
    const former = reached.get(aggregateId) ?? last.get(aggregateId) ?? 0;
    if (sequence > former + 1 && nowMs - Date.parse(occurredAt) < PATIENCE_MS) {
      waiting.add(id);
      return false;
    }
    reached.set(aggregateId, Math.max(former, sequence));
    return true;
  });
  return { ready, waiting, reached };
}
