import type { EventDefinition } from '@switchboard/contracts/grammar/define-event';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { EventPublisher } from '@switchboard/nats';
import type { Database } from '@switchboard/postgres';
import { createLog, startService, type RunningService } from '@switchboard/platform';
import type { ServiceDatabase, TestNats, TestServers } from '@switchboard/testing';
import { PatientRpcClient } from '@switchboard/testing/patient-rpc-client';
import { webhooksMigrations } from '../src/migrations/all.js';
import { webhooksConfig } from '../src/webhooks.config.js';
import { WebhooksModule } from '../src/webhooks.module.js';
import { startReceiver, type Receiver } from './receiver.js';

/** The webhooks service on real servers, with a receiver of customers. */
export interface RunningWebhooks {
  /** As the gateway calls. */
  readonly gateway: PatientRpcClient;
  readonly superuser: Database;
  readonly receiver: Receiver;
  readonly prepared: ServiceDatabase;
  readonly nats: TestNats;
  /** What a process of the service is given. */
  readonly environment: Readonly<Record<string, string>>;
  /** Starts a replica within this process; ended after the tests. @param more of its environment */
  start(more?: Readonly<Record<string, string>>): Promise<RunningService>;
  /** Publishes an event in its owner's name. @returns its id */
  publish<Data>(event: PublishedEvent<Data>): Promise<string>;
}

/** An event as its owner would emit it. */
export interface PublishedEvent<Data> {
  readonly event: EventDefinition<Data>;
  readonly organizationId: string;
  readonly aggregateId: string;
  readonly sequence: number | null;
  readonly data: Data;
  readonly id?: string;
  readonly occurredAt?: Date;
}

/**
 * Starts servers and one replica.
 *
 * @param timeScale of the waits between attempts
 * @param requestDeadlineMs in place of 10 s: a request must last for as long as a busy machine needs for what is tried meanwhile
 */
export async function startWebhooks(
  servers: TestServers,
  timeScale = 1,
  replicas = 1,
  requestDeadlineMs = 60_000,
): Promise<RunningWebhooks> {
  const prepared = await servers.serviceDatabase('webhooks', webhooksMigrations);
  const nats = await servers.nats();
  const receiver = await startReceiver(servers.onEnd);
  const environment = {
    DATABASE_URL: prepared.url,
    NATS_URL: nats.url,
    NATS_USER: 'webhooks',
    NATS_PASSWORD: nats.password,
    CREDENTIALS_KEY: Buffer.alloc(32, 7).toString('base64'),
    WEBHOOKS_ALLOW_PRIVATE: 'true',
    WEBHOOKS_TIME_SCALE: String(timeScale),
  };
  const publishers = new Map<string, EventPublisher>();
  const publisherOf = async (owner: string): Promise<EventPublisher> => {
    const known = publishers.get(owner) ?? new EventPublisher(await nats.connect(owner), owner);
    publishers.set(owner, known);
    return known;
  };
  const running: RunningWebhooks = {
    gateway: new PatientRpcClient(await nats.connect('gateway')),
    superuser: await prepared.superuser(),
    receiver,
    prepared,
    nats,
    environment,
    start: async (more = {}) => {
      const config = { ...webhooksConfig({ ...environment, ...more }), requestDeadlineMs };
      const log = createLog('webhooks');
      const service = await startService({ service: 'webhooks', config, log, module: WebhooksModule.of(config) });
      let stopped: Promise<void> | undefined;
      const stop = (): Promise<void> => (stopped ??= service.stop());
      servers.onEnd(stop);
      return { ...service, stop };
    },
    publish: async ({
      event,
      organizationId,
      aggregateId,
      sequence,
      data,
      id = newCuid(),
      occurredAt = new Date(),
    }) => {
      const of = { id, subject: event.subject, organizationId, aggregateId, sequence };
      const payload = JSON.stringify({ ...of, occurredAt: occurredAt.toISOString(), data });
      await (await publisherOf(event.owner)).publish({ id, subject: event.subject, payload, traceparent: null });
      return id;
    },
  };
  for (let replica = 0; replica < replicas; replica++) await running.start();
  return running;
}
