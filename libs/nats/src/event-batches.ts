import { BurstPace, jittered } from '@switchboard/timing';
import type { JsMsg } from '@nats-io/jetstream';
import { AckDeadlines } from './ack-deadline.js';
import type { DeliveredEvent } from './delivered-event.js';
import type { Disposition, PullConsumerOptions } from './pull-consumer-options.js';
import { ThrottledLog } from './throttled-log.js';

/** An event that was delivered, and its message. */
export interface Pulled {
  readonly message: JsMsg;
  readonly event: DeliveredEvent;
}

/** Batches that may follow one another at once after a quiet time. */
const BATCHES_AT_ONCE = 3;
const FAILED_BATCH_PAUSE_MS = 1_000;

/** Makes batches of what was pulled: the events that arrive during one batch are the next. */
export class EventBatches {
  private isStopping = false;
  private beganMs = -Infinity;
  private readonly pace: BurstPace;
  /** Pulled and not yet taken into a batch. */
  private waiting: Pulled[] = [];
  /** When the first of them was pulled, or of those before them; when the last pull brought none: then. */
  private waitingMs = -Infinity;
  /** Of those that wait: another batch began without them. */
  private readonly left = new Set<Pulled>();
  /** More may come before what waits is taken. */
  private isPulling = false;
  /** Among what waits is an event that has no time. */
  private isHurried = false;
  private working: Promise<void> | undefined;
  private readonly underWay = new Set<readonly Pulled[]>();
  /** No batch begins: what waits is given back, to come again after so long, when those under way have ended. */
  private giveBackAfterMs: number | null = null;
  /** Of what may let another batch begin. */
  private changed = Promise.withResolvers<void>();
  /** Of a batch that takes what waits. */
  private taken = Promise.withResolvers<void>();
  private readonly deadlines: AckDeadlines;
  private readonly failures: ThrottledLog;

  constructor(private readonly options: PullConsumerOptions) {
    this.pace = new BurstPace(options.gatherMs ?? 0, BATCHES_AT_ONCE);
    this.deadlines = new AckDeadlines(options.extensionIntervalMs);
    this.failures = new ThrottledLog(options.onError);
  }

  /** When the first event of the last pull came, or that pull ended without one. */
  get waitingSinceMs(): number {
    return this.waitingMs;
  }

  pullBegins(): void {
    this.isPulling = true;
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
    if (this.waiting.length === 0) this.waitingMs = performance.now();
    this.waiting.push(pulled);
    const isFirstHurried = !this.isHurried && !this.hasTime(pulled);
    if (isFirstHurried) this.isHurried = true;
    const { batchMax, batchesMax = 1 } = this.options;
    const mayGoNext = this.underWay.size > 0 && this.underWay.size < batchesMax;
    if (isFirstHurried || mayGoNext || this.waiting.length >= batchMax) this.changed.resolve();
    this.working ??= Promise.resolve().then(() => this.work());
  }

  /** From now on batches begin without a pause. */
  stop(): void {
    this.isStopping = true;
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
      const batch = this.nextBatch();
      const restMs = batch.length === 0 ? Infinity : this.restMs(batch);
      if (restMs > 0) await this.change(restMs);
      else this.begin(batch);
    }
    this.working = undefined;
  }

  /** @returns none when all that waits has to wait for what is under way */
  private nextBatch(): readonly Pulled[] {
    const { batchMax, batchesMax = 1, nextOf } = this.options;
    if (this.underWay.size >= batchesMax || this.giveBackAfterMs !== null) return [];
    const first = this.waiting.slice(0, batchMax);
    if (!nextOf || first.length === 0) return first;
    const eventsOf = (pulled: readonly Pulled[]): DeliveredEvent[] => pulled.map(({ event }) => event);
    const next = new Set(nextOf(eventsOf(first), eventsOf([...this.underWay].flat())));
    return next.size === 0 && this.underWay.size === 0 ? first : first.filter(({ event }) => next.has(event));
  }

  /**
   * Until the batch may begin, whatever comes meanwhile: at once after a quiet time, and when a batch has left some of it behind, or
   * nothing can come to it any more.
   */
  private restMs(batch: readonly Pulled[]): number {
    const { batchMax, unhurried, pullsApartMs } = this.options;
    const isWhole = !this.isPulling || this.isStopping || this.waiting.length >= batchMax;
    if (isWhole || this.isLeft(batch)) return 0;
    // The end of a pull that does not last is on its way, right behind its last event.
    if (pullsApartMs !== undefined) return this.waitingMs + pullsApartMs - performance.now();
    const hasTime = unhurried && batch.every((pulled) => this.hasTime(pulled));
    return (hasTime ? this.beganMs + unhurried.gatherMs : this.pace.readyMs) - performance.now();
  }

  /** Until a batch ends, or an event comes that matters now, or the pull ends, or the consumer stops; or for so long. */
  private async change(restMs: number): Promise<void> {
    this.changed = Promise.withResolvers();
    const timer = restMs === Infinity ? undefined : setTimeout(this.changed.resolve, restMs);
    await this.changed.promise;
    clearTimeout(timer);
  }

  private begin(batch: readonly Pulled[]): void {
    if (!this.isLeft(batch)) {
      this.beganMs = performance.now();
      this.pace.begin(this.beganMs);
    }
    const chosen = new Set(batch);
    this.waiting = this.waiting.filter((pulled) => !chosen.has(pulled));
    for (const pulled of batch) this.left.delete(pulled);
    for (const pulled of this.waiting) this.left.add(pulled);
    this.noteTaken();
    this.underWay.add(batch);
    void this.handle(batch).then((failedPauseMs) => {
      this.underWay.delete(batch);
      // What is left of a pull in parts stays behind what failed, and is another replica's when this one stops.
      const isOver = this.isStopping || failedPauseMs !== null;
      if (isOver && this.options.nextOf) {
        this.giveBackAfterMs = Math.max(this.giveBackAfterMs ?? 0, failedPauseMs ?? 0);
      }
      this.changed.resolve();
    });
  }

  private giveBackWaiting(retryAfterMs: number): void {
    for (const { message } of this.waiting.splice(0)) this.dispose(message, { retryAfterMs });
    this.left.clear();
    this.noteTaken();
    // What is still on its way to one that stops comes after what it has given back.
    if (!this.isStopping) this.giveBackAfterMs = null;
  }

  private noteTaken(): void {
    this.isHurried = this.waiting.some((pulled) => !this.hasTime(pulled));
    this.taken.resolve();
    this.taken = Promise.withResolvers();
  }

  private isLeft(batch: readonly Pulled[]): boolean {
    return batch.some((pulled) => this.left.has(pulled));
  }

  private hasTime({ event }: Pulled): boolean {
    return this.options.unhurried?.includes(event) ?? false;
  }

  /** Never rejects. @returns after which pause its events come again, all of them, because it has failed; null otherwise */
  private async handle(batch: readonly Pulled[]): Promise<number | null> {
    try {
      const dispositions = await this.options.handle(batch.map(({ event }) => event));
      batch.forEach(({ message }, index) => this.dispose(message, dispositions[index]));
      this.failures.succeeded();
      return null;
    } catch (error) {
      this.failures.failed(error);
      const retryAfterMs = jittered(FAILED_BATCH_PAUSE_MS);
      for (const { message } of batch) this.dispose(message, { retryAfterMs });
      return retryAfterMs;
    }
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
