import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { isConcerned, type ConsumerTopology } from '@switchboard/contracts/consumers';
import {
  durableName,
  PullConsumer,
  ThrottledLog,
  type PullConsumerOptions,
  type DeliveredEvent,
  type Disposition,
  type NatsConnection,
  type Unhurried,
} from '@switchboard/nats';
import {
  consumerMetrics,
  handleBatch,
  redriveBatch,
  RedriveWalk,
  ServiceLead,
  type BatchHandler,
  type EventOrigin,
  type RecentEpoch,
} from '@switchboard/outbox';
import type { Database, Transaction } from '@switchboard/postgres';
import { WakeSignal } from '@switchboard/timing';
import type { Log } from './logger.js';
import { PollingLoop, type RoundResult } from './polling-loop.js';
import type { RedriveLook } from './redrive-look.js';

/** What a consumer needs of its service's `Platform`, which it injects as PLATFORM. */
export interface ConsumerPlatform {
  readonly database: Database;
  readonly nats: NatsConnection;
  readonly log: Log;
  readonly redrives: RedriveLook;
  readonly epoch: RecentEpoch;
}

/** Which events a consumer takes, and how. */
export interface EventConsumerSpec {
  readonly consumer: ConsumerTopology;
  /** Events of a batch at most. */
  readonly batchMax: number;
  /** Between the begins of two batches in the long run; see `PullConsumerOptions`. 10 ms by default. */
  readonly gatherMs?: number;
  /** Events without a waiting caller; see `PullConsumerOptions`. None by default. */
  readonly unhurried?: Unhurried;
  /** How far it may lag, so that events are delivered in bursts; see `PullConsumerOptions`. None by default. */
  readonly pullsApartMs?: number;
  /** Chooses the next batch among the events that wait; see `PullConsumerOptions`. All of them by default. */
  readonly nextOf?: PullConsumerOptions['nextOf'];
  /** Batches at once; see `PullConsumerOptions`. 1 by default. */
  readonly batchesMax?: number;
  /** Pulls the next batch while one is worked on; see `PullConsumerOptions`. False by default. */
  readonly readsAhead?: boolean;
  /** Events of different groups never share a transaction; groups follow one another. All are one group by default. */
  readonly groupOf?: (envelope: EventEnvelope) => string;
  /** Whose rows an event touches; see `BatchHandler`. */
  readonly lineOf?: (envelope: EventEnvelope) => string;
  /**
   * One replica takes the events at a time, so that they are applied in the order of their stream; another goes on when it
   * ends. False by default: replicas share them.
   */
  readonly isExclusive?: boolean;
  /** A batch that fails is worked on again before what came behind it; see `PullConsumerOptions`. False by default. */
  readonly keepsOrder?: boolean;
  /** For how long an event that must wait stays in this process; see `BatchHandler`. It is given back by default. */
  readonly parkMs?: number;
  /** Called with the events of a batch after its transactions, of which one may have failed: for example to wake the relay. */
  readonly onBatch?: (events: readonly DeliveredEvent[]) => void;
}

/** `RedriveLook` wakes the walk; a net beneath it. */
const REDRIVE_IDLE_MS = 600_000;
const GATHER_MS = 10;
/** For an event without a disposition, which is a defect of `handleBatch`. */
const AGAIN: Disposition = { retryAfterMs: 1_000 };

/**
 * A durable consumer of events as a Nest provider; a subclass says what its events do. Starts with the application;
 * `onModuleDestroy` waits for the batch under way.
 *
 * Each effect is applied once, of what the broker delivers and of the dead letters that an operator has marked to be
 * driven again. Both take the same path, so that the broker's window of duplicates plays no part.
 */
export abstract class EventConsumer<Prepared>
  implements Pick<BatchHandler<Prepared>, 'prepare' | 'apply'>, OnApplicationBootstrap, OnModuleDestroy
{
  readonly #batch: BatchHandler<Prepared>;
  readonly #pull: Pick<PullConsumer, 'start' | 'stop'>;
  readonly #redrive: PollingLoop;
  readonly #redriveSignal = new WakeSignal();
  readonly #marked: RedriveWalk;
  readonly #platform: ConsumerPlatform;
  readonly #spec: EventConsumerSpec;

  constructor(platform: ConsumerPlatform, spec: EventConsumerSpec) {
    this.#platform = platform;
    this.#spec = spec;
    const { consumer } = spec;
    const { log } = platform;
    const name = consumer.name;
    consumerMetrics().declare(name);
    const linesAway = new ThrottledLog<ReadonlyMap<string, unknown>>((away) =>
      log.error('consumer.lines-failed', [...away.values()][0], { consumer: name, lines: [...away.keys()].join(' ') }),
    );
    this.#batch = {
      database: platform.database,
      consumer: name,
      lineOf: spec.lineOf,
      parkMs: spec.parkMs,
      prepare: (events) => this.prepare(events),
      apply: (...given) => this.apply(...given),
      onDead: ({ envelope: { id: eventId, subject }, deliveries }, error) =>
        log.error('event.dead-letter', error, { consumer: name, eventId, subject, deliveries }),
      onLinesAway: (away) => linesAway.failed(away),
    };
    const onError = (error: unknown): void => log.error('consumer.batch-failed', error, { consumer: name });
    const pull = (): PullConsumer =>
      new PullConsumer({
        connection: platform.nats,
        consumer,
        durable: async (hasFailed) => durableName(consumer, await platform.epoch.read(hasFailed)),
        batchMax: spec.batchMax,
        gatherMs: spec.gatherMs ?? GATHER_MS,
        ...(spec.unhurried === undefined ? {} : { unhurried: spec.unhurried }),
        ...(spec.pullsApartMs === undefined ? {} : { pullsApartMs: spec.pullsApartMs }),
        ...(spec.nextOf === undefined ? {} : { nextOf: spec.nextOf }),
        batchesMax: spec.batchesMax ?? 1,
        readsAhead: spec.readsAhead ?? false,
        keepsOrder: spec.keepsOrder ?? false,
        handle: (events) => this.#handle(events),
        onMalformed: (subject, error) => log.error('event.malformed', error, { consumer: name, subject }),
        onError,
      });
    const leadFailures = new ThrottledLog(onError);
    const work = (over: AbortSignal): Promise<void> => {
      leadFailures.succeeded();
      return pullUntil(pull(), over);
    };
    const onLeadError = (error: unknown): void => leadFailures.failed(error);
    const lead = { database: platform.database, name: `consumer ${name}`, work, onError: onLeadError };
    this.#pull = spec.isExclusive ? new ServiceLead(lead) : pull();
    this.#marked = new RedriveWalk(platform.database, name);
    this.#redrive = new PollingLoop({
      round: () => this.#redriveMarked(),
      idleMs: REDRIVE_IDLE_MS,
      signal: this.#redriveSignal,
      onError: (error) => log.error('consumer.redrive-failed', error, { consumer: name }),
    });
  }

  /** What has to be asked of other services before the transaction; see `BatchHandler`. */
  abstract prepare(events: readonly DeliveredEvent[]): Promise<Prepared>;

  /** The effect, in the transaction of the inbox rows; see `BatchHandler`. @returns ids of events that must wait */
  abstract apply(
    tx: Transaction,
    events: readonly DeliveredEvent[],
    prepared: Prepared,
    origin: EventOrigin,
  ): Promise<ReadonlySet<string>>;

  onApplicationBootstrap(): void {
    this.#pull.start();
    this.#redrive.start();
    this.#platform.redrives.add(this.#spec.consumer.name, this.#redriveSignal);
  }

  /** Takes nothing further and returns when the batch under way is done. */
  async onModuleDestroy(): Promise<void> {
    this.#platform.redrives.remove(this.#redriveSignal);
    await Promise.all([this.#pull.stop(), this.#redrive.stop()]);
  }

  async #handle(events: readonly DeliveredEvent[]): Promise<Disposition[]> {
    const { consumer } = this.#spec;
    const { concerned = [], ignored = [] } = Object.groupBy(events, ({ envelope }) =>
      isConcerned(consumer, envelope) ? 'concerned' : 'ignored',
    );
    const dispositions = new Map<DeliveredEvent, Disposition>(ignored.map((event) => [event, { ack: true }]));
    await this.#inGroups(concerned, async (group) => {
      const outcome = await handleBatch(this.#batch, group);
      group.forEach((event, index) => dispositions.set(event, outcome[index] ?? AGAIN));
    });
    consumerMetrics().handled(consumer.name, 'ignored', ignored.length);
    return events.map((event) => dispositions.get(event) ?? AGAIN);
  }

  #redriveMarked(): Promise<RoundResult> {
    return this.#marked.round(async (letters) => {
      let count = 0;
      await this.#inGroups(letters, async (group) => void (count += await redriveBatch(this.#batch, group)));
      if (count > 0) this.#platform.log.info('consumer.redriven', { consumer: this.#spec.consumer.name, count });
      return count;
    });
  }

  async #inGroups(
    events: readonly DeliveredEvent[],
    work: (group: readonly DeliveredEvent[]) => Promise<void>,
  ): Promise<void> {
    if (events.length === 0) return;
    const { groupOf, onBatch } = this.#spec;
    const groups = groupOf ? Map.groupBy(events, ({ envelope }) => groupOf(envelope)).values() : [events];
    try {
      for (const group of groups) await work(group);
    } finally {
      onBatch?.(events);
    }
  }
}

async function pullUntil(pull: PullConsumer, over: AbortSignal): Promise<void> {
  pull.start();
  if (!over.aborted) await new Promise((resolve) => over.addEventListener('abort', resolve, { once: true }));
  await pull.stop();
}
