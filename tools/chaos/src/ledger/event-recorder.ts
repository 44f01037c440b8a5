import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { isConcerned, valueAt, type ConsumerTopology } from '@switchboard/contracts/consumers';
import { topology, type ServiceTopology } from '@switchboard/contracts/topology';
import { provisionConsumer, PullConsumer, type NatsConnection } from '@switchboard/nats';
import { connectAdministrator } from './administrator.js';
import type { RecordedEvent } from './ledgers.js';

const ACK_PENDING_MAX = 5_000;
const BATCH_MAX = 500;
const AGAIN_MS = 200;
const CONSUMERS = Object.values<ServiceTopology>(topology).flatMap(({ consumes }) => consumes);

/** A consumer as any service has it, on every stream, that remembers what it saw. */
export class EventRecorder {
  private readonly events = new Map<string, RecordedEvent>();
  /** `consumer event` of events that change nothing at a consumer. */
  private readonly unconcerned = new Set<string>();
  private deliveries = 0;
  private stopping = false;
  private pulls: PullConsumer[] = [];
  private renewing: Promise<void> = Promise.resolve();

  private constructor(private readonly connection: NatsConnection) {}

  /**
   * Begins to record every event of every stream, the stored ones included.
   *
   * @param natsUrl with the credentials of a user who may do everything
   */
  static async start(natsUrl: string): Promise<EventRecorder> {
    let onReconnect = (): void => undefined;
    const connection = await connectAdministrator(natsUrl, (status) =>
      status === 'reconnect' ? onReconnect() : undefined,
    );
    const recorder = new EventRecorder(connection);
    // A pull that the broker has forgotten would be noticed only when its time is over.
    onReconnect = () => void recorder.renew();
    await recorder.renew();
    return recorder;
  }

  /** In the order of first sight. */
  get seen(): readonly RecordedEvent[] {
    return [...this.events.values()];
  }

  /** Number of events seen so far. */
  get size(): number {
    return this.events.size;
  }

  /** Deliveries of events that had been seen before. */
  get repeats(): number {
    return this.deliveries - this.events.size;
  }

  has(id: string): boolean {
    return this.events.has(id);
  }

  /** Whether an event that was seen may change something at a consumer. */
  concerns(consumer: ConsumerTopology, id: string): boolean {
    return !this.unconcerned.has(`${consumer.name} ${id}`);
  }

  /** Makes the consumers, where they are missing, and asks anew: after the store was lost, or the link. */
  renew(): Promise<void> {
    this.renewing = this.renewing.then(() => this.replaceBackoffLoop());
    return this.renewing;
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await this.renewing;
    await Promise.all(this.pulls.map((pull) => pull.stop()));
    await this.connection.close();
  }

  /** A broker that has just begun anew has no streams yet. */
  private async replaceBackoffLoop(): Promise<void> {
    while (!this.stopping) {
      try {
        return await this.replacePulls();
      } catch {
        await wait(AGAIN_MS);
      }
    }
  }

  private async replacePulls(): Promise<void> {
    for (const pull of this.pulls.splice(0)) void pull.stop().catch(() => undefined);
    for (const consumer of recorderConsumers()) {
      await provisionConsumer(this.connection, consumer);
      const pull = new PullConsumer({
        connection: this.connection,
        consumer,
        batchMax: BATCH_MAX,
        handle: async (delivered) => {
          for (const { envelope } of delivered) this.record(envelope);
          return delivered.map(() => ({ ack: true }) as const);
        },
        onMalformed: (subject) => {
          throw new Error(`${subject} carries no envelope`);
        },
        onError: () => undefined,
      });
      pull.start();
      this.pulls.push(pull);
    }
  }

  private record(envelope: EventEnvelope): void {
    this.deliveries++;
    if (this.events.has(envelope.id)) return;
    const { id, subject, aggregateId, sequence, data } = envelope;
    const digest = createHash('md5').update(JSON.stringify(envelope)).digest('hex');
    this.events.set(id, { id, subject, aggregateId, sequence, messageId: messageIdOf(data), digest });
    for (const consumer of CONSUMERS) {
      if (!isConcerned(consumer, envelope)) this.unconcerned.add(`${consumer.name} ${id}`);
    }
  }
}

/** One durable consumer on each stream of the topology, without a part in any service's work. */
function recorderConsumers(): ConsumerTopology[] {
  return Object.entries<ServiceTopology>(topology).flatMap(([service, { stream }]) =>
    stream === null ? [] : [{ name: 'chaos-recorder', stream, filter: `${service}.>`, ackPendingMax: ACK_PENDING_MAX }],
  );
}

/** `data.message.id` of a fact about a message, the reference of a status callback; null for all else. */
function messageIdOf(data: unknown): string | null {
  return textAt(data, 'message', 'id') ?? textAt(data, 'item', 'biz_opaque_callback_data') ?? null;
}

function textAt(data: unknown, ...path: readonly string[]): string | undefined {
  const value = valueAt(data, path);
  return typeof value === 'string' ? value : undefined;
}
