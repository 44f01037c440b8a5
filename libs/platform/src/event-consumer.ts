import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import type { ConsumerTopology } from '@switchboard/contracts/topology';
import { PullConsumer, type DeliveredEvent, type Disposition, type NatsConnection } from '@switchboard/nats';
import { consumerMetrics, handleBatch, markedLetters, redriveBatch, type BatchHandler } from '@switchboard/outbox';
import type { Database } from '@switchboard/postgres';
import type { Log } from './logger.js';
import { PollingLoop } from './polling-loop.js';

/** What a consumer does with its events; see `BatchHandler` for what is promised to it. */
export type EventHandler<Prepared> = Pick<BatchHandler<Prepared>, 'prepare' | 'apply'>;

/** A consumer of events, declared once. */
export interface EventConsumerSpec<Prepared> {
  readonly database: Database;
  readonly connection: NatsConnection;
  readonly log: Log;
  readonly consumer: ConsumerTopology;
  readonly handler: EventHandler<Prepared>;
  /** Events of a batch at most. */
  readonly batchMax: number;
  /** Events of different groups never share a transaction; groups follow one another. All are one group by default. */
  readonly groupOf?: (envelope: EventEnvelope) => string;
  /** After the transactions of a batch; to wake the relay. */
  readonly onBatch?: () => void;
}

/** How soon after an operator's word a dead letter is tried again. */
const REDRIVE_IDLE_MS = 1_000;
const REDRIVE_MAX = 50;
/** What a group is given when its disposition is missing, which no handler does. */
const AGAIN: Disposition = { retryAfterMs: 1_000 };

/**
 * Brings a consumer's events to its handler, each effect once: what the broker delivers, and the dead letters that an
 * operator has marked to be driven again. Both go the same way, so that no window of the broker's plays a part.
 */
export class EventConsumer<Prepared> {
  private readonly batch: BatchHandler<Prepared>;
  private readonly pull: PullConsumer;
  private readonly redrive: PollingLoop;

  constructor(private readonly spec: EventConsumerSpec<Prepared>) {
    const { handler, log, consumer } = spec;
    const name = consumer.name;
    consumerMetrics().declare(name);
    this.batch = {
      database: spec.database,
      consumer: name,
      prepare: (events) => handler.prepare(events),
      apply: (tx, events, prepared) => handler.apply(tx, events, prepared),
      onDead: ({ envelope: { id: eventId, subject }, deliveries }, error) =>
        log.error('event.dead-letter', error, { consumer: name, eventId, subject, deliveries }),
    };
    this.pull = new PullConsumer({
      connection: spec.connection,
      consumer,
      batchMax: spec.batchMax,
      handle: (events) => this.handle(events),
      onMalformed: (subject, error) => log.error('event.malformed', error, { consumer: name, subject }),
      onError: (error) => log.error('consumer.batch-failed', error, { consumer: name }),
    });
    this.redrive = new PollingLoop({
      round: () => this.redriveMarked(),
      idleMs: REDRIVE_IDLE_MS,
      onError: (error) => log.error('consumer.redrive-failed', error, { consumer: name }),
    });
  }

  start(): void {
    this.pull.start();
    this.redrive.start();
  }

  /** Takes nothing further and returns when what is under way is done. */
  async stop(): Promise<void> {
    await Promise.all([this.pull.stop(), this.redrive.stop()]);
  }

  private async handle(events: readonly DeliveredEvent[]): Promise<Disposition[]> {
    const dispositions = new Map<DeliveredEvent, Disposition>();
    for (const group of this.groups(events)) {
      const outcome = await handleBatch(this.batch, group);
      group.forEach((event, index) => dispositions.set(event, outcome[index] ?? AGAIN));
    }
    this.spec.onBatch?.();
    return events.map((event) => dispositions.get(event) ?? AGAIN);
  }

  private async redriveMarked(): Promise<boolean> {
    const { database, consumer, log } = this.spec;
    const events = await markedLetters(database, consumer.name, REDRIVE_MAX);
    if (events.length === 0) return false;
    for (const group of this.groups(events)) await redriveBatch(this.batch, group);
    log.info('consumer.redriven', { consumer: consumer.name, count: events.length });
    this.spec.onBatch?.();
    return true;
  }

  private groups(events: readonly DeliveredEvent[]): Iterable<DeliveredEvent[]> {
    const { groupOf } = this.spec;
    return groupOf ? Map.groupBy(events, ({ envelope }) => groupOf(envelope)).values() : [[...events]];
  }
}
