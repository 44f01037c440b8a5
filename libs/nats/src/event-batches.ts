import { BurstPace, jittered, pause } from '@switchboard/timing';
import type { JsMsg } from '@nats-io/jetstream';
import { AckDeadlines } from './ack-deadline.js';
import type { DeliveredEvent, Pulled } from './delivered-event.js';
import { ParkedEvents } from './parked-events.js';
import type { Disposition, PullConsumerOptions } from './pull-consumer-options.js';
import { ThrottledLog } from './throttled-log.js';

interface Waiting extends Pulled {
  readonly sinceMs: number;
}

/** Batches that may follow one another at once after a quiet time. */
const BATCHES_AT_ONCE = 3;
const FAILED_BATCH_PAUSE_MS = 1_000;

/** Makes batches of what was pulled: the events that arrive during one batch are the next. */
export class EventBatches {
  private beganMs = -Infinity;
  private readonly pace: BurstPace;
  /** Pulled and not yet taken into a batch. */
  private waiting: Waiting[] = [];
  /** When the first of them was pulled, or of those before them; when the last pull brought none: then. */
  private waitingMs = -Infinity;
  /** Of those that wait: they were due when another batch began without them. */
  private readonly left = new Set<Waiting>();
  /** More may come before what waits is taken. */
  private isPulling = false;
  private working: Promise<void> | undefined;
  private readonly underWay = new Set<readonly Waiting[]>();
  private readonly stopSignal = new AbortController();
  /** No batch begins: what waits is given back, to come again after so long, when those under way have ended. */
  private giveBackAfterMs: number | null = null;
  /** Of what may let another batch begin. */
  private changed = Promise.withResolvers<void>();
  /** An event that is due before this is such a change. */
  private looksAgainMs = -Infinity;
  /** Of a batch that takes what waits. */
  private taken = Promise.withResolvers<void>();
  private readonly deadlines: AckDeadlines;
  /** They hold up no pull: they may wait for what the next one brings. */
  private readonly parked = new ParkedEvents((events) => this.handAgain(events));
  private readonly failures: ThrottledLog;

  constructor(private readonly options: PullConsumerOptions) {
    this.pace = new BurstPace(options.gatherMs ?? 0, BATCHES_AT_ONCE);
    this.deadlines = new AckDeadlines(options.consumer.ackWaitMs);
    this.failures = new ThrottledLog(options.onError);
  }

  /** When the first event of the last pull came, or that pull ended without one. */
  get waitingSinceMs(): number {
    return this.waitingMs;
  }

  pullBegins(): void {
    this.isPulling = true;
  }

  private get isStopping(): boolean {
    return this.stopSignal.signal.aborted;
  }

  /** @param delivered how many messages it has brought */
  pullEnds(delivered: number): void {
    this.isPulling = false;
    // The broker serves another replica first: asked at once it would say so again.
    if (delivered === 0) this.waitingMs = performance.now();
    this.changed.resolve();
  }

  /** Takes an event into one of the next batches. */
  add(pulled: Pulled): void {
    this.deadlines.hold(pulled.message);
    const added = { ...pulled, sinceMs: performance.now() };
    if (this.waiting.length === 0) this.waitingMs = added.sinceMs;
    this.waiting.push(added);
    if (this.dueMs(added) < this.looksAgainMs) this.lookAgain();
    this.working ??= Promise.resolve().then(() => this.work());
  }

  /** From now on batches begin without a pause, and nothing is parked. */
  stop(): void {
    this.stopSignal.abort();
    for (const { message } of this.parked.takeAll()) this.dispose(message, { retryAfterMs: 0 });
    this.changed.resolve();
  }

  /** Until all that was added is handled. */
  async allHandled(): Promise<void> {
    await this.working;
  }

  /** Until all that was added is taken into a batch. */
  async allTaken(): Promise<void> {
    while (this.waiting.length > 0) await this.taken.promise;
  }

  private async work(): Promise<void> {
    while (this.waiting.length > 0 || this.underWay.size > 0) {
      if (this.giveBackAfterMs !== null && this.underWay.size === 0) {
        this.giveBackWaiting(this.giveBackAfterMs);
        continue;
      }
      // One moment for both: an event that is due in between would be forgotten.
      const nowMs = performance.now();
      const batch = this.nextBatch(nowMs);
      if (batch.length > 0) this.begin(batch, nowMs);
      else await this.change(nowMs);
    }
    // What is still on its way to one that stops comes after what it has given back.
    if (!this.isStopping) this.giveBackAfterMs = null;
    this.working = undefined;
  }

  /** @returns none when all that waits has time still, or has to wait for what is under way */
  private nextBatch(nowMs: number): readonly Waiting[] {
    if (!this.hasPlace) return [];
    const { batchMax, nextOf } = this.options;
    const first = this.waiting.slice(0, batchMax);
    const due = new Set(first.filter((one) => this.dueMs(one) <= nowMs).map(({ event }) => event));
    if (due.size === 0 || !nextOf) return due.size === 0 ? [] : first;
    const eventsOf = (pulled: readonly Pulled[]): DeliveredEvent[] => pulled.map(({ event }) => event);
    const next = new Set(nextOf(eventsOf(first), eventsOf([...this.underWay].flat()), (event) => due.has(event)));
    const chosen = first.filter(({ event }) => next.has(event));
    return chosen.length === 0 && this.underWay.size === 0 ? first : chosen;
  }

  /**
   * When a batch with it begins, whatever comes until then: at once after a quiet time, and when another one has left it behind, or
   * nothing can come any more.
   */
  private dueMs(one: Waiting): number {
    const { batchMax, unhurried, pullsApartMs } = this.options;
    const isWhole = !this.isPulling || this.isStopping || this.waiting.length >= batchMax;
    if (isWhole || this.left.has(one)) return -Infinity;
    // The end of a pull that does not last is on its way, right behind its last event.
    if (pullsApartMs !== undefined) return this.waitingMs + pullsApartMs;
    // Batches that begin without it do not put it off.
    if (!unhurried?.includes(one.event)) return this.pace.readyMs;
    const sinceMs = unhurried.precedes?.(one.event) ? one.sinceMs : Math.min(this.beganMs, one.sinceMs);
    return sinceMs + unhurried.gatherMs;
  }

  private get hasPlace(): boolean {
    return this.underWay.size < (this.options.batchesMax ?? 1) && this.giveBackAfterMs === null;
  }

  /** Until an event is due that was not at that moment, a batch or the pull ends, or the consumer stops. */
  private async change(nowMs: number): Promise<void> {
    this.changed = Promise.withResolvers();
    const laterMs = this.waiting.map((one) => this.dueMs(one)).filter((dueMs) => dueMs > nowMs);
    const nextMs = this.hasPlace ? Math.min(...laterMs) : Infinity;
    this.looksAgainMs = this.hasPlace ? nextMs : -Infinity;
    const timer = nextMs === Infinity ? undefined : setTimeout(this.changed.resolve, nextMs - nowMs);
    await this.changed.promise;
    this.looksAgainMs = -Infinity;
    clearTimeout(timer);
  }

  /** Next to a batch under way once for all events that come together. */
  private lookAgain(): void {
    this.looksAgainMs = -Infinity;
    if (this.underWay.size === 0) this.changed.resolve();
    else setImmediate(this.changed.resolve);
  }

  private begin(batch: readonly Waiting[], nowMs: number): void {
    const chosen = new Set(batch);
    const isLeft = batch.some((one) => this.left.has(one));
    const others = this.waiting.filter((one) => !chosen.has(one));
    for (const one of others) if (this.dueMs(one) <= nowMs) this.left.add(one);
    for (const one of batch) this.left.delete(one);
    if (!isLeft) {
      this.beganMs = nowMs;
      this.pace.begin(nowMs);
    }
    this.waiting = others;
    this.noteTaken();
    this.underWay.add(batch);
    void this.handle(batch).then((failedPauseMs) => {
      this.underWay.delete(batch);
      // What is left of a pull in parts stays behind what failed, and is another replica's when this one stops.
      const isOver = this.isStopping || failedPauseMs !== null;
      if (isOver && (this.options.nextOf || this.options.keepsOrder)) {
        this.giveBackAfterMs = Math.max(this.giveBackAfterMs ?? 0, failedPauseMs ?? 0);
      }
      this.changed.resolve();
    });
  }

  private giveBackWaiting(retryAfterMs: number): void {
    for (const { message } of this.waiting.splice(0)) this.dispose(message, { retryAfterMs });
    this.left.clear();
    this.noteTaken();
  }

  private noteTaken(): void {
    this.taken.resolve();
    this.taken = Promise.withResolvers();
  }

  /** Never rejects. @returns after which pause its events come again, all of them, because it has failed; null otherwise */
  private async handle(batch: readonly Pulled[]): Promise<number | null> {
    try {
      const dispositions = await this.options.handle(batch.map(({ event }) => event));
      const moved = new Set<string>();
      batch.forEach((pulled, index) => {
        const disposition = dispositions[index];
        if (disposition && 'ack' in disposition) moved.add(pulled.event.envelope.aggregateId);
        if (!this.park(pulled, disposition)) this.dispose(pulled.message, disposition);
      });
      this.handAgain(this.parked.take(moved));
      this.failures.succeeded();
      return null;
    } catch (error) {
      this.failures.failed(error);
      const pauseMs = jittered(FAILED_BATCH_PAUSE_MS);
      const { keepsOrder = false } = this.options;
      if (keepsOrder && (await this.keep(batch, pauseMs))) return null;
      // Whoever takes over gets it before what came behind it.
      const retryAfterMs = keepsOrder ? 0 : pauseMs;
      for (const { message } of batch) this.dispose(message, { retryAfterMs });
      return retryAfterMs;
    }
  }

  /** Waits, as the next batch does, and hands the batch over once more. @returns false when the consumer stops */
  private async keep(batch: readonly Pulled[], pauseMs: number): Promise<boolean> {
    await pause(pauseMs, this.stopSignal.signal);
    if (this.isStopping) return false;
    for (const { message } of batch) this.deadlines.hold(message);
    this.handAgain(batch);
    return true;
  }

  /** @returns false when it is not to be parked, or there is no room */
  private park(pulled: Pulled, disposition: Disposition | undefined): boolean {
    if (!disposition || 'ack' in disposition || disposition.parkMs === undefined) return false;
    if (this.isStopping || !this.parked.hasRoom(pulled)) return false;
    const former = this.parked.put(pulled, disposition.parkMs);
    if (former) this.deadlines.release(former.message);
    return true;
  }

  /** Before what waits: it came earlier. */
  private handAgain(events: readonly Pulled[]): void {
    if (events.length === 0) return;
    const again = events.map((pulled) => ({ ...pulled, sinceMs: performance.now() }));
    for (const one of again) this.left.add(one);
    this.waiting.unshift(...again);
    this.changed.resolve();
    this.working ??= Promise.resolve().then(() => this.work());
  }

  private dispose(message: JsMsg, disposition: Disposition | undefined): void {
    this.deadlines.release(message);
    // On a closed connection both are silently dropped, and the message comes again.
    if (disposition && 'ack' in disposition) message.ack();
    else giveBack(message, disposition?.retryAfterMs ?? jittered(FAILED_BATCH_PAUSE_MS));
  }
}

/** To come again after a pause. The broker takes whole nanoseconds: a fraction it ignores, and delivers again at once. */
function giveBack(message: JsMsg, delayMs: number): void {
  message.nak(Math.ceil(delayMs));
}
