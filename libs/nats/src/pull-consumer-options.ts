import type { ConsumerTopology } from '@switchboard/contracts/consumers';
import type { NatsConnection } from '@nats-io/transport-node';
import type { DeliveredEvent } from './delivered-event.js';

/**
 * What is to become of a delivered event. One that is parked stays in this process, while there is room, and is handed over again
 * when an event of its aggregate is acknowledged, or after `parkMs`; without room it is given back, to come again after `retryAfterMs`.
 */
export type Disposition = { readonly ack: true } | { readonly retryAfterMs: number; readonly parkMs?: number };

/** Which events have time, and how much. */
export interface Unhurried {
  readonly includes: (event: DeliveredEvent) => boolean;
  /** Between the begins of two batches at least. */
  readonly gatherMs: number;
  /** Which of them wait so long after a quiet time too: something follows closely that they can go with. None by default. */
  readonly precedes?: (event: DeliveredEvent) => boolean;
}

/** How a consumer works. */
export interface PullConsumerOptions {
  readonly connection: NatsConnection;
  readonly consumer: ConsumerTopology;
  /**
   * Which durable consumer is pulled from, asked before each pull; the consumer's own name by default.
   *
   * @param hasFailed the last pull: what was known of the consumer may be true no longer
   */
  readonly durable?: (hasFailed: boolean) => Promise<string>;
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
   * broker, and with what follows an event that was waited for, and is the next batch. For who may lag by so much: what comes meanwhile is delivered in one burst, and wakes
   * broker and process once, not once an event. Without it a pull lasts, and each event is delivered when it comes.
   */
  readonly pullsApartMs?: number;
  /** How long what follows an event closely is waited for, with `pullsApartMs`; 40 ms by default. */
  readonly followsMs?: number;
  /**
   * Pulls the next batch while one is worked on: for who has to take in what waits fast. It holds two pulls, which its replicas
   * get only when it ends. False by default.
   */
  readonly readsAhead?: boolean;
  /**
   * Chooses the next batch among the events that wait, with one at least that is due: an event that has time may go with others. What
   * was due and was not chosen is due at once after it. None when all that are due have to wait for what is under way: it is asked
   * again when a batch ends, or another event is due. All of them by default.
   */
  readonly nextOf?: (
    events: readonly DeliveredEvent[],
    underWay: readonly DeliveredEvent[],
    isDue: (event: DeliveredEvent) => boolean,
  ) => readonly DeliveredEvent[];
  /** Batches at once; more than one only with `nextOf`, which knows what may go next to what is under way. 1 by default. */
  readonly batchesMax?: number;
  /**
   * A batch that fails is worked on again here, after a pause and before what waits, so that nothing of the stream passes it by. It is
   * given back when the consumer stops. False by default.
   */
  readonly keepsOrder?: boolean;
  /** One disposition per event, in order; throwing gives all of them back after a pause, or keeps them (`keepsOrder`). */
  readonly handle: (events: readonly DeliveredEvent[]) => Promise<readonly Disposition[]>;
  /** Called with a message that is no event envelope; the message is dropped. */
  readonly onMalformed: (subject: string, error: unknown) => void;
  /** Called with failures of pulling and of batches, throttled while they last. */
  readonly onError: (error: unknown) => void;
}
