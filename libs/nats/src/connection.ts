import { metrics } from '@opentelemetry/api';
import {
  AuthorizationError,
  connect,
  UserAuthenticationExpiredError,
  type NatsConnection,
} from '@nats-io/transport-node';

/** How a process reaches NATS. */
export interface NatsOptions {
  readonly url: string;
  /** The service's user; also its inbox prefix, so that no other user can read its answers. */
  readonly user: string;
  readonly password: string;
  /** Called when the link goes and comes, with what happened. */
  readonly onStatus: (status: string, detail: string) => void;
}

/** Prefix of a user's inboxes; the server lets only that user subscribe to it. */
export function inboxPrefix(user: string): string {
  return `_INBOX_${user}`;
}

/**
 * Connects and keeps connected for good.
 *
 * A half-open link is noticed within 6 s: a ping every 2 s, two may stay unanswered.
 */
export async function connectNats(options: NatsOptions): Promise<NatsConnection> {
  const connection = await connect({
    servers: options.url,
    user: options.user,
    pass: options.password,
    name: options.user,
    inboxPrefix: inboxPrefix(options.user),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    reconnectJitter: 250,
    pingInterval: 2_000,
    maxPingOut: 2,
    timeout: 5_000,
    ignoreAuthErrorAbort: true,
    // An Error with a stack per request would cost 2 to 3 % of the CPU of a send.
    noAsyncTraces: true,
  });
  void watchStatus(connection, options.onStatus);
  return connection;
}

/** True when the server was reached and refuses the user: the same will not succeed later, but where it took too long to say who it is. */
export function isUserRefused(error: unknown): boolean {
  if (error instanceof AuthorizationError) return !/authentication timeout/i.test(error.message);
  return error instanceof UserAuthenticationExpiredError;
}

async function watchStatus(connection: NatsConnection, onStatus: NatsOptions['onStatus']): Promise<void> {
  const reconnects = metrics.getMeter('@switchboard/nats').createCounter('switchboard_nats_reconnects_total', {
    description: 'Times that the link to NATS came back',
  });
  reconnects.add(0);
  for await (const status of connection.status()) {
    if (status.type === 'reconnect') reconnects.add(1);
    if (status.type === 'ping' || status.type === 'update') continue;
    onStatus(status.type, 'error' in status ? String(status.error) : '');
  }
}

export type { NatsConnection };
