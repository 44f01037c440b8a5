import { jittered, pause } from '@switchboard/timing';
import type { Consumer, ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import { boundConsumer, closeWhenEnded, drainPull, isLimitReached } from './bounded-pull.js';
import { consumerPullMetrics, type ConsumerPullMetrics } from './consumer-pull-metrics.js';
import { deliveredEventOf, type DeliveredEvent } from './delivered-event.js';
import { EventBatches } from './event-batches.js';
import type { PullConsumerOptions } from './pull-consumer-options.js';
import { ThrottledLog } from './throttled-log.js';

const FAILED_PULL_PAUSE_MS = 1_000;
/** How long one pull waits for events before it is asked anew. */
const PULL_MS = 10_000;
/** The next event of an aggregate is published when the one before it is stored. */
const FOLLOWS_MS = 40;
const NO_MESSAGES: AsyncIterable<JsMsg> = { async *[Symbol.asyncIterator]() {} };

/**
 * Takes events of a durable consumer in batches: the events that arrive during one batch are the next.
 *
 * One batch at a time unless it is asked for more, acknowledged after `handle` has committed; the broker does not deliver its
 * events to another replica meanwhile. Replicas share the consumer. A consumer that does not exist (yet, or any more) is retried
 * for ever.
 */
export class PullConsumer {
  private stopping = false;
  private messages: ConsumerMessages | undefined;
  private running: Promise<void> | undefined;
  /** The last pull has left more at the broker. */
  private isBehind = false;
  /** The last pull. */
  private hasFailed = false;
  /** Ends the pause between two pulls when the consumer stops. */
  private readonly stopSignal = new AbortController();
  private readonly batches: EventBatches;
  private readonly failures: ThrottledLog;
  private readonly metrics: ConsumerPullMetrics;

  constructor(private readonly options: PullConsumerOptions) {
    this.batches = new EventBatches(options);
    this.failures = new ThrottledLog(options.onError);
    this.metrics = consumerPullMetrics(options.consumer.name);
  }

  start(): void {
    this.running ??= this.loop();
  }

  /** Takes nothing further but what is on its way, and returns when the batch under way is done. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.stopSignal.abort();
    this.batches.stop();
    if (this.messages) await drainPull(this.messages);
    await this.running;
  }

  private async loop(): Promise<void> {
    while (!this.stopping) {
      try {
        await this.consume();
        this.hasFailed = false;
        this.failures.succeeded();
      } catch (error) {
        if (this.stopping) break;
        this.hasFailed = true;
        this.metrics.failed();
        this.failures.failed(error);
        await pause(jittered(FAILED_PULL_PAUSE_MS), this.stopSignal.signal);
      }
    }
    await this.batches.allHandled();
    this.metrics.ended();
  }

  private async consume(): Promise<void> {
    await this.rest();
    if (this.stopping) return;
    // A pull at a time, bounded by events and bytes, the next when all of this one is handled (with `readsAhead`: taken into a
    // batch): what waits stays with the broker, for any replica.
    const max_messages = this.options.batchMax;
    const name = (await this.options.durable?.(this.hasFailed)) ?? this.options.consumer.name;
    const { connection, consumer, pullsApartMs } = this.options;
    const endsWithWhatWaits = pullsApartMs !== undefined;
    const beganMs = performance.now();
    let isWhole = false;
    let delivered = 0;
    // Undefined while nothing has come: the broker may hold what this pull was not given.
    let left: number | undefined;
    const pull = async ({ isImpatient }: { readonly isImpatient: boolean }): Promise<void> => {
      const pulled = boundConsumer(connection, consumer, name, { endsWithWhatWaits, isImpatient });
      const limits = { max_messages: max_messages - delivered, expires: PULL_MS, bind: true };
      for await (const message of await this.begin(pulled, limits)) {
        delivered++;
        left = message.info.pending;
        const event = this.open(message);
        if (event) this.batches.add({ message, event });
      }
    };
    this.batches.pullBegins();
    try {
      await pull({ isImpatient: false });
      // What follows an event closely is taken with it. Where it did not have to be waited for they are there together.
      const { followsMs = FOLLOWS_MS } = this.options;
      const hasWaited = this.batches.waitingSinceMs - beganMs > followsMs;
      if (endsWithWhatWaits && hasWaited && delivered > 0 && delivered < max_messages) {
        await pause(followsMs, this.stopSignal.signal);
        if (!this.stopping) await pull({ isImpatient: true });
      }
      isWhole = true;
    } catch (error) {
      if (!isLimitReached(error)) throw error;
      isWhole = true;
      this.isBehind = true;
    } finally {
      if (delivered === max_messages) this.isBehind = true;
      const waitedWhole = delivered === 0 && performance.now() - beganMs >= PULL_MS;
      if (isWhole) this.metrics.pulled(left ?? (waitedWhole ? 0 : undefined));
      this.batches.pullEnds(delivered);
      // A pull may end by a failure while its events are worked on: what it reports comes after them.
      const readsOn = isWhole && this.options.readsAhead && !this.stopping;
      await (readsOn ? this.batches.allTaken() : this.batches.allHandled());
    }
  }

  /** @returns no messages when the consumer was stopped meanwhile */
  private async begin(pulled: Consumer, limits: Parameters<Consumer['fetch']>[0]): Promise<AsyncIterable<JsMsg>> {
    const messages = await pulled.fetch(limits);
    if (this.stopping) {
      // Not awaited: a pull that is never iterated lets go of its subscription at once, and never reports its end.
      void messages.close();
      return NO_MESSAGES;
    }
    this.messages = messages;
    if (this.options.pullsApartMs !== undefined) void closeWhenEnded(messages);
    return messages;
  }

  /** Until the next pull is due; none is behind one that left more. */
  private async rest(): Promise<void> {
    const { pullsApartMs } = this.options;
    if (pullsApartMs === undefined) return;
    const restMs = this.isBehind ? 0 : this.batches.waitingSinceMs + pullsApartMs - performance.now();
    this.isBehind = false;
    if (restMs > 0) await pause(restMs, this.stopSignal.signal);
  }

  /** Undefined for what is no event: it is dropped. */
  private open(message: JsMsg): DeliveredEvent | undefined {
    try {
      return deliveredEventOf(message);
    } catch (error) {
      this.options.onMalformed(message.subject, error);
      message.term('not an event envelope');
      return undefined;
    }
  }
}
