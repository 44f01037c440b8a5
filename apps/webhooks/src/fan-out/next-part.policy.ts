import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';

/** Deliveries of one transaction, about: a few milliseconds of the database. */
export const PART_DELIVERIES_MAX = 40;
/** Where one organization alone has events: fewer transactions, and what comes for another waits for one of them. */
export const ALONE_DELIVERIES_MAX = 200;

/**
 * Chooses the events of the next transaction, of the organization with the fewest deliveries first: an event of one webhook
 * does not wait until the deliveries of hundreds are stored. Events of an organization keep their order.
 *
 * @param costOf about how many deliveries an event makes; none costs a tenth of one
 * @returns one event at least, and not more deliveries than a part may have otherwise
 */
export function nextPart<Event extends { readonly envelope: EventEnvelope }>(
  events: readonly Event[],
  costOf: (envelope: EventEnvelope) => number,
  { max = PART_DELIVERIES_MAX, aloneMax = ALONE_DELIVERIES_MAX } = {},
): readonly Event[] {
  const cost = ({ envelope }: Event): number => Math.max(costOf(envelope), 0.1);
  const organizations = [...Map.groupBy(events, ({ envelope }) => envelope.organizationId).values()];
  const inOrder = organizations
    .map((own) => ({ own, deliveries: own.reduce((sum, event) => sum + cost(event), 0) }))
    .toSorted((one, other) => one.deliveries - other.deliveries)
    .flatMap(({ own }) => own);
  let left = organizations.length === 1 ? aloneMax : max;
  const end = inOrder.findIndex((event) => (left -= cost(event)) < 0);
  return end === -1 ? inOrder : inOrder.slice(0, Math.max(end, 1));
}
