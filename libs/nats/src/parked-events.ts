import type { Pulled } from './delivered-event.js';

/** Events that are kept at most, and their bytes: as those of a pull. */
const EVENTS_MAX = 1_000;
const BYTES_MAX = 4 * 1024 * 1024;

interface Parked extends Pulled {
  readonly untilMs: number;
}

/** Events that wait in this process for an earlier one of their aggregate; bounded in number and bytes. */
export class ParkedEvents {
  /** By the event's id: what is delivered once more takes its own place. */
  private readonly parked = new Map<string, Parked>();
  private bytes = 0;
  private timer: NodeJS.Timeout | undefined;
  private timerMs = Infinity;

  /** @param onDue is given the events of an aggregate of which one has waited as long as it may */
  constructor(
    private readonly onDue: (events: readonly Pulled[]) => void,
    private readonly eventsMax = EVENTS_MAX,
  ) {}

  hasRoom({ message }: Pulled): boolean {
    return this.parked.size < this.eventsMax && this.bytes + message.data.length <= BYTES_MAX;
  }

  /** @returns the former delivery of the same event, which it replaces */
  put(pulled: Pulled, forMs: number): Pulled | undefined {
    const { id } = pulled.event.envelope;
    const former = this.parked.get(id);
    if (former) this.remove(former);
    const untilMs = performance.now() + forMs;
    this.parked.set(id, { ...pulled, untilMs });
    this.bytes += pulled.message.data.length;
    this.lookAt(untilMs);
    return former;
  }

  /** Takes out all events of these aggregates, those of each in the order of their numbers. */
  take(aggregateIds: ReadonlySet<string>): readonly Pulled[] {
    if (this.parked.size === 0) return [];
    return this.takeAll(({ event }) => aggregateIds.has(event.envelope.aggregateId));
  }

  /** Takes out all events, or those that are meant. */
  takeAll(isMeant: (parked: Pulled) => boolean = () => true): readonly Pulled[] {
    const taken = [...this.parked.values()].filter(isMeant);
    taken.forEach((one) => this.remove(one));
    if (this.parked.size === 0) this.stopTimer();
    return taken.toSorted((one, other) => numberOf(one) - numberOf(other));
  }

  private remove(parked: Parked): void {
    this.parked.delete(parked.event.envelope.id);
    this.bytes -= parked.message.data.length;
  }

  private lookAt(atMs: number): void {
    if (atMs >= this.timerMs) return;
    this.stopTimer();
    this.timerMs = atMs;
    this.timer = setTimeout(() => this.look(), atMs - performance.now());
  }

  private look(): void {
    this.stopTimer();
    // A timer may fire a fraction of a millisecond early.
    const nowMs = performance.now() + 1;
    const due = [...this.parked.values()].filter(({ untilMs }) => untilMs <= nowMs);
    const taken = this.take(new Set(due.map(({ event }) => event.envelope.aggregateId)));
    const nextMs = Math.min(...[...this.parked.values()].map(({ untilMs }) => untilMs));
    if (nextMs < Infinity) this.lookAt(nextMs);
    if (taken.length > 0) this.onDue(taken);
  }

  private stopTimer(): void {
    clearTimeout(this.timer);
    this.timerMs = Infinity;
  }
}

function numberOf({ event }: Pulled): number {
  return event.envelope.sequence ?? 0;
}
