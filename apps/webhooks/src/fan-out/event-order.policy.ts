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

/** How long events may wait for what is missing before them. */
export interface Patience {
  /** For how long an event that is ahead of its line has still to wait. @param last the last number of the line */
  restMs(envelope: EventEnvelope, last: number): number;
  /** The line has moved on in its order. */
  close(aggregateId: string): void;
}

/** For events that do not wait. */
export const NO_PATIENCE: Patience = { restMs: () => 0, close: () => undefined };

/**
 * Splits events by the order of their lines: a counted one is ready when its number is the next of its line, or not higher, or when
 * the patience for what is missing before it is over. The events of a line are given in the order of their numbers, however they
 * came.
 *
 * @param last the last number that is stored of each line
 */
export function inOrder<Event extends { readonly envelope: EventEnvelope }>(
  events: readonly Event[],
  last: ReadonlyMap<string, number>,
  patience: Patience,
): OrderedEvents<Event> {
  const reached = new Map<string, number>();
  const waiting = new Set<string>();
  const ready = sorted(events).filter(({ envelope }) => {
    const { id, aggregateId, sequence } = envelope;
    if (sequence === null) return true;
    const former = reached.get(aggregateId) ?? last.get(aggregateId) ?? 0;
    if (sequence === former + 1) patience.close(aggregateId);
    if (sequence > former + 1 && patience.restMs(envelope, former) > 0) {
      waiting.add(id);
      return false;
    }
    reached.set(aggregateId, Math.max(former, sequence));
    return true;
  });
  return { ready, waiting, reached };
}

/** Sorts the counted events of each line, within the places that they have. */
function sorted<Event extends { readonly envelope: EventEnvelope }>(events: readonly Event[]): readonly Event[] {
  const counted = events.filter(({ envelope }) => envelope.sequence !== null);
  const lines = Map.groupBy(counted, ({ envelope }) => envelope.aggregateId);
  const next = new Map(
    [...lines].map(([id, line]) => {
      const inSequence = line.toSorted((one, other) => Number(one.envelope.sequence) - Number(other.envelope.sequence));
      return [id, inSequence.values()];
    }),
  );
  return events.map((event) => {
    if (event.envelope.sequence === null) return event;
    return next.get(event.envelope.aggregateId)?.next().value ?? event;
  });
}
