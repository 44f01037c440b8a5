import { createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { eventually, testServers } from '@switchboard/testing';
import { newCustomer, type Customer } from './customer.js';
import { startWebhooks, type RunningWebhooks } from './running-webhooks.js';

const servers = testServers();
const OF_EACH = 12;
const EVENTS = 60;
/** Of a request, in place of 10 s: a busy machine may need longer for all of the healthy receiver's events. */
const DEADLINE_MS = 30_000;
/** A receiver that writes without end has this much taken from it at most: what the kernel holds of a connection, both ways. */
const TAKEN_BYTES_MAX = 24 * 1024 * 1024;
/** Of the resident memory of this process, which holds the bad receivers as well. */
const GROWTH_MAX = 2;

const head = 'HTTP/1.1 200 OK\r\n';

/** 16 MiB of zeros. */
const bomb = gzipSync(Buffer.alloc(16 * 1024 * 1024));

/** Receivers that misbehave, by what they do with a connection. */
const misbehaviour: Readonly<Record<string, (socket: Socket, onEnd: (end: () => void) => void) => void>> = {
  hanging: () => undefined,
  dripping: (socket, onEnd) => {
    socket.write(`${head}Content-Length: 100000\r\n\r\n`);
    const timer = setInterval(() => socket.write('x'), 1_000);
    onEnd(() => clearInterval(timer));
  },
  endless: (socket) => {
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    const flood = (): void => {
      while (!socket.destroyed && socket.write(chunk)) continue;
    };
    socket.on('drain', flood);
    flood();
  },
  bomb: (socket) => {
    socket.end(
      Buffer.concat([Buffer.from(`${head}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`), bomb]),
    );
  },
  flooding: (socket) => {
    const flood = (): void => {
      while (!socket.destroyed && socket.write(`X-Flood: ${'y'.repeat(1_000)}\r\n`)) continue;
    };
    socket.write(head);
    socket.on('drain', flood);
    flood();
  },
};

/** Those to which a request fails; what begins with a 2xx is a success, and is not unpacked. */
const failing: ReadonlySet<string> = new Set(['hanging', 'dripping', 'flooding']);

interface Misbehaving {
  /** The URL of a receiver of its own. */
  readonly at: (path: string) => string;
  readonly connections: () => number;
  /** The most connections that a path had at once. */
  readonly openMax: (path: string) => number;
  /** When the first of them ended; Infinity: none has. */
  readonly firstEndMs: () => number;
  /** The most that was taken of what one connection wrote. */
  readonly takenBytes: () => number;
}

async function startMisbehaving(kind: string): Promise<Misbehaving> {
  let count = 0;
  let endedMs = Infinity;
  const sockets = new Set<Socket>();
  const open = new Map<string, { now: number; most: number }>();
  const takenOf = (socket: Socket): number => socket.bytesWritten - socket.writableLength;
  const countOf = (path: string): { now: number; most: number } => {
    const of = open.get(path) ?? { now: 0, most: 0 };
    open.set(path, of);
    return of;
  };
  const server = createServer((socket) => {
    count++;
    sockets.add(socket);
    const ends: (() => void)[] = [];
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      endedMs = Math.min(endedMs, performance.now());
      ends.forEach((end) => end());
    });
    socket.once('data', (bytes) => {
      const of = countOf(/^POST (\S+)/.exec(bytes.toString('latin1'))?.[1] ?? '');
      of.now += 1;
      of.most = Math.max(of.most, of.now);
      ends.push(() => (of.now -= 1));
      misbehaviour[kind]?.(socket, (end) => ends.push(end));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.onEnd(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const takenBytes = (): number => Math.max(0, ...[...sockets].map(takenOf));
  return {
    at: (path) => `http://127.0.0.1:${port}${path}`,
    connections: () => count,
    openMax: (path) => countOf(path).most,
    firstEndMs: () => endedMs,
    takenBytes,
  };
}

/** Sends events of as many conversations at once. @returns when they arrived */
async function arrive(running: RunningWebhooks, healthy: Customer, path: string): Promise<readonly number[]> {
  const sent = Array.from({ length: EVENTS }, (_, event) => healthy.receive(`${event}`));
  const ids = new Set(await Promise.all(sent));
  return eventually(() => {
    const arrived = running.receiver.arrivals(path).filter(({ dataId }) => ids.has(dataId));
    return arrived.length === EVENTS && arrived.map(({ atMs }) => atMs);
  });
}

describe('receivers that hang, drip, never end, flood, or pack much into little', () => {
  it('hold up no event of a healthy receiver, take no memory, and each that fails gets one request at a time', async () => {
    const running = await startWebhooks(servers, 1, 1, DEADLINE_MS);
    const healthy = newCustomer(running);
    const webhook = await healthy.register(running.receiver.at('/healthy'));
    await arrive(running, healthy, '/healthy');
    const before = process.memoryUsage.rss();
    const bad = [];
    for (const kind of Object.keys(misbehaviour)) {
      const { at, ...seen } = await startMisbehaving(kind);
      for (let count = 0; count < OF_EACH; count++) {
        const customer = newCustomer(running);
        const path = `/${kind}-${count}`;
        bad.push({ kind, path, customer, ...seen, webhook: await customer.register(at(path)) });
      }
    }
    // All at once: there is most of their deadline left when all of those that hang do.
    await Promise.all(bad.flatMap(({ customer }) => [customer.receive('1'), customer.receive('2')]));
    const hanging = bad.filter(({ kind }) => kind === 'hanging' || kind === 'dripping');
    await eventually(() => hanging.every(({ connections }) => connections() >= OF_EACH));
    const times = await arrive(running, healthy, '/healthy');
    // What waits for one of these arrives when one has ended. How much slower the others make it is measured by the bench.
    const firstEndMs = Math.min(...hanging.map(({ firstEndMs: of }) => of()));
    expect(times.filter((atMs) => atMs < firstEndMs)).toHaveLength(EVENTS);
    expect(running.receiver.arrivals('/healthy')).toHaveLength(2 * EVENTS);
    expect(await healthy.webhook(webhook.id)).toMatchObject({ status: 'ACTIVE', consecutiveFailures: 0 });

    expect(process.memoryUsage.rss() / before).toBeLessThan(GROWTH_MAX);
    for (const { kind, takenBytes } of bad) expect([kind, takenBytes() < TAKEN_BYTES_MAX]).toEqual([kind, true]);

    // Whatever they do, a request of theirs is over at its deadline, and what is kept of it is 1 KB.
    for (const { customer, webhook: own, kind } of bad) {
      const [attempt] = await eventually(
        async () => {
          const attempts = await customer.attempts(own.id);
          return attempts.length > 0 && attempts;
        },
        { deadlineMs: DEADLINE_MS + 60_000 },
      );
      expect(Buffer.byteLength(attempt?.responseBody ?? '')).toBeLessThanOrEqual(1_024);
      if (!failing.has(kind)) continue;
      expect(attempt).toMatchObject({ outcome: 'FAILED' });
    }
    // Their second event was pending all the time.
    for (const { kind, path, openMax } of bad.filter((one) => failing.has(one.kind))) {
      expect([kind, path, openMax(path)]).toEqual([kind, path, 1]);
    }
  });
});
