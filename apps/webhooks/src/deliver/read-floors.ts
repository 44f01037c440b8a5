import type { PendingDeliveries, PendingDelivery } from '../delivery/delivery.entity.js';

/** Where the reading of each part begins; times are milliseconds by the database's clock. */
export interface PendingFloors {
  /** Position of first attempts that are no replay. */
  readonly firsts: number;
  /** Position of first attempts of replays. */
  readonly replays: number;
  /** When a retry is due. */
  readonly retries: number;
  /** Until when the lease of a mark lasts. */
  readonly marked: number;
}

/** All is read. */
const NO_FLOORS: PendingFloors = { firsts: 0, replays: 0, retries: -Infinity, marked: -Infinity };
/** Nothing has been lowered. */
const HIGHEST = Number.MAX_SAFE_INTEGER;
const UNTOUCHED: PendingFloors = { firsts: HIGHEST, replays: HIGHEST, retries: Infinity, marked: Infinity };
/** No position is so low. */
const NO_FIRST = -1;
/** Between readings of all: what a wake-up that was lost would have named is found by them. */
const WHOLE_MS = 60_000;

/**
 * The places of a webhook's deliveries below which nothing is pending: indexes keep the entries of what was delivered behind an old
 * snapshot, and a reading that begins above them passes them by.
 *
 * New events need no word: positions of an organization are drawn under a lock that is held to the commit, so that whatever comes later is
 * above what was seen. All else that becomes pending again is known to the owner of the lane, or named by its wake-up, and lowers them.
 */
export class ReadFloors {
  private floors = NO_FLOORS;
  /** What has become pending since the reading began, which may have missed it. */
  private lowered = UNTOUCHED;
  private wholeAtMs = -Infinity;
  /** Position of the last new event that was seen. */
  private highestFirst = NO_FIRST;

  get current(): PendingFloors {
    return this.floors;
  }

  /** To be called before each reading. @param nowMs monotonic @returns whether it is one of all */
  begin(nowMs: number): boolean {
    this.lowered = UNTOUCHED;
    if (nowMs - this.wholeAtMs < WHOLE_MS) return false;
    this.floors = NO_FLOORS;
    this.wholeAtMs = nowMs;
    return true;
  }

  /** Raises them to what was read. @param isWhole first attempts were read from their floors on, and not behind others that wait */
  end(
    { firsts, retries, marked, moreFirsts }: PendingDeliveries,
    { isWhole }: { readonly isWhole: boolean } = { isWhole: true },
  ): void {
    const first = firsts.find(({ kind }) => kind !== 'REPLAY');
    const replay = firsts.find(({ kind }) => kind === 'REPLAY');
    this.highestFirst = Math.max(this.highestFirst, ...firsts.filter(isNew).map(({ position }) => position));
    // Where first attempts fill the reading, replays are not looked for.
    const noReplay = moreFirsts ? this.floors.replays : UNTOUCHED.replays;
    this.floors = lowest(this.lowered, {
      firsts: isWhole ? (first?.position ?? this.highestFirst + 1) : this.floors.firsts,
      replays: isWhole ? (replay?.position ?? noReplay) : this.floors.replays,
      retries: Math.min(...retries.map(({ dueAtMs }) => dueAtMs)),
      marked: Math.min(...marked.map(({ leaseUntilMs }) => leaseUntilMs)),
    });
  }

  /** Something may be pending from there on. */
  lower(parts: Partial<PendingFloors>): void {
    this.lowered = lowest(this.lowered, { ...UNTOUCHED, ...parts });
    this.floors = lowest(this.floors, this.lowered);
  }

  /** Something may be pending anywhere, and what was seen may be of a database that was restored since, whose positions are lower. */
  forget(): void {
    this.highestFirst = NO_FIRST;
    this.lower(NO_FLOORS);
  }
}

/** The floor of the part that an unmarked delivery belongs to. */
export function floorOf({ kind, tries, position, dueAtMs }: PendingDelivery): Partial<PendingFloors> {
  if (tries > 0) return { retries: dueAtMs };
  return kind === 'REPLAY' ? { replays: position } : { firsts: position };
}

function isNew({ kind }: PendingDelivery): boolean {
  return kind === 'AUTOMATIC';
}

function lowest(one: PendingFloors, other: PendingFloors): PendingFloors {
  return {
    firsts: Math.min(one.firsts, other.firsts),
    replays: Math.min(one.replays, other.replays),
    retries: Math.min(one.retries, other.retries),
    marked: Math.min(one.marked, other.marked),
  };
}
