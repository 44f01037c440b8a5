import { randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { systemErrorCode } from './system-error.js';

/** Below it services of the system listen. */
const LOWEST = 10_000;
/** Where Linux begins with the ports of outgoing connections, unless it is set otherwise. */
const USUAL_EPHEMERAL = 32_768;
const TRIES_MAX = 50;

/**
 * A TCP port of 127.0.0.1 that was free a moment ago. Another program may take it before it is used:
 * the caller retries with another one when binding fails with EADDRINUSE.
 */
export async function findFreePort(): Promise<number> {
  const [port = 0] = await findFreePorts(1);
  return port;
}

/**
 * As many different ports; all are bound before the first one is let go.
 *
 * None that the kernel gives to outgoing connections: while a server is started again, such a connection, even one to the
 * server itself, could take its port and keep it for as long as it lasts.
 */
export async function findFreePorts(count: number): Promise<readonly number[]> {
  const end = await firstEphemeralPort();
  const bound = await Promise.all(Array.from({ length: count }, () => bindAny(end)));
  await Promise.all(bound.map(({ close }) => close()));
  return bound.map(({ port }) => port);
}

interface Bound {
  readonly port: number;
  close(): Promise<void>;
}

/** Any below `end`; one of the kernel's choice when there is none, or all that were tried are taken. */
async function bindAny(end: number): Promise<Bound> {
  for (let left = TRIES_MAX; left > 0 && end > LOWEST; left--) {
    try {
      return await bind(randomInt(LOWEST, end));
    } catch (error) {
      if (systemErrorCode(error) !== 'EADDRINUSE') throw error;
    }
  }
  return bind(0);
}

function bind(wanted: number): Promise<Bound> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(wanted, '127.0.0.1', () => {
      const address = server.address();
      const port = address !== null && typeof address === 'object' ? address.port : wanted;
      resolve({ port, close: () => new Promise((closed) => server.close(() => closed())) });
    });
  });
}

/** Source: Linux, Documentation/networking/ip-sysctl, `ip_local_port_range`. Other systems begin higher. */
async function firstEphemeralPort(): Promise<number> {
  try {
    return Number.parseInt(await readFile('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10);
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
    return USUAL_EPHEMERAL;
  }
}
