import { cuidFloor } from '@switchboard/contracts/grammar/cuid';
import type { RelayLedger, RelayState } from './relay-ledger.js';

/** How published events are made pending again. */
export interface HistoryPace {
  /** What no consumer may have had yet is among the newest: so many go at once, in their order. */
  readonly newestMax: number;
  /** What is older follows in steps between new events: consumers drop what they have applied faster than that. */
  readonly stepEvents: number;
  readonly stepMs: number;
}

/** The newest within a second or two; then 2,000 a second. */
const PACE: HistoryPace = { newestMax: 5_000, stepEvents: 500, stepMs: 250 };
/** Another host's ids may be ahead of this clock. */
const CLOCK_MARGIN_MS = 5_000;

/**
 * Makes published events pending again: the newest at once, the older ones in even steps between what is new.
 *
 * So new events wait for a second or two, whatever is kept: neither the relay nor the consumers have more of the past before them than
 * they get through. How far it has come is recorded: another relay goes on there.
 */
export class HistoryReplay {
  private events = 0;
  private steppedMs = -Infinity;
  /** What comes later is published anyway. */
  private upTo = cuidFloor(new Date(Date.now() + CLOCK_MARGIN_MS));

  /** @param after events after this id; empty: all */
  constructor(
    private readonly ledger: RelayLedger,
    private after: string,
    private readonly pace: HistoryPace = PACE,
  ) {}

  /** Makes the newest pending, where all are to go, and takes the first step. @returns as `step` */
  async begin(state: RelayState): Promise<number | null> {
    if (this.after === '') {
      const { marked, first } = await this.ledger.replayNewest(state, this.pace.newestMax);
      this.events += marked;
      this.upTo = first ?? this.upTo;
    }
    return this.step();
  }

  /** Whether this is what the record says. */
  isAt(replayFrom: string): boolean {
    return this.after === replayFrom;
  }

  /** How long until the next step. */
  get restMs(): number {
    return Math.max(0, this.steppedMs + this.pace.stepMs - performance.now());
  }

  /**
   * Makes the next older events pending.
   *
   * @returns how many were made pending in all when these were the last; null when there may be more
   */
  async step(): Promise<number | null> {
    this.steppedMs = performance.now();
    for (;;) {
      const range = { after: this.after, before: this.upTo };
      const { next, marked } = await this.ledger.replayChunk(range, this.pace.stepEvents);
      this.events += marked;
      if (next === null) return this.events;
      this.after = next;
      // Events that are pending, or given up, make no step.
      if (marked > 0) return null;
    }
  }
}
