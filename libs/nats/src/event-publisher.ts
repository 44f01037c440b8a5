import { topology, type ServiceTopology } from '@switchboard/contracts/topology';
import { errors, headers, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { AckInbox } from './ack-inbox.js';

/** An event as the outbox holds it. */
export interface StoredEvent {
  /** Becomes `Nats-Msg-Id`: within the stream's window a repeated publication is dropped by the broker. */
  readonly id: string;
  readonly subject: string;
  /** The envelope as JSON text. */
  readonly payload: string;
  /** W3C trace context of the transaction that wrote it, or null. */
  readonly traceparent: string | null;
}

/** The broker's word that it has an event. */
export interface PublishAck {
  /** The event's place in the stream; of its first publication when it is a duplicate. */
  readonly sequence: number;
  readonly duplicate: boolean;
}

/** A stream as the broker has it. */
export interface StreamState {
  /**
   * When it was made, in the broker's own words. Another one is another stream, unless it holds what is older:
   * nats-server 2.10 gives a stream that is updated after a restart the time of that restart.
   */
  readonly created: string;
  /** Of the first message that it holds, or will hold. */
  readonly firstSequence: number;
  readonly lastSequence: number;
  /** Time of its first message, in the same words; of the year 1 when it holds none. */
  readonly firstAt: string;
}

/** The event can never be stored, however often it is tried: its subject or its size is not of this stream. */
export class Unpublishable extends Error {
  override readonly name = 'Unpublishable';
}

/** The connection was lost; what is behind it now has not been looked at yet. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';

  constructor() {
    super('the connection to NATS was lost');
  }
}

const DEADLINE_MS = 5_000;
/** Source: nats-server, errors.json: JSStreamNotFoundErr, JSStreamMessageExceedsMaximumErr. */
const STREAM_NOT_FOUND = 10_059;
const MESSAGE_EXCEEDS_MAXIMUM = 10_054;
/** Tokens without white space and wildcards; anything else would break the protocol or have no consumer. */
const SUBJECT = /^[^\s.*>]+(\.[^\s.*>]+)+$/;

/**
 * Publishes a service's events to its JetStream stream; resolves when the stream has the event.
 *
 * What comes back after a lost connection may be another store. So nothing is published over a new connection before
 * `streamState` was asked over it, and what was under way over the old one is given up then.
 */
export class EventPublisher {
  /** Name of the service's stream. */
  readonly stream: string;
  private readonly acks: AckInbox;
  private readonly prefix: string;
  private checkedLink: string | undefined;

  /** @throws RangeError when the service has no stream: it emits nothing */
  constructor(
    private readonly connection: NatsConnection,
    service: string,
  ) {
    const services: Readonly<Record<string, ServiceTopology>> = topology;
    const stream = services[service]?.stream;
    if (!stream) throw new RangeError(`the topology has no stream of ${service}`);
    this.stream = stream;
    this.prefix = `${service}.`;
    this.acks = new AckInbox(connection, service, DEADLINE_MS);
  }

  /** Whether the stream must be looked at (again): it never was, or the connection was lost since. */
  get isDoubtful(): boolean {
    return this.checkedLink === undefined || linkOf(this.connection) !== this.checkedLink;
  }

  /**
   * @throws Unpublishable; ConnectionLost; anything else when no stream took it within 5 s. Publishing again with the same id is
   * safe
   */
  async publish(event: StoredEvent): Promise<PublishAck> {
    if (!SUBJECT.test(event.subject) || !event.subject.startsWith(this.prefix)) {
      throw new Unpublishable(`${this.stream} has no subject ${JSON.stringify(event.subject.slice(0, 100))}`);
    }
    if (this.checkedLink !== undefined && this.isDoubtful) throw new ConnectionLost();
    const carrier = headers();
    carrier.set('Nats-Msg-Id', event.id);
    if (event.traceparent !== null) carrier.set('traceparent', event.traceparent);
    try {
      return ackOf(await this.acks.publish(event.subject, event.payload, carrier));
    } catch (error) {
      // The client itself refuses what is larger than the server's max_payload, which the server sends on connecting.
      if (error instanceof errors.InvalidArgumentError) throw new Unpublishable(error.message, { cause: error });
      throw error;
    }
  }

  /** The stream as it is now; null when there is none. @throws when the broker does not answer within 5 s; ConnectionLost */
  async streamState(): Promise<StreamState | null> {
    const link = linkOf(this.connection);
    if (link === undefined) throw new ConnectionLost();
    if (this.checkedLink !== undefined && link !== this.checkedLink) {
      this.acks.giveUp(new ConnectionLost());
    }
    const answer = await this.connection.request(`$JS.API.STREAM.INFO.${this.stream}`, '', { timeout: DEADLINE_MS });
    const { error, created, state } = answer.json<StreamInfo>();
    if (linkOf(this.connection) !== link) throw new ConnectionLost();
    if (error && error.err_code !== STREAM_NOT_FOUND) throw new Error(`${this.stream}: ${error.description}`);
    this.checkedLink = link;
    if (created === undefined || state === undefined) return null;
    return { created, firstSequence: state.first_seq, lastSequence: state.last_seq, firstAt: state.first_ts };
  }
}

/** What of the answer to `$JS.API.STREAM.INFO` is read. Source: NATS, io.nats.jetstream.api.v1.stream_info_response. */
interface StreamInfo {
  readonly error?: { readonly err_code: number; readonly description: string };
  readonly created?: string;
  readonly state?: { readonly first_seq: number; readonly last_seq: number; readonly first_ts: string };
}

/** The answer to a publication. Source: NATS, io.nats.jetstream.api.v1.pub_ack_response. */
interface PubAck {
  readonly error?: { readonly err_code: number; readonly description: string };
  readonly seq?: number;
  readonly duplicate?: boolean;
}

/** Names this connection to this server process; undefined while there is none. */
function linkOf({ info }: NatsConnection): string | undefined {
  return info && `${info.server_id} ${info.client_id}`;
}

function ackOf(answer: Msg): PublishAck {
  const { error, seq, duplicate = false } = answer.json<PubAck>();
  if (error?.err_code === MESSAGE_EXCEEDS_MAXIMUM) throw new Unpublishable(error.description);
  if (error || seq === undefined)
    throw new Error(error?.description ?? 'what acknowledges a publication names no sequence');
  return { sequence: seq, duplicate };
}
