import { setTimeout as wait } from 'node:timers/promises';
import type { ConsumerTopology } from '@switchboard/contracts/consumers';
import { BurstPace, jittered, pause } from '@switchboard/timing';
import type { ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { AckDeadlines } from './ack-deadline.js';
import { boundConsumer, closeWhenEnded, drainPull, isLimitReached } from './bounded-pull.js';
import { deliveredEventOf, type DeliveredEvent } from './delivered-event.js';
import { ThrottledLog } from './throttled-log.js';

/** What is to become of a delivered event. */
export type Disposition = { readonly ack: true } | { readonly retryAfterMs: number };

/** Which events have time, and how much. */
export interface Unhurried {
  readonly includes: (event: DeliveredEvent) => boolean;
  /** Between the begins of two batches at least. */
  readonly gatherMs: number;
}

interface Pulled {
  readonly message: JsMsg;
  readonly event: DeliveredEvent;
}

/** How a consumer works. */
export interface PullConsumerOptions {
  readonly connection: NatsConnection;
  readonly consumer: ConsumerTopology;
  /** Which durable consumer is pulled from, asked before each pull; the consumer's own name by default. */
  readonly durable?: () => Promise<string>;
  /** Events of a batch at most. */
  readonly batchMax: number;
  /**
   * Between the begins of two batches in the long run, unless the next is full: events that follow one another closely share
   * one. After a quiet time three may follow at once, so that the first event holds up none that comes right behind it. None by default.
   */
  readonly gatherMs?: number;
  /** Events without a waiting caller: a batch of these alone begins so long after the last, unless it is full. None by default. */
  readonly unhurried?: Unhurried;
  /**
   * From the first event of a pull to the next pull at least, unless it was full; a pull then ends with what waits at the
   * broker, and is the next batch. For who may lag by so much: what comes meanwhile is delivered in one burst, and wakes
   * broker and process once, not once an event. Without it a pull lasts, and each event is delivered when it comes.
   */
  readonly pullsApartMs?: number;
  /**
   * Pulls the next batch while one is worked on: for who has to take in what waits fast. It holds two pulls, which its replicas
   * get only when it ends. False by default.
   */
  readonly readsAhead?: boolean;
  /**
   * Chooses the next batch among the events that wait, one at least; the others, and those that come meanwhile, are chosen from
   * after it, without a pause. All of them by default.
   */
  readonly nextOf?: (events: readonly DeliveredEvent[]) => readonly DeliveredEvent[];
  /** One disposition per event, in order; throwing gives all of them back after a pause. */
  readonly handle: (events: readonly DeliveredEvent[]) => Promise<readonly Disposition[]>;
  /** Called with a message that is no event envelope; the message is dropped. */
  readonly onMalformed: (subject: string, error: unknown) => void;
  /** Called with failures of pulling and of batches, throttled while they last. */
  readonly onError: (error: unknown) => void;
  /** How often what is being worked on is extended; 10 s by default. */
  readonly extensionIntervalMs?: number;
}

/** Batches that may follow one another at once after a quiet time. */
const BATCHES_AT_ONCE = 3;
const FAILED_BATCH_PAUSE_MS = 1_000;
/** How long one pull waits for events before it is asked anew. */
const PULL_MS = 10_000;

/**
 * Takes events of a durable consumer in batches: the events that arrive during one batch are the next.
 *
 * One batch at a time, acknowledged after `handle` has committed; the broker does not deliver its events to another replica
 * meanwhile. Replicas share the consumer. A consumer that does not exist (yet, or any more) is retried for ever.
 */
export class PullConsumer {
  private stopping = false;
  private messages: ConsumerMessages | undefined;
  private running: Promise<void> | undefined;
  private batchBeganMs = -Infinity;
  private readonly pace: BurstPace;
  /** The last pull has left more at the broker. */
  private isBehind = false;
  /** Ends the pause between two pulls when the consumer stops. */
  private readonly stopSignal = new AbortController();
  /** Pulled and not yet taken into a batch. */
  private waiting: Pulled[] = [];
  /** When the first of them was pulled, or of those before them. */
  private waitingSinceMs = -Infinity;
  /** More may come before what waits is taken. */
  private isPulling = false;
  /** Among what waits is an event that has no time. */
  private isHurried = false;
  private working: Promise<void> | undefined;
  /** Ends the pause before a batch that is whole or hurried now. */
  private lookAgain: (() => void) | undefined;
  /** Of a batch that takes what waits. */
  private taken = Promise.withResolvers<void>();
  private readonly deadlines: AckDeadlines;
  private readonly pulls: ThrottledLog;
  private readonly batches: ThrottledLog;

  constructor(private readonly options: PullConsumerOptions) {
    this.pace = new BurstPace(options.gatherMs ?? 0, BATCHES_AT_ONCE);
    this.deadlines = new AckDeadlines(options.extensionIntervalMs);
    this.pulls = new ThrottledLog(options.onError);
    this.batches = new ThrottledLog(options.onError);
  }

  start(): void {
    this.running ??= this.loop();
  }

  /** Takes nothing further but what is on its way, and returns when the batch under way is done. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.stopSignal.abort();
    this.lookAgain?.();
    if (this.messages) await drainPull(this.messages);
    await this.running;
  }

  private async loop(): Promise<void> {
    while (!this.stopping) {
      try {
        await this.consume();
        this.pulls.succeeded();
      } catch (error) {
        if (this.stopping) break;
        this.pulls.failed(error);
        await wait(jittered(FAILED_BATCH_PAUSE_MS));
      }
    }
    await this.working;
  }

  private async consume(): Promise<void> {
    await this.rest();
    if (this.stopping) return;
    // A pull at a time, bounded by events and bytes, the next when all of this one is handled (with `readsAhead`: taken into a
    // batch): what waits stays with the broker, for any replica.
    const max_messages = this.options.batchMax;
    const name = (await this.options.durable?.()) ?? this.options.consumer.name;
    const { connection, consumer, pullsApartMs } = this.options;
    const pulled = boundConsumer(connection, consumer, name, { endsWithWhatWaits: pullsApartMs !== undefined });
    const messages = await pulled.fetch({ max_messages, expires: PULL_MS, bind: true });
    // Not awaited: a pull that is never iterated lets go of its subscription at once, and never reports its end.
    if (this.stopping) return void messages.close();
    this.messages = messages;
    this.isPulling = true;
    if (pullsApartMs !== undefined) void closeWhenEnded(messages);
    let isWhole = false;
    let delivered = 0;
    try {
      for await (const message of messages) {
        delivered++;
        this.deadlines.hold(message);
        const event = this.open(message);
        if (!event) continue;
        this.add({ message, event });
        this.working ??= Promise.resolve().then(() => this.work());
      }
      isWhole = true;
    } catch (error) {
      if (!isLimitReached(error)) throw error;
      isWhole = true;
      this.isBehind = true;
    } finally {
      this.isPulling = false;
      if (delivered === max_messages) this.isBehind = true;
      // The broker serves another replica first: asked at once it would say so again.
      if (delivered === 0) this.waitingSinceMs = performance.now();
      this.lookAgain?.();
      // A pull may end by a failure while its events are worked on: what it reports comes after them.
      await (isWhole && this.options.readsAhead && !this.stopping ? this.allTaken() : this.working);
    }
  }

  /** Until the next pull is due; none is behind one that left more. */
  private async rest(): Promise<void> {
    const { pullsApartMs } = this.options;
    if (pullsApartMs === undefined) return;
    const restMs = this.isBehind ? 0 : this.waitingSinceMs + pullsApartMs - performance.now();
    this.isBehind = false;
    if (restMs > 0) await pause(restMs, this.stopSignal.signal);
  }

  private async work(): Promise<void> {
    for (let hasLeft = false; this.waiting.length > 0;) {
      if (!hasLeft) await this.gather();
      const batch = this.nextBatch();
      this.waiting = this.waiting.filter((pulled) => !batch.has(pulled));
      hasLeft = this.waiting.length > 0;
      this.isHurried = this.waiting.some(({ event }) => !this.hasTime(event));
      this.taken.resolve();
      this.taken = Promise.withResolvers();
      const failedPauseMs = await this.handle([...batch]);
      // What is left of a pull in parts stays behind what failed, and is another replica's when this one stops.
      const isOver = this.stopping || failedPauseMs !== null;
      if (hasLeft && isOver && this.options.nextOf) this.giveBackWaiting(failedPauseMs ?? 0);
    }
    this.working = undefined;
  }

  private giveBackWaiting(retryAfterMs: number): void {
    const left = this.waiting.splice(0);
    this.isHurried = false;
    this.taken.resolve();
    for (const { message } of left) this.dispose(message, { retryAfterMs });
  }

  private nextBatch(): ReadonlySet<Pulled> {
    const { batchMax, nextOf } = this.options;
    const first = this.waiting.slice(0, batchMax);
    const next = nextOf && new Set(nextOf(first.map(({ event }) => event)));
    return new Set(next ? first.filter(({ event }) => next.has(event)) : first);
  }

  private async allTaken(): Promise<void> {
    while (this.waiting.length > 0) await this.taken.promise;
  }

  private add(pulled: Pulled): void {
    if (this.waiting.length === 0) this.waitingSinceMs = performance.now();
    this.waiting.push(pulled);
    const isFirstHurried = !this.isHurried && !this.hasTime(pulled.event);
    if (isFirstHurried) this.isHurried = true;
    if (isFirstHurried || this.waiting.length >= this.options.batchMax) this.lookAgain?.();
  }

  private hasTime(event: DeliveredEvent): boolean {
    return this.options.unhurried?.includes(event) ?? false;
  }

  /** A batch after a quiet time begins at once, and so does one to which nothing can come any more. */
  private async gather(): Promise<void> {
    while (this.isPulling && !this.stopping && this.waiting.length < this.options.batchMax) {
      const restMs = this.readyMs - performance.now();
      if (restMs <= 0) break;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, restMs);
        this.lookAgain = () => (clearTimeout(timer), resolve());
      });
      this.lookAgain = undefined;
    }
    this.batchBeganMs = performance.now();
    this.pace.begin(this.batchBeganMs);
  }

  /** When the batch of what waits begins, whatever comes until then. */
  private get readyMs(): number {
    const { unhurried, pullsApartMs } = this.options;
    // The end of a pull that does not last is on its way, right behind its last event.
    if (pullsApartMs !== undefined) return this.waitingSinceMs + pullsApartMs;
    return unhurried && !this.isHurried ? this.batchBeganMs + unhurried.gatherMs : this.pace.readyMs;
  }

  /** Never rejects. @returns after which pause its events come again, all of them, because it has failed; null otherwise */
  private async handle(batch: readonly Pulled[]): Promise<number | null> {
    try {
      const dispositions = await this.options.handle(batch.map(({ event }) => event));
      batch.forEach(({ message }, index) => this.dispose(message, dispositions[index]));
      this.batches.succeeded();
      return null;
    } catch (error) {
      this.batches.failed(error);
      const retryAfterMs = jittered(FAILED_BATCH_PAUSE_MS);
      for (const { message } of batch) this.dispose(message, { retryAfterMs });
      return retryAfterMs;
    }
  }

  /** Undefined for what is no event: it is dropped. */
  private open(message: JsMsg): DeliveredEvent | undefined {
    try {
      return deliveredEventOf(message);
    } catch (error) {
      this.options.onMalformed(message.subject, error);
      this.deadlines.release(message);
      message.term('not an event envelope');
      return undefined;
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
