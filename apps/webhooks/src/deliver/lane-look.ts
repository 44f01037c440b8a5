import { isTimedOut, type Database } from '@switchboard/postgres';
import {
  nextLaneIds,
  recentlyWaitingLanes,
  waitingLanes,
  waitingLanesOf,
  type WaitingLane,
} from '../lane/waiting-lanes.repository.js';

/** So many times as long as it took a look rests: it is quick, or it takes a thirtieth of a core. */
const RESTS = 30;
/** Of one that had to wait for a connection besides. */
const REST_MAX_MS = 30_000;
/** Lanes that are looked at one by one when they cannot be looked at together. */
const SLICE_MAX = 256;
/** Of a slice that could not be read in its time the next has so many times less. */
const SHRINKS = 8;

/** Whose lanes are looked at. */
export interface LaneLookSpec {
  readonly database: Pick<Database, 'transaction'>;
  readonly worker: string;
  /** A part was not read in its time; the look goes on with the others. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * The net below the wake-ups: finds webhooks with something pending that no wake-up has reported.
 *
 * Each look is at everything while that is quick. Behind an old snapshot it is not, since the indexes keep an entry of all that was
 * delivered: then most looks are at what was stored lately, whose cost does not grow with them, and everything is looked at as it can be
 * afforded: as a whole, and if that takes longer than it may, slice by slice, each where the last has ended. A
 * webhook whose entries alone take longer waits for its next event, or the end of the snapshot.
 */
export class LaneLook {
  private wholeAtMs = -Infinity;
  /** The last look at everything did not come to its end. */
  private isCutShort = false;
  private recentAtMs = -Infinity;
  private sliceAtMs = -Infinity;
  private sliceMax = SLICE_MAX;
  /** The last webhook that was looked at by slices. */
  private after = '';

  constructor(private readonly spec: LaneLookSpec) {}

  /** @param known webhooks of the worker of which something is pending; what is stored of their lanes is wanted all the same */
  async look(known: readonly string[]): Promise<readonly WaitingLane[]> {
    const { database, worker } = this.spec;
    if (performance.now() >= this.wholeAtMs) {
      const whole = await this.timed('wholeAtMs', () => waitingLanes(database, worker));
      this.isCutShort = whole === null;
      if (whole) return whole;
    }
    let recent: readonly WaitingLane[] = [];
    if (performance.now() >= this.recentAtMs) {
      recent = (await this.timed('recentAtMs', () => recentlyWaitingLanes(database, worker, known))) ?? [];
    }
    if (!this.isCutShort || performance.now() < this.sliceAtMs) return recent;
    const found = new Set(recent.map(({ webhookId }) => webhookId));
    return [...recent, ...(await this.slice(new Set([...known, ...found])))];
  }

  /** @param except webhooks that need no look */
  private async slice(except: ReadonlySet<string>): Promise<readonly WaitingLane[]> {
    const { database, worker } = this.spec;
    const ids = await nextLaneIds(database, this.after, this.sliceMax);
    const asked = ids.filter((id) => !except.has(id));
    const waiting = await this.timed('sliceAtMs', () => waitingLanesOf(database, worker, asked));
    // One that cannot be read by itself is passed by.
    if (waiting || ids.length === 1) this.after = ids.length < this.sliceMax ? '' : (ids.at(-1) ?? '');
    this.sliceMax = waiting
      ? Math.min(this.sliceMax * 2, SLICE_MAX)
      : Math.ceil(Math.min(ids.length, this.sliceMax) / SHRINKS);
    return waiting ?? [];
  }

  /** Looks and notes when such a look may be next. @returns null when it was not read in its time */
  private async timed(
    next: 'wholeAtMs' | 'recentAtMs' | 'sliceAtMs',
    look: () => Promise<readonly WaitingLane[]>,
  ): Promise<readonly WaitingLane[] | null> {
    const startedMs = performance.now();
    const waiting = await look().catch((error: unknown) => {
      // Without a database it took no time of it, and is due again as soon as there is one.
      if (!isTimedOut(error)) throw error;
      this.spec.onFailure(error);
      return null;
    });
    const endedMs = performance.now();
    this[next] = endedMs + Math.min((endedMs - startedMs) * RESTS, REST_MAX_MS);
    return waiting;
  }
}
