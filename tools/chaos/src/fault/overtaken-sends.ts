import type { Send } from '../ledger/ledgers.js';
import type { Arrival } from '../ledger/simulator-control.js';

/** What became of the order of sends. */
export interface Overtaken {
  /** Pairs of which the order was known to the callers. */
  readonly compared: number;
  /** A line each: a later message of a conversation reached the provider before an earlier one. */
  readonly overtaken: readonly string[];
}

/**
 * Compares the order in which messages of a conversation reached the provider with that of their callers: one send was
 * answered before the other began. Neighbours in that order are compared, by their first arrivals.
 */
export function overtakenSends(sends: readonly Send[], arrivals: readonly Arrival[]): Overtaken {
  const places = new Map<string, number>();
  arrivals.forEach(({ reference }, place) => {
    if (reference !== null && !places.has(reference)) places.set(reference, place);
  });
  const conversations = Map.groupBy(sends, ({ organizationId, to }) => `${organizationId} ${to}`);
  const overtaken: string[] = [];
  let compared = 0;
  for (const all of conversations.values()) {
    const arrivedSends = all
      .flatMap((send) => {
        const id = send.outcome.kind === 'answered' ? send.outcome.id : null;
        const place = id === null ? undefined : places.get(id);
        return id === null || place === undefined ? [] : [{ id, place, ...send }];
      })
      .toSorted((a, b) => a.startedMs - b.startedMs);
    for (const [index, later] of arrivedSends.entries()) {
      const earlier = arrivedSends.slice(0, index).findLast(({ endedMs }) => endedMs < later.startedMs);
      if (!earlier) continue;
      compared++;
      if (later.place < earlier.place) overtaken.push(`${later.id} reached the provider before ${earlier.id}`);
    }
  }
  return { compared, overtaken };
}
