import { setTimeout as wait } from 'node:timers/promises';
import { ROOT_CONTEXT, type Context } from '@opentelemetry/api';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import type { ConsumerTopology } from '@switchboard/contracts/consumers';
import { jittered } from '@switchboard/timing';
import {
  AckPolicy,
  DeliverPolicy,
  ReplayPolicy,
  type Consumer,
  type ConsumerInfo,
  type ConsumerMessages,
  type JsMsg,
} from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { AckDeadlines } from './ack-deadline.js';
import { boundedPulls, isLimitReached } from './bounded-pull.js';
import { ThrottledLog } from './throttled-log.js';
import { contextOfHeaders } from './trace-headers.js';

/** An event as it was delivered. */
export interface DeliveredEvent {
  readonly envelope: EventEnvelope;
  /** 1 on the first delivery. */
  readonly deliveries: number;
  /** The trace that published it. */
  readonly context: Context;
}

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
   * Between the begins of two batches at least, unless the next is full: events that follow one another closely share one.
   * None by default.
   */
  readonly gatherMs?: number;
  /** Events without a waiting caller: a batch of these alone begins so long after the last, unless it is full. None by default. */
  readonly unhurried?: Unhurried;
  /**
   * Pulls the next batch while one is worked on: for who has to take in what waits fast. It holds two pulls, which its replicas
   * get only when it ends. False by default.
   */
  readonly readsAhead?: boolean;
  /** One disposition per event, in order; throwing gives all of them back after a pause. */
  readonly handle: (events: readonly DeliveredEvent[]) => Promise<readonly Disposition[]>;
  /** Called with a message that is no event envelope; the message is dropped. */
  readonly onMalformed: (subject: string, error: unknown) => void;
  /** Called with failures of pulling and of batches, throttled while they last. */
  readonly onError: (error: unknown) => void;
  /** How often what is being worked on is extended; 10 s by default. */
  readonly extensionIntervalMs?: number;
}

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
  /** Pulled and not yet taken into a batch. */
  private waiting: Pulled[] = [];
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
    this.deadlines = new AckDeadlines(options.extensionIntervalMs);
    this.pulls = new ThrottledLog(options.onError);
    this.batches = new ThrottledLog(options.onError);
  }

  start(): void {
    this.running ??= this.loop();
  }

  /** Takes nothing further and returns when the batch under way is done. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.lookAgain?.();
    await this.messages?.close();
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
    // A pull at a time, bounded by events and bytes, the next when all of this one is handled (with `readsAhead`: taken into a
    // batch): what waits stays with the broker, for any replica.
    const max_messages = this.options.batchMax;
    const name = (await this.options.durable?.()) ?? this.options.consumer.name;
    const messages = await boundConsumer(this.options, name).fetch({ max_messages, expires: PULL_MS, bind: true });
    if (this.stopping) {
      // Not awaited: a pull that is never iterated lets go of its subscription at once, and never reports its end.
      void messages.close();
      return;
    }
    this.messages = messages;
    this.isPulling = true;
    let isWhole = false;
    try {
      for await (const message of messages) {
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
    } finally {
      this.isPulling = false;
      this.lookAgain?.();
      // A pull may end by a failure while its events are worked on: what it reports comes after them.
      await (isWhole && this.options.readsAhead && !this.stopping ? this.allTaken() : this.working);
    }
  }

  private async work(): Promise<void> {
    while (this.waiting.length > 0) {
      await this.gather();
      const batch = this.waiting.slice(0, this.options.batchMax);
      this.waiting = this.waiting.slice(batch.length);
      this.isHurried = this.waiting.some(({ event }) => !this.hasTime(event));
      this.taken.resolve();
      this.taken = Promise.withResolvers();
      await this.handle(batch);
    }
    this.working = undefined;
  }

  private async allTaken(): Promise<void> {
    while (this.waiting.length > 0) await this.taken.promise;
  }

  private add(pulled: Pulled): void {
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
    const { batchMax, gatherMs = 0, unhurried } = this.options;
    while (this.isPulling && !this.stopping && this.waiting.length < batchMax) {
      const apartMs = this.isHurried ? gatherMs : (unhurried?.gatherMs ?? gatherMs);
      const restMs = this.batchBeganMs + apartMs - performance.now();
      if (restMs <= 0) break;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, restMs);
        this.lookAgain = () => (clearTimeout(timer), resolve());
      });
      this.lookAgain = undefined;
    }
    this.batchBeganMs = performance.now();
  }

  /** Never rejects. */
  private async handle(batch: readonly Pulled[]): Promise<void> {
    try {
      const dispositions = await this.options.handle(batch.map(({ event }) => event));
      batch.forEach(({ message }, index) => this.dispose(message, dispositions[index]));
      this.batches.succeeded();
    } catch (error) {
      this.batches.failed(error);
      for (const { message } of batch) this.dispose(message, undefined);
    }
  }

  /** Undefined for what is no event: it is dropped. */
  private open(message: JsMsg): DeliveredEvent | undefined {
    try {
      const envelope = message.json<EventEnvelope>();
      if (!isEnvelope(envelope)) throw new TypeError('not an event envelope');
      const deliveries = message.info.deliveryCount;
      return { envelope, deliveries, context: contextOfHeaders(message.headers, ROOT_CONTEXT) };
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

/** Whether the inbox can know it and a dead letter can hold it. */
function isEnvelope(value: unknown): value is EventEnvelope {
  if (typeof value !== 'object' || value === null || !('id' in value) || !('subject' in value)) return false;
  return typeof value.id === 'string' && value.id !== '' && typeof value.subject === 'string';
}

/** The consumer as provisioned, without asking for its info: a service's user may not use that part of the API. */
function boundConsumer({ connection, consumer }: PullConsumerOptions, name: string): Consumer {
  const info: Partial<ConsumerInfo> = {
    stream_name: consumer.stream,
    name,
    config: {
      durable_name: name,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      replay_policy: ReplayPolicy.Instant,
    },
  };
  return boundedPulls(connection).consumers.getConsumerFromInfo(info as ConsumerInfo);
}
