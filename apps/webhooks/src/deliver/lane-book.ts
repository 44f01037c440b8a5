import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '@switchboard/postgres';
import { readPending } from '../delivery/pending-deliveries.repository.js';
import { acquireLanes, releaseLanes } from '../lane/lane.repository.js';
import type { DeliveryAgain } from '../lane/lane-wake-ups.js';
import type { WaitingLane } from '../lane/waiting-lanes.repository.js';
import { candidatesOf } from './candidates.js';
import { TURN_LIMITS, type LaneSort } from './lane-sort.js';
import { OpenLane } from './open-lane.js';
import type { WorkerLease } from './worker-lease.js';

/** A lane without work is given back after so long: another replica may be preferred meanwhile. */
const IDLE_MS = 30_000;
/** Lanes that are acquired at once. */
const SLICE_MAX = 32;
/** Before a lane is tried again that another session has locked. */
const LOCKED_REST_MS = 100;

/** The lanes that this worker owns. */
export class LaneBook {
  private readonly owned = new Map<string, OpenLane>();
  private readonly wanted = new Set<string>();
  /** Webhooks that are left to other workers, with the monotonic time until which they are. */
  private readonly left = new Map<string, number>();
  /** Webhooks of a turn, or of a reading, that is under way: nothing else is to begin with them, of either sort. */
  private readonly taken = new Set<string>();
  /** Webhooks that rest, as if they were taken: another session has locked a row of theirs. */
  private readonly resting = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly lease: WorkerLease,
    private readonly timeScale = 1,
  ) {}

  /** Lanes with something pending, or that may have, of which no turn is under way. */
  busy(sort: LaneSort): OpenLane[] {
    return this.free.filter((lane) => lane.sort === sort && !lane.isIdle);
  }

  /** Webhooks of which something is pending, or may be. */
  get known(): string[] {
    return [...this.owned.values()].filter(({ isIdle }) => !isIdle).map(({ webhookId }) => webhookId);
  }

  /** A receiver that answers has had something to deliver lately. */
  get hasAnswering(): boolean {
    return [...this.owned.values()].some(({ sort }) => sort === 'answering');
  }

  private get free(): OpenLane[] {
    return [...this.owned.values()].filter(({ webhookId }) => !this.isTaken(webhookId));
  }

  isTaken(webhookId: string): boolean {
    return this.taken.has(webhookId) || this.resting.has(webhookId);
  }

  /** Leaves webhooks alone for a moment that a turn has passed by, or for longer. */
  async rest(webhookIds: Iterable<string>, forMs = LOCKED_REST_MS): Promise<void> {
    const own = [...webhookIds];
    for (const webhookId of own) this.resting.add(webhookId);
    await wait(forMs, undefined, { ref: false });
    for (const webhookId of own) this.resting.delete(webhookId);
  }

  /** Keeps webhooks for one piece of work. */
  async whileTaken<Result>(webhookIds: Iterable<string>, work: () => Promise<Result>): Promise<Result> {
    const own = [...webhookIds];
    for (const webhookId of own) this.taken.add(webhookId);
    try {
      return await work();
    } finally {
      const endedMs = performance.now();
      for (const webhookId of own) {
        this.taken.delete(webhookId);
        const lane = this.owned.get(webhookId);
        if (lane) lane.freeSinceMs = endedMs;
      }
    }
  }

  find(webhookId: string): OpenLane | undefined {
    return this.owned.get(webhookId);
  }

  /** There is something to deliver; it is taken by the preferred worker. */
  woken(webhookIds: readonly string[]): void {
    for (const webhookId of webhookIds) {
      const lane = this.owned.get(webhookId);
      if (lane) lane.woken();
      else if (this.lease.isPreferred(webhookId) && !this.isLeft(webhookId)) this.wanted.add(webhookId);
    }
  }

  /** Deliveries of webhooks are pending again. */
  again(deliveries: readonly DeliveryAgain[]): void {
    for (const { webhookId, floors } of deliveries) this.owned.get(webhookId)?.wokenBelow(floors);
  }

  /**
   * There is something to deliver that no other worker has taken.
   *
   * @param nowMs the database's clock. What has nothing to begin is read again: its wake-up may have been lost
   * @param askedMs when it was looked for, monotonic: what a turn has read of the lane since is newer
   */
  found(waiting: Exclude<WaitingLane, { readonly state: 'closed' }>, nowMs: number, askedMs: number): void {
    const { webhookId } = waiting;
    const lane = this.owned.get(webhookId);
    const isOlder = this.isTaken(webhookId) || (lane !== undefined && lane.freeSinceMs >= askedMs);
    if (lane && waiting.state === 'own') {
      // Enabling a webhook ends its pause: a turn would see it, and locks none that has to wait.
      if (!isOlder) lane.state = waiting.lane;
      if (lane.isIdle && !isOlder) lane.missed();
      if (lane.next(nowMs) === null) lane.woken();
      return;
    }
    if (waiting.state === 'free' && isOlder) return;
    // Another worker may have had it meanwhile: what is known of it here may be of long ago.
    this.owned.delete(webhookId);
    if (!this.isLeft(webhookId)) this.wanted.add(webhookId);
  }

  /** The lane belongs to another, or is closed. */
  lost(webhookId: string): void {
    this.owned.delete(webhookId);
  }

  /** Gives lanes back that another worker may be able to serve, and leaves them alone for so long. */
  async leave(webhookIds: readonly string[], durationMs: number): Promise<void> {
    const nowMs = performance.now();
    // Those too that nothing was found for since: their webhooks may be deleted.
    for (const [webhookId, untilMs] of this.left) if (untilMs <= nowMs) this.left.delete(webhookId);
    for (const webhookId of webhookIds) {
      this.owned.delete(webhookId);
      this.wanted.delete(webhookId);
      this.left.set(webhookId, nowMs + durationMs);
    }
    await releaseLanes(this.database, webhookIds, this.lease.id);
  }

  private isLeft(webhookId: string): boolean {
    return performance.now() < (this.left.get(webhookId) ?? -Infinity);
  }

  /** What is known may be wrong: a transaction has failed. */
  doubt(): void {
    for (const lane of this.owned.values()) lane.doubt();
  }

  /** There are lanes to acquire. */
  get hasWanted(): boolean {
    return this.toAcquire.length > 0;
  }

  /** Without those that are being given back. */
  private get toAcquire(): string[] {
    return [...this.wanted].filter((webhookId) => !this.isTaken(webhookId));
  }

  /** There are more lanes to read than the last reading had. */
  isBehind(sort: LaneSort, nowMs: number): boolean {
    return this.mustRead(sort, nowMs).length > 0;
  }

  /** Lanes whose deliveries must be read before it is known what of them may begin. */
  private mustRead(sort: LaneSort, nowMs: number): readonly OpenLane[] {
    const behind = this.free.filter((lane) => lane.sort === sort && lane.mustRead(nowMs));
    return candidatesOf(behind, TURN_LIMITS[sort].lanesRead);
  }

  /** Acquires lanes that are wanted. */
  async acquire(): Promise<void> {
    const wanted = this.toAcquire.slice(0, SLICE_MAX);
    if (wanted.length === 0) return;
    const acquired = await acquireLanes(this.database, wanted, this.lease.id);
    for (const { webhookId, organizationId, state } of acquired) {
      if (this.owned.has(webhookId)) continue;
      const lane = new OpenLane(webhookId, organizationId, this.timeScale);
      lane.state = state;
      this.owned.set(webhookId, lane);
    }
    for (const webhookId of wanted) this.wanted.delete(webhookId);
  }

  /** Reads what is pending of those lanes that may begin more than is known. */
  async read(sort: LaneSort, nowMs: number): Promise<void> {
    const behind = this.mustRead(sort, nowMs);
    if (behind.length === 0) return;
    await this.whileTaken(
      behind.map(({ webhookId }) => webhookId),
      () => this.readLanes(behind),
    );
  }

  /** Gives back lanes that are idle and, for long or rather, another's. */
  async giveBackIdle(): Promise<void> {
    const nowMs = performance.now();
    const idle = this.free.filter(
      (lane) => lane.isIdle && (nowMs - lane.busyAtMs > IDLE_MS || !this.lease.isPreferred(lane.webhookId)),
    );
    const webhookIds = idle.map(({ webhookId }) => webhookId);
    for (const webhookId of webhookIds) this.owned.delete(webhookId);
    await this.whileTaken(webhookIds, () => releaseLanes(this.database, webhookIds, this.lease.id));
  }

  private async readLanes(lanes: readonly OpenLane[]): Promise<void> {
    for (const lane of lanes) lane.beginReading();
    try {
      const pending = await readPending(this.database, lanes, this.timeScale);
      for (const lane of lanes) {
        const read = pending.get(lane.webhookId);
        if (read) lane.refill(read);
      }
    } catch (error) {
      for (const lane of lanes) lane.doubt();
      throw error;
    }
  }
}
