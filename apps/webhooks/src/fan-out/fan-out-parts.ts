import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';

/** Deliveries of one transaction, about: a few milliseconds of the database. */
const PART_DELIVERIES_MAX = 40;
/** Where one organization alone has events: fewer transactions, and what comes for another of its sort waits for one of them. */
const ALONE_DELIVERIES_MAX = 200;
/** Of what has time, with what is due: that is not to wait until as much again is stored. */
const ALONG_DELIVERIES_MAX = 10;
/** An organization is light that makes no more deliveries at a time. */
const LIGHT_DELIVERIES_MAX = 10;

type Enveloped = { readonly envelope: EventEnvelope };

/**
 * Chooses the events of the next transaction. An event of one webhook does not wait until the deliveries of hundreds are stored:
 * light organizations and the others have a transaction at a time each, of the organization with the fewest deliveries first.
 * Events of an organization keep their order.
 */
export class FanOutParts {
  /** Events of parts that were chosen as light. */
  private readonly light = new WeakSet<Enveloped>();

  /** @param countOf about how many deliveries an event makes; none costs a tenth of one */
  constructor(private readonly countOf: (envelope: EventEnvelope) => number) {}

  /**
   * @param underWay events of the transactions that have not ended
   * @param isDue false for an event that has time: its organization goes along with others of its sort, or waits
   * @returns not more deliveries than a part may have, one event at least; none when all have to wait for what is under way
   */
  next<Event extends Enveloped>(
    events: readonly Event[],
    underWay: readonly Event[],
    isDue: (event: Event) => boolean = () => true,
  ): readonly Event[] {
    const busy = new Set(underWay.map(({ envelope }) => envelope.organizationId));
    const loads = this.loadsOf(events, isDue);
    const free = loads.filter(({ organizationId }) => !busy.has(organizationId));
    const isBusy = (isLight: boolean): boolean => underWay.some((event) => this.light.has(event) === isLight);
    const mayBegin = (sort: boolean): boolean => free.some((load) => load.isDue && load.isLight === sort);
    const isLight = [true, false].find((sort) => !isBusy(sort) && mayBegin(sort));
    const inOrder = free
      .filter((load) => load.isLight === isLight)
      .toSorted((one, other) => Number(other.isDue) - Number(one.isDue) || one.deliveries - other.deliveries);
    const part = this.fitting(inOrder, loads.length === 1 ? ALONE_DELIVERIES_MAX : PART_DELIVERIES_MAX);
    for (const event of part) {
      if (isLight) this.light.add(event);
      else this.light.delete(event);
    }
    return part;
  }

  /** The first events that are no more deliveries than a part may have; one at least. */
  private fitting<Event extends Enveloped>(loads: readonly Load<Event>[], deliveriesMax: number): readonly Event[] {
    let [left, leftAlong] = [deliveriesMax, ALONG_DELIVERIES_MAX];
    const all = loads.flatMap(({ own, isDue }) => own.map((event) => ({ event, isDue })));
    const end = all.findIndex(({ event, isDue }) => {
      const cost = this.cost(event);
      left -= cost;
      if (!isDue) leftAlong -= cost;
      return left < 0 || leftAlong < 0;
    });
    const fitting = end === -1 ? all : all.slice(0, Math.max(end, 1));
    return fitting.map(({ event }) => event);
  }

  private loadsOf<Event extends Enveloped>(
    events: readonly Event[],
    isDue: (event: Event) => boolean,
  ): readonly Load<Event>[] {
    return [...Map.groupBy(events, ({ envelope }) => envelope.organizationId)].map(([organizationId, own]) => {
      const deliveries = own.reduce((sum, event) => sum + this.cost(event), 0);
      return { organizationId, own, deliveries, isLight: deliveries <= LIGHT_DELIVERIES_MAX, isDue: own.some(isDue) };
    });
  }

  private cost({ envelope }: Enveloped): number {
    return Math.max(this.countOf(envelope), 0.1);
  }
}

/** What an organization has to store. */
interface Load<Event> {
  readonly organizationId: string | null;
  readonly own: readonly Event[];
  readonly deliveries: number;
  readonly isLight: boolean;
  readonly isDue: boolean;
}
