import { topology } from '@switchboard/contracts/topology';
import type { ConsumerTopology } from '@switchboard/contracts/consumers';
import type { ServiceTopology } from '@switchboard/contracts/topology';
import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type ConsumerConfig,
  type JetStreamManager,
  type StreamConfig,
} from '@nats-io/jetstream';
import { nanos, type NatsConnection } from '@nats-io/transport-node';
import { ACK_WAIT_MS } from './ack-deadline.js';
import { durableName, durableNames, spareName } from './durable-names.js';
import {
  INCARNATION_SUBJECTS,
  INCARNATIONS_STREAM,
  incarnationSubject,
  type Incarnation,
} from './incarnation-mirror.js';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Another provisioner, or a store that is lost just now, may come between a look and what follows from it. */
const TRIES_MAX = 5;

/** What the topology says of a stream: all but how many servers hold it. */
type StreamSettings = Partial<StreamConfig> & { readonly name: string };

interface Replicas {
  /** By the operator. */
  readonly asked: number | undefined;
  /** Of a stream that is not there yet, when the operator asks for none. */
  readonly common: number;
}

/**
 * Makes streams and consumers what the topology says, and takes nothing away. Safe to run again at any time: next to running
 * services, next to another one, and on a store that was lost.
 *
 * @param replicas of each stream: 1 on one machine, 3 in a cluster. Without it existing streams keep theirs, so that a run that
 * was not given the number lowers none, and a missing stream gets as many as that of the incarnations has.
 */
export async function provision(connection: NatsConnection, replicas?: number): Promise<void> {
  const manager = await jetstreamManager(connection);
  for (let tried = 1; ; tried++) {
    try {
      return await provisionAll(manager, replicas);
    } catch (error) {
      const isRace = error instanceof Error && /not found|already (in use|exists)/i.test(error.message);
      if (!isRace || tried >= TRIES_MAX) throw error;
    }
  }
}

async function provisionAll(manager: JetStreamManager, replicas: number | undefined): Promise<void> {
  const services = Object.entries<ServiceTopology>(topology);
  const common = await ensureStream(manager, incarnationsConfig, { asked: replicas, common: 1 });
  for (const [service, { stream }] of services) {
    if (stream) await ensureStream(manager, streamConfig(stream, service), { asked: replicas, common });
  }
  for (const [service, { consumes }] of services) {
    const consumerEpoch = consumes.length > 0 ? await consumerEpochOf(manager, service) : 0;
    for (const consumer of consumes) {
      await ensureDurable(manager, { ...consumer, name: durableName(consumer, consumerEpoch) });
      await ensureSpare(manager, { ...consumer, name: spareName(consumer, consumerEpoch) });
    }
  }
}

/** Which of its durable consumers a service uses; 0 before it has shown an incarnation. */
async function consumerEpochOf(manager: JetStreamManager, service: string): Promise<number> {
  const query = { last_by_subj: incarnationSubject(service) };
  const message = await unlessAbsent(manager.streams.getMessage(INCARNATIONS_STREAM, query));
  return message?.json<Incarnation>().consumerEpoch ?? 0;
}

/** A spare that was used before an earlier restore is made anew: it has to begin at the start of the stream. */
async function ensureSpare(manager: JetStreamManager, spare: ConsumerTopology): Promise<void> {
  const { consumers } = manager;
  const info = await unlessAbsent(consumers.info(spare.stream, spare.name));
  if (info !== null && info.delivered.consumer_seq > 0) await unlessAbsent(consumers.delete(spare.stream, spare.name));
  await ensureDurable(manager, spare);
}

/**
 * Makes one durable consumer what it is said to be, on a stream that exists: for tools that listen like the services.
 * Needs a user with the rights of the provisioner.
 */
export async function provisionConsumer(connection: NatsConnection, consumer: ConsumerTopology): Promise<void> {
  await ensureDurable(await jetstreamManager(connection), consumer);
}

/**
 * Has services get again all that the streams hold, 7 days: their consumers are removed and made anew. What a service has
 * applied its inbox drops. Safe to repeat; the services may run, and go on by themselves.
 *
 * @throws RangeError when there is no such service; nothing is changed then
 */
export async function restartConsumers(connection: NatsConnection, services: readonly string[]): Promise<void> {
  const known: Readonly<Record<string, ServiceTopology>> = topology;
  const consumers = services.flatMap((service) => {
    const own = known[service];
    if (!own) throw new RangeError(`there is no service ${service}; there are ${Object.keys(known).join(', ')}`);
    return own.consumes;
  });
  const manager = await jetstreamManager(connection);
  for (const consumer of consumers) {
    for (const name of durableNames(consumer)) {
      await unlessAbsent(manager.consumers.delete(consumer.stream, name));
      await ensureDurable(manager, { ...consumer, name });
    }
  }
}

async function ensureDurable(manager: JetStreamManager, consumer: ConsumerTopology): Promise<void> {
  await ensureConsumer(manager, consumer.stream, {
    durable_name: consumer.name,
    filter_subject: consumer.filter,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: nanos(consumer.ackWaitMs ?? ACK_WAIT_MS),
    max_deliver: -1,
    max_ack_pending: consumer.ackPendingMax,
  });
}

/** One message for each service, which never ends by age: a service may have been stopped for long. */
const incarnationsConfig: StreamSettings = {
  name: INCARNATIONS_STREAM,
  subjects: [INCARNATION_SUBJECTS],
  storage: StorageType.File,
  retention: RetentionPolicy.Limits,
  max_msgs_per_subject: 1,
  // Read by its subject: that right names no other service's.
  allow_direct: true,
  discard: DiscardPolicy.Old,
};

function streamConfig(name: string, service: string): StreamSettings {
  return {
    name,
    subjects: [`${service}.>`],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    // What is older is in the outbox, from which a stream can be rebuilt.
    max_age: nanos(7 * DAY_MS),
    duplicate_window: nanos(2 * 60 * 1_000),
    discard: DiscardPolicy.Old,
  };
}

/**
 * A stream that is as it should be is not touched: nats-server 2.10 gives a stream that is updated after a restart the
 * time of that restart as its time of creation, and relays would take it for another one and publish everything again.
 *
 * @returns how many replicas it has now
 */
async function ensureStream(
  manager: JetStreamManager,
  settings: StreamSettings,
  { asked, common }: Replicas,
): Promise<number> {
  const info = await unlessAbsent(manager.streams.info(settings.name));
  const config = { ...settings, num_replicas: asked ?? info?.config.num_replicas ?? common };
  if (info === null) await manager.streams.add(config);
  else if (differs(info.config, config)) await manager.streams.update(config.name, config);
  return config.num_replicas;
}

/** Whether something that is wanted is otherwise; the server chooses the rest. */
function differs<Config extends object>(actual: Config, wanted: Partial<Config>): boolean {
  const found = new Map<string, unknown>(Object.entries(actual));
  return Object.entries(wanted).some(([key, value]) => JSON.stringify(found.get(key)) !== JSON.stringify(value));
}

async function ensureConsumer(
  manager: JetStreamManager,
  stream: string,
  config: Partial<ConsumerConfig> & { durable_name: string },
): Promise<void> {
  const { consumers } = manager;
  const name = config.durable_name;
  if ((await unlessAbsent(consumers.info(stream, name))) !== null) await consumers.update(stream, name, config);
  else await consumers.add(stream, config);
}

/** What is looked for; null when it does not exist. */
async function unlessAbsent<Found>(look: Promise<Found>): Promise<Found | null> {
  try {
    return await look;
  } catch (error) {
    if (error instanceof Error && /not found/i.test(error.message)) return null;
    throw error;
  }
}
