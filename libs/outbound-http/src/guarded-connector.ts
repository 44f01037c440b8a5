import { constants } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createSecureContext, getCACertificates } from 'node:tls';
import { types } from 'node:util';
import { pause } from '@switchboard/timing';
import { buildConnector } from 'undici';
import { BoundedBytes } from './bounded-bytes.js';
import { boundResponses } from './bounded-responses.js';
import type { Guard } from './guard.js';
import { allowContinue } from './interim-responses.js';
import { OutboundRefusal, reasonOf } from './outbound.js';
import { endingError, endUnwritten } from './unwritten-requests.js';

type Connector = buildConnector.connector;
type Target = buildConnector.Options;

/** A host with many addresses is not a reason to try for long: the first few answer, or it is down. */
const ADDRESSES_TRIED_MAX = 3;

/** Behind an address that does not answer for so long the next one is tried too: the first that has a connection is used. */
const ADDRESS_ALONE_MS = 3_000;

/** Before the first sign of life on a quiet connection. */
const KEEP_ALIVE_MS = 60_000;

/**
 * How undici opens a connection: the name is resolved once, every address judged, and a judged address connected.
 *
 * The connection is made to an address, so that neither Node.js nor the TLS layer resolves the name again; the certificate is
 * still that of the name. Source: docs/adr/0040-outbound-http.md.
 *
 * @param deadlineMs for all of it: resolving, connecting and the TLS handshake.
 * @param authorities PEM of authorities to trust in addition to Node's.
 */
export function guardedConnector(guard: Guard, deadlineMs: number, authorities: string | undefined): Connector {
  const connectTo = buildConnector({
    allowH2: false,
    timeout: deadlineMs,
    // Explicit: an environment variable must not switch it off.
    rejectUnauthorized: true,
    // One for all connections: a list of authorities would be read for each.
    secureContext: createSecureContext({
      minVersion: 'TLSv1.2',
      // A receiver could have one handshake made after another.
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
      ...(authorities === undefined ? {} : { ca: [...getCACertificates(), authorities] }),
    }),
  });
  return (target, onConnect) => {
    const end = connectGuarded(guard, connectTo, target, AbortSignal.timeout(deadlineMs)).then(
      (socket): Parameters<typeof onConnect> => [null, socket],
      (error: unknown): Parameters<typeof onConnect> => [
        types.isNativeError(error) ? endingError(error) : new Error(String(error)),
        null,
      ],
    );
    // Outside of the promise: what undici throws is a bug, and not an error of the connection.
    void end.then((outcome) =>
      queueMicrotask(() => {
        const [, socket] = outcome;
        if (socket !== null) {
          allowContinue(socket);
          endUnwritten(socket);
          // Of an error of TLS behind the handshake Node says so, and leaves the connection open: a request would wait on it until its deadline.
          socket.once('error', () => socket.destroy());
        }
        onConnect(...outcome);
        if (socket !== null && target.protocol !== 'https:') boundResponses(socket);
      }),
    );
  };
}

async function connectGuarded(
  guard: Guard,
  connectTo: Connector,
  target: Target,
  signal: AbortSignal,
): Promise<Socket> {
  const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80);
  const addresses = await guard.addressesOf(target.hostname, port, signal);
  const ended = new AbortController();
  const over = AbortSignal.any([signal, ended.signal]);
  const opened = Promise.withResolvers<Socket>();
  const failures = new Map<string, unknown>();
  const tryAddress = async (address: string): Promise<void> => {
    try {
      const connection = await connectToAddress(address, port, over);
      requireAllowed(guard, connection, port);
      const socket = target.protocol === 'https:' ? await secure(connectTo, target, connection, over) : connection;
      // Of two that end at the same moment one is used.
      if (over.aborted) socket.destroy();
      else opened.resolve(socket);
      ended.abort();
    } catch (error) {
      if (error instanceof OutboundRefusal) opened.reject(error);
      failures.set(address, error);
    }
  };
  try {
    const tried: Promise<void>[] = [];
    const few = addresses.slice(0, ADDRESSES_TRIED_MAX);
    for (const address of few) {
      if (over.aborted) break;
      const trying = tryAddress(address);
      tried.push(trying);
      const isLast = tried.length === few.length;
      if (!isLast) await Promise.race([trying, opened.promise, pause(ADDRESS_ALONE_MS, over)]);
    }
    void Promise.all(tried).then(() => opened.reject(failureOf(failures)));
    return await opened.promise;
  } finally {
    ended.abort();
  }
}

/** @throws OutboundRefusal for a connection that leads where none may */
function requireAllowed(guard: Guard, connection: Socket, port: number): void {
  const remote = connection.remoteAddress;
  if (remote !== undefined && guard.isAllowed(remote, port)) return;
  connection.destroy();
  // Of a connection that was reset meanwhile the address is not known any more.
  if (remote === undefined) throw new Error('the connection was lost');
  throw new OutboundRefusal('url not allowed', `connected to ${remote}`);
}

/** Of several addresses each: an expired certificate at one is not hidden by another that cannot be reached. */
function failureOf(failures: ReadonlyMap<string, unknown>): unknown {
  if (failures.size === 0) return new Error('no connection in time');
  if (failures.size === 1) return failures.values().next().value;
  return new Error([...failures].map(([address, error]) => `${address}: ${reasonOf(error)}`).join('; '));
}

/** This process, or its machine, has as many descriptors open as it may. Source: connect(2), socket(2). */
const NO_DESCRIPTOR: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE']);

/** Ends with the signal. @throws OutboundRefusal where this process cannot open a connection, to whomever */
async function connectToAddress(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  const connection = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS });
  // Whoever has it listens too, from then on.
  connection.on('error', () => undefined);
  try {
    await once(connection, 'connect', { signal });
    return connection;
  } catch (error) {
    connection.destroy();
    if (signal.aborted) throw new Error('no connection in time');
    const isOurs = types.isNativeError(error) && 'code' in error && NO_DESCRIPTOR.has(error.code);
    throw isOurs ? new OutboundRefusal('never sent', reasonOf(error)) : error;
  }
}

/** Makes the TLS handshake on an open connection. Ends with the signal, and the connection with it, however far that has come. */
function secure(connectTo: Connector, target: Target, connection: Socket, signal: AbortSignal): Promise<Socket> {
  const bytes = new BoundedBytes(connection);
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      const late = new Error('no connection in time');
      bytes.destroy(late);
      reject(late);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    // The type asks for a socket; Node takes any stream.
    connectTo({ ...target, httpSocket: bytes as unknown as Socket }, (error, socket) => {
      signal.removeEventListener('abort', giveUp);
      if (error !== null) return reject(error);
      bytes.handshakeEnded(socket);
      if (signal.aborted) socket.destroy();
      else resolve(socket);
    });
  });
}
