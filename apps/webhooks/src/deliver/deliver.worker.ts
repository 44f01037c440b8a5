import { Inject, Injectable } from '@nestjs/common';
import { ThrottledLog } from '@switchboard/nats';
import { LOG, PollingLoop, PollingWorker, STOPPING, type Log, type RoundResult } from '@switchboard/platform';
import { Database } from '@switchboard/postgres';
import { pause, WakeSignal } from '@switchboard/timing';
import { LaneWakeUps } from '../lane/lane-wake-ups.js';
import { dropPending } from '../webhook/deactivate-webhooks.repository.js';
import { WEBHOOKS_CONFIG, type WebhooksConfig } from '../webhooks.config.js';
import { candidatesOf } from './candidates.js';
import { DatabaseClock } from '../attempt/database-clock.js';
import { deliverMetrics } from './deliver-metrics.js';
import { DeliverSignal } from './deliver-signal.js';
import { DeliveryTurns } from './delivery-turns.js';
import { LaneBook } from './lane-book.js';
import { LaneLook } from './lane-look.js';
import { laneSorts, TURN_LIMITS, type LaneSort } from './lane-sort.js';
import { RequestsInFlight } from './requests-in-flight.js';
import { WorkerLease } from './worker-lease.js';

/** What no wake-up has reported is looked for, and what is idle is given back. */
const LOOK_MS = 2_000;
const RENEW_MS = 2_000;
/** While something may begin by its lane's rules, and there is no room: an end wakes the worker. */
const BLOCKED_PAUSE_MS = 50;
/**
 * Behind a turn of lanes that give way, in times that it took, while there are others: what hundreds of new or failing receivers
 * ask of the process at once is spread over seconds.
 */
const GIVING_WAY_RESTS = 5;
const GIVING_WAY_REST_MAX_MS = 100;
const FAILURE_EVENT = 'delivery.turn-failed';
const LOOK_FAILURE_EVENT = 'delivery.look-failed';

/**
 * Delivers in turns, each a transaction that records what has ended and marks what begins; the requests are
 * sent after its commit and wake the next turn by their ends. Receivers that give way have turns of their own, next to those.
 *
 * A webhook belongs to one worker at a time, so that its requests in flight are known in one place. Its state is in its lane and
 * its deliveries, so that any other worker can go on.
 */
@Injectable()
export class DeliverWorker extends PollingWorker {
  private readonly lease: WorkerLease;
  private readonly book: LaneBook;
  private readonly turns: DeliveryTurns;
  private readonly laneLook: LaneLook;
  private readonly lookFailures: ThrottledLog;
  private readonly signals: Readonly<Record<LaneSort, WakeSignal>>;
  /** Besides the turns of those that answer. */
  private readonly loops: readonly PollingLoop[];
  /** By itself: whatever a turn waits for, the lease does not lapse. */
  private readonly renewing: PollingLoop;
  private readonly wanted = new WakeSignal();
  private readonly toDrop = new WakeSignal();
  /** Webhooks that are deleted or deactivated, of which something is pending. */
  private closed: readonly string[] = [];
  private endListening: () => void = () => undefined;
  private ended: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly requests: RequestsInFlight,
    private readonly wakeUps: LaneWakeUps,
    @Inject(WEBHOOKS_CONFIG) config: WebhooksConfig,
    @Inject(STOPPING) private readonly stopping: AbortSignal,
    private readonly dbClock: DatabaseClock,
    @Inject(LOG) log: Log,
    signal: DeliverSignal,
  ) {
    super({ log, idleMs: LOOK_MS, signal, failureEvent: FAILURE_EVENT });
    this.lease = new WorkerLease(database);
    const { WEBHOOKS_TIME_SCALE: timeScale } = config;
    this.book = new LaneBook(database, this.lease, timeScale);
    this.signals = { answering: signal, 'giving-way': new WakeSignal() };
    const { book, signals } = this;
    const wake = (sort: LaneSort): void => signals[sort].wake();
    const parts = { database, requests, book, dbClock, log, stopping, timeScale, wake };
    this.turns = new DeliveryTurns({ ...parts, worker: this.lease.id });
    const onError = (error: unknown): void => log.error(FAILURE_EVENT, error);
    this.lookFailures = new ThrottledLog((error) => log.error(LOOK_FAILURE_EVENT, error));
    const onFailure = (error: unknown): void => this.lookFailed(error);
    this.laneLook = new LaneLook({ database, worker: this.lease.id, onFailure });
    this.loops = [
      { round: () => this.find(), onError: onFailure },
      { round: () => this.roundOf('giving-way'), signal: signals['giving-way'] },
      { round: () => this.acquire(), signal: this.wanted },
      { round: () => this.giveBack() },
      { round: () => this.drop(), signal: this.toDrop },
    ].map((one) => new PollingLoop({ onError, ...one, idleMs: LOOK_MS }));
    this.renewing = new PollingLoop({ round: () => this.renew(), idleMs: RENEW_MS, onError });
  }

  override onApplicationBootstrap(): void {
    this.endListening = this.wakeUps.listen((webhookIds, again) => {
      this.book.again(again);
      this.book.woken(webhookIds);
      if (this.book.hasWanted) this.wanted.wake();
      const sorts = new Set(webhookIds.map((webhookId) => this.book.find(webhookId)?.sort));
      for (const sort of laneSorts) if (sorts.has(sort)) this.signals[sort].wake();
    });
    deliverMetrics(() => this.requests.count);
    for (const loop of [this.renewing, ...this.loops]) loop.start();
    super.onApplicationBootstrap();
    // What it fails with is thrown by `onModuleDestroy`.
    const end = (): void => void this.end().catch(() => undefined);
    this.stopping.addEventListener('abort', end, { once: true });
  }

  /** Waits for its end, which began when the service began to stop, whatever rpcs were under way. */
  override async onModuleDestroy(): Promise<void> {
    await this.end();
  }

  /** Ends what is under way, records it, and gives back what it owns; once. */
  private end(): Promise<void> {
    return (this.ended ??= this.endAll());
  }

  private async endAll(): Promise<void> {
    this.endListening();
    await this.requests.allEnded();
    await Promise.all([super.onModuleDestroy(), ...this.loops.map((loop) => loop.stop())]);
    // Of turns that were under way when it began to end.
    await this.requests.allEnded();
    await this.turns.recordLast().finally(() => this.renewing.stop());
    await this.lease.end();
  }

  protected async round(): Promise<RoundResult> {
    return this.roundOf('answering');
  }

  /** Renews the lease, in time for what it owns. */
  private async renew(): Promise<RoundResult> {
    const isFirst = !this.lease.isHeld;
    this.dbClock.observe(await this.lease.renew());
    if (isFirst) this.wanted.wake();
    return false;
  }

  /** Acquires lanes that are wanted. No turn waits for it: a hundred new webhooks are slow to acquire. */
  private async acquire(): Promise<RoundResult> {
    if (!this.lease.isHeld) return false;
    await this.book.acquire();
    for (const sort of laneSorts) this.signals[sort].wake();
    return this.book.hasWanted;
  }

  /** Drops a slice of what is pending of webhooks that are gone, and rests for as long as it took. No turn waits for it. */
  private async drop(): Promise<RoundResult> {
    if (this.closed.length === 0) return false;
    const startedMs = performance.now();
    const mayBeMore = await dropPending(this.database, this.closed);
    if (!mayBeMore) this.closed = [];
    else await pause(performance.now() - startedMs, this.stopping);
    return mayBeMore && !this.stopping.aborted;
  }

  /** A round of the turns of one sort. */
  private async roundOf(sort: LaneSort): Promise<RoundResult> {
    await this.book.read(sort, this.dbClock.now());
    const result = await this.nextTurn(sort);
    // What ended of a webhook while a turn had it may be for the other sort.
    for (const other of laneSorts) if (other !== sort && this.turns.hasEnded(other)) this.signals[other].wake();
    return result;
  }

  private async nextTurn(sort: LaneSort): Promise<RoundResult> {
    const nowMs = this.dbClock.now();
    const lanes = this.book.busy(sort);
    for (const lane of lanes) for (const attempt of lane.expired(nowMs)) this.turns.interrupt(attempt);
    const ready = this.stopping.aborted
      ? []
      : lanes.filter(
          (lane) => lane.slots(nowMs) > 0 && lane.next(nowMs) !== null && this.turns.mayBegin(lane.webhookId),
        );
    const candidates = candidatesOf(ready, TURN_LIMITS[sort].lanes).map(({ webhookId }) => webhookId);
    if (candidates.length === 0 && !this.turns.hasEnded(sort)) {
      if (this.book.isBehind(sort, nowMs)) return true;
      const nextAtMs = Math.min(...lanes.map((lane) => lane.nextAtMs(nowMs)));
      return Math.max(Math.min(nextAtMs - nowMs, LOOK_MS), 1);
    }
    const startedMs = performance.now();
    const begun = await this.turns.turn(sort, candidates);
    if (sort === 'giving-way' && this.book.hasAnswering) {
      const tookMs = performance.now() - startedMs;
      await pause(Math.min(tookMs * GIVING_WAY_RESTS, GIVING_WAY_REST_MAX_MS), this.stopping);
    }
    const mayGoOn = begun > 0 || this.turns.hasEnded(sort) || this.book.isBehind(sort, this.dbClock.now());
    return mayGoOn || BLOCKED_PAUSE_MS;
  }

  /** Gives back what is idle. No turn waits for it. */
  private async giveBack(): Promise<RoundResult> {
    await this.book.giveBackIdle();
    return false;
  }

  /** Finds what no wake-up has reported. No turn waits for it: behind an old snapshot it is slow. */
  private async find(): Promise<RoundResult> {
    const askedMs = performance.now();
    const waiting = await this.laneLook.look(this.book.known);
    for (const lane of waiting) if (lane.state !== 'closed') this.book.found(lane, this.dbClock.now(), askedMs);
    for (const signal of [this.wanted, ...Object.values(this.signals)]) signal.wake();
    const closed = waiting.filter(({ state }) => state === 'closed').map(({ webhookId }) => webhookId);
    if (closed.length > 0) {
      this.closed = closed;
      this.toDrop.wake();
    }
    return false;
  }

  private lookFailed(error: unknown): void {
    deliverMetrics(() => this.requests.count).lookFailed();
    this.lookFailures.failed(error);
  }
}
