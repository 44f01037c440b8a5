import type { ConsumerTopology } from '@switchboard/contracts/consumers';
import {
  AckPolicy,
  DeliverPolicy,
  jetstream,
  JetStreamError,
  ReplayPolicy,
  type Consumer,
  type ConsumerInfo,
  type ConsumerMessages,
  type JetStreamClient,
} from '@nats-io/jetstream';
import type { NatsConnection, Payload, PublishOptions, Subscription } from '@nats-io/transport-node';
import { endsWithin } from '@switchboard/timing';

/** Bytes of one pull at most. Several times what one event may have (`max_payload`): an event above it would never come. */
const PULL_BYTES_MAX = 4 * 1024 * 1024;
const NEXT = '$JS.API.CONSUMER.MSG.NEXT.';
/**
 * How the broker ends a pull with a limit of bytes: its number of messages is reached, or the next one does not fit into what
 * is left. Source: NATS ADR-13, "Pull Subscribe internals".
 */
const ENDS: ReadonlySet<string> = new Set(['batch completed', 'message size exceeds maxbytes']);

/** By which status a pull ends that ends with what waits. */
const ENDED: ReadonlySet<number> = new Set([404, 408]);

/** How a pull ends, apart from its limits. */
export interface PullMode {
  /** It waits for an event as long as it may, and ends with those that the broker has then; else it lasts as long as it may. */
  readonly endsWithWhatWaits: boolean;
  /** With that: it does not wait. False by default. */
  readonly isImpatient?: boolean;
}

/** The consumer as provisioned, without asking for its info: a service's user may not use that part of the API. */
export function boundConsumer(
  connection: NatsConnection,
  { stream }: ConsumerTopology,
  name: string,
  mode: PullMode,
): Consumer {
  const info: Partial<ConsumerInfo> = {
    stream_name: stream,
    name,
    config: {
      durable_name: name,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      replay_policy: ReplayPolicy.Instant,
    },
  };
  return boundedPulls(connection, mode).consumers.getConsumerFromInfo(info as ConsumerInfo);
}

/** Whether a pull ended by one of its limits: what it has delivered is whole, and the next pull goes on at once. */
export function isLimitReached(error: unknown): boolean {
  return error instanceof JetStreamError && ENDS.has(error.message);
}

/**
 * Ends a pull that ends with what waits. Brokers up to 2.10 say what of it is left, which the client takes for its end; newer ones
 * say «404 No Messages» alone, and any «408 Requests Pending» when another replica is served first, and the client would
 * wait until two heartbeats are missed. What was delivered comes out before the end.
 */
export async function closeWhenEnded(messages: ConsumerMessages): Promise<void> {
  for await (const status of messages.status()) {
    if (status.type === 'debug' && ENDED.has(status.code)) return void messages.close();
  }
}

/** What the broker has sent is here when it has answered; not for ever, as it may be away. */
const DRAIN_MS = 3_000;

/**
 * Ends a pull so that what is on its way comes out before the end. The client's own `close` drops it: the broker waits for its
 * acknowledgement then, and delivers it 30 s later.
 */
export async function drainPull(messages: ConsumerMessages): Promise<void> {
  // The client ends the pull when its subscription was drained, and has no method of its own that drains it.
  const { sub } = messages as ConsumerMessages & { readonly sub?: Subscription };
  const drained = sub?.drain().catch(() => undefined);
  if (drained) await endsWithin(drained, DRAIN_MS);
  await messages.close();
}

function within(request: string, limits: object): string {
  return JSON.stringify({ ...(JSON.parse(request) as object), ...limits });
}

/**
 * A client of JetStream whose pulls end at `PULL_BYTES_MAX` too: 1,000 events may have 1 MiB each.
 *
 * The client's own `fetch` refuses a limit of bytes in addition to one of messages, and does not know `no_wait`; the broker
 * takes all of them, so they are added to the request on its way.
 */
function boundedPulls(
  connection: NatsConnection,
  { endsWithWhatWaits, isImpatient = false }: PullMode,
): JetStreamClient {
  // Source: NATS ADR-13, "Pull Subscribe internals": with an expiry `no_wait` waits for the first message.
  const limits = {
    max_bytes: PULL_BYTES_MAX,
    ...(endsWithWhatWaits ? { no_wait: true } : {}),
    // Without an expiry it has no heartbeat either.
    ...(isImpatient ? { expires: undefined, idle_heartbeat: undefined } : {}),
  };
  const bounded = Object.create(connection) as NatsConnection;
  bounded.publish = (subject: string, payload?: Payload, options?: PublishOptions) => {
    const isPull = subject.startsWith(NEXT) && typeof payload === 'string';
    connection.publish(subject, isPull ? within(payload, limits) : payload, options);
  };
  return jetstream(bounded, { checkAPI: false });
}
