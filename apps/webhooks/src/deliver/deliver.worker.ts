import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, LOG, PollingWorker, STOPPING, type Clock, type Log, type RoundResult } from '@switchboard/platform';
import { Database, isDataError, OutcomeUnknown } from '@switchboard/postgres';
import type { EndedRequest, MarkedAttempt } from '../delivery/delivery.entity.js';
import type { LockedLane } from '../lane/lane.repository.js';
import { LaneWakeUps } from '../lane/lane-wake-ups.js';
import { waitingLanes } from '../lane/waiting-lanes.repository.js';
import { dropPending } from '../webhook/deactivate-webhooks.repository.js';
import { WEBHOOKS_CONFIG, type WebhooksConfig } from '../webhooks.config.js';
import { fewGivingWay, WAY_GIVING_MAX } from './candidates.js';
import { chooseDeliveries } from './choose-deliveries.js';
import { DatabaseClock } from './database-clock.js';
import { DeliverSignal } from './deliver-signal.js';
import { deliverMetrics } from './deliver-metrics.js';
import { deliverTurn, type TurnResult, type TurnSpec, type UnsentRequest } from './deliver-turn.js';
import { logTurn, logUnsent } from './log-turn.js';
import { LaneBook } from './lane-book.js';
import type { OpenLane } from './open-lane.js';
import { RequestsInFlight, type RequestEnd } from './requests-in-flight.js';
import { endsOfTurn } from './ends-of-turn.js';
import { interruptedResult } from '../attempt/send-request.client.js';
import { WorkerLease } from './worker-lease.js';

/** The net below the wake-ups, and how often the lease is renewed. */
const LOOK_MS = 2_000;
/** A worker that is never idle looks after so long all the same. */
const LOOK_LATE_MS = 3_000;
/** Attempts that a turn begins, and records, at most: what comes next waits for all of it. */
const TURN_MAX = 128;
/** Lanes that a turn locks for what may begin, at most. */
const CANDIDATES_MAX = 64;
/** While something may begin by its lane's rules, and there is no room: an end wakes the worker. */
const BLOCKED_PAUSE_MS = 50;

/**
 * Delivers: one turn after another, each a transaction that records what has ended and marks what begins; the requests are
 * sent after its commit and wake the next turn by their ends.
 *
 * A webhook belongs to one worker at a time, so that its requests in flight are known in one place. Its state is in its lane and
 * its deliveries, so that any other worker can go on.
 */
@Injectable()
export class DeliverWorker extends PollingWorker {
  private readonly lease: WorkerLease;
  private readonly book: LaneBook;
  private readonly dbClock: DatabaseClock;
  private ended: EndedRequest[] = [];
  private unsent: UnsentRequest[] = [];
  private lookedAtMs = -Infinity;
  /** The last turn left out the lanes that give way. */
  private isForFirst = false;
  private endListening: () => void = () => undefined;

  constructor(
    private readonly database: Database,
    private readonly requests: RequestsInFlight,
    private readonly wakeUps: LaneWakeUps,
    @Inject(WEBHOOKS_CONFIG) private readonly config: WebhooksConfig,
    @Inject(STOPPING) private readonly stopping: AbortSignal,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOG) private readonly log: Log,
    private readonly signal: DeliverSignal,
  ) {
    super({ log, idleMs: LOOK_MS, signal, failureEvent: 'delivery.turn-failed' });
    this.dbClock = new DatabaseClock(clock);
    this.lease = new WorkerLease(database);
    this.book = new LaneBook(database, this.lease);
  }

  override onApplicationBootstrap(): void {
    this.endListening = this.wakeUps.listen((webhookIds) => {
      this.book.woken(webhookIds);
      this.signal.wake();
    });
    deliverMetrics(() => this.requests.count);
    super.onApplicationBootstrap();
  }

  /** Ends what is under way, records it, and gives back what it owns. */
  override async onModuleDestroy(): Promise<void> {
    this.endListening();
    await this.requests.end();
    await super.onModuleDestroy();
    // Of a turn that was committed meanwhile.
    await this.requests.end();
    while (this.hasEnded) await this.turn([], TURN_MAX);
    await this.lease.end();
  }

  protected async round(): Promise<RoundResult> {
    if (this.sinceLookMs > LOOK_LATE_MS) await this.look();
    await this.book.update(this.dbClock.now());
    const nowMs = this.dbClock.now();
    const lanes = this.book.busy;
    for (const lane of lanes) for (const attempt of lane.expired(nowMs)) this.interrupt(attempt);
    const ready = this.stopping.aborted
      ? []
      : lanes.filter((lane) => lane.slots(nowMs) > 0 && lane.next(nowMs) !== null);
    const candidates = fewGivingWay(ready, CANDIDATES_MAX);
    if (candidates.length === 0 && !this.hasEnded) return this.book.isBehind(nowMs) || this.idle(nowMs);
    const begun = await this.nextTurn(candidates);
    const mayGoOn = begun > 0 || this.isForFirst || this.hasEnded || this.book.isBehind(this.dbClock.now());
    return mayGoOn || BLOCKED_PAUSE_MS;
  }

  /**
   * Lanes that give way have every second turn at most while there is anything else to do: their turns last longest, and no
   * other receiver waits for more than one of them.
   */
  private async nextTurn(lanes: readonly OpenLane[]): Promise<number> {
    const first = lanes.filter(({ givesWay }) => !givesWay);
    const hasOthers = first.length > 0 || endsOfTurn(this.ended, 1, 0).taken.length > 0;
    this.isForFirst = hasOthers && !this.isForFirst;
    const candidates = this.isForFirst ? first : lanes;
    return this.turn(
      candidates.map(({ webhookId }) => webhookId),
      this.isForFirst ? 0 : WAY_GIVING_MAX,
    );
  }

  /** Nothing may begin now: the time to look, which no event waits for then. */
  private async idle(nowMs: number): Promise<RoundResult> {
    if (this.sinceLookMs > LOOK_MS) {
      await this.look();
      return true;
    }
    const nextAtMs = Math.min(...this.book.busy.map((lane) => lane.nextAtMs(nowMs)));
    return Math.max(Math.min(nextAtMs - nowMs, LOOK_MS - this.sinceLookMs), 1);
  }

  private get sinceLookMs(): number {
    return performance.now() - this.lookedAtMs;
  }

  private get hasEnded(): boolean {
    return this.ended.length > 0 || this.unsent.length > 0;
  }

  /** Renews the lease, and finds what no wake-up has reported. */
  private async look(): Promise<void> {
    this.lookedAtMs = performance.now();
    this.dbClock.observe(await this.lease.renew());
    await this.book.giveBackIdle();
    const waiting = await waitingLanes(this.database, this.lease.id);
    const closed = waiting.filter(({ state }) => state === 'closed').map(({ webhookId }) => webhookId);
    // A slice at a time: deliveries of others go on between them.
    if (closed.length > 0 && (await dropPending(this.database, closed))) this.lookedAtMs = -Infinity;
    for (const lane of waiting) if (lane.state !== 'closed') this.book.found(lane, this.dbClock.now());
  }

  private interrupt(attempt: MarkedAttempt): void {
    const isOver = [...this.ended, ...this.unsent].some((one) => one.attempt.id === attempt.id);
    if (isOver || this.requests.has(attempt.id)) return;
    this.ended.push({ attempt, result: interruptedResult(attempt.leaseUntilMs - attempt.beganAtMs) });
  }

  /** @param failingMax webhooks of which a failure is recorded. @returns how many attempts it has begun */
  private async turn(candidates: readonly string[], failingMax: number): Promise<number> {
    const { taken: ended, left } = endsOfTurn(this.ended, TURN_MAX, failingMax);
    this.ended = left;
    const unsent = this.unsent.splice(0);
    const { id: worker } = this.lease;
    const { WEBHOOKS_TIME_SCALE: timeScale } = this.config;
    let chosen: readonly MarkedAttempt[] = [];
    const choose: TurnSpec['choose'] = (lanes, recorded) => {
      for (const { attempt } of ended) {
        const lane = this.book.find(attempt.delivery.webhookId);
        // Another process has recorded or unmarked it: what its delivery waits for now is not known here.
        if (recorded.has(attempt.id)) lane?.ended(attempt.id, false);
        else lane?.doubt();
      }
      // What was not sent is the first of its conversation again, and is not among what is known: later ones would overtake it.
      for (const { attempt } of unsent) this.book.find(attempt.delivery.webhookId)?.doubt();
      return (chosen = this.choose(lanes));
    };
    const startedMs = performance.now();
    let begun: number;
    try {
      const result = await deliverTurn(this.database, { worker, timeScale, ended, unsent, candidates, choose });
      this.follow(result, unsent, startedMs);
      begun = result.begun.length;
    } catch (error) {
      // Whether it stands is not known: what is marked is read again, and what was recorded is not recorded twice.
      this.book.doubt();
      for (const { delivery } of chosen) this.requests.forgo(delivery);
      // Marked, if the COMMIT stands, and never sent: nothing of it counts.
      if (error instanceof OutcomeUnknown) this.unsent.push(...chosen.map(inDoubt));
      this.ended = [...(isDataError(error) ? ended.map(withoutBody) : ended), ...this.ended];
      this.unsent.push(...unsent);
      throw error;
    }
    // The turn stands, whatever comes of this.
    await this.leaveUnreadable(unsent);
    return begun;
  }

  private choose(lanes: ReadonlyMap<string, LockedLane>): readonly MarkedAttempt[] {
    const open = [];
    let nowMs = this.dbClock.now();
    for (const [webhookId, locked] of lanes) {
      const lane = this.book.find(webhookId);
      if (!lane) continue;
      lane.state = locked.state;
      nowMs = locked.nowMs;
      open.push(lane);
    }
    this.dbClock.observe(nowMs);
    if (this.stopping.aborted) return [];
    return chooseDeliveries({ lanes: open, nowMs, budget: this.requests.budget, max: TURN_MAX });
  }

  /** After the commit. */
  private follow(result: TurnResult, unsent: readonly UnsentRequest[], startedMs: number): void {
    for (const webhookId of result.lost) this.book.lost(webhookId);
    for (const { attempt, state } of result.settled) {
      if (state === 'PENDING') this.book.find(attempt.delivery.webhookId)?.ended(attempt.id, true);
    }
    for (const attempt of result.begun) {
      const request = result.requests.get(attempt.id);
      if (!request) {
        // Its delivery has gone, or is marked otherwise: what is known of the webhook is not what is stored.
        this.requests.forgo(attempt.delivery);
        this.book.find(attempt.delivery.webhookId)?.doubt();
        continue;
      }
      const times = { turnAtMs: startedMs, nowMs: this.dbClock.now() };
      void this.requests.send(attempt, request, times).then((end) => this.onEnd(end));
    }
    logTurn(this.log, result);
    logUnsent(this.log, unsent);
    deliverMetrics(() => this.requests.count).turned(result, unsent);
  }

  /** Another worker may have the key of their secrets; as long as they are held, this one has not. */
  private async leaveUnreadable(unsent: readonly UnsentRequest[]): Promise<void> {
    const unreadable = unsent.filter(({ cause }) => cause === 'unreadable_secret');
    if (unreadable.length === 0) return;
    const webhookIds = [...new Set(unreadable.map(({ attempt }) => attempt.delivery.webhookId))];
    const heldMs = Math.max(...unreadable.map(({ holdMs }) => holdMs)) * this.config.WEBHOOKS_TIME_SCALE;
    await this.book.leave(webhookIds, heldMs);
  }

  private onEnd(end: RequestEnd): void {
    if ('result' in end) {
      this.ended.push(end);
      this.book.find(end.attempt.delivery.webhookId)?.answered(end.isCut === true);
    } else this.unsent.push(end);
    this.signal.wake();
  }
}

function inDoubt(attempt: MarkedAttempt): UnsentRequest {
  return { attempt, cause: 'in_doubt', holdMs: 0 };
}

function withoutBody(ended: EndedRequest): EndedRequest {
  return { ...ended, result: { ...ended.result, responseBody: null } };
}
