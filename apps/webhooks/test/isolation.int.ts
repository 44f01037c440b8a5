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
/** A receiver that writes without end has this much taken from it at most: what the kernel holds of a connection, both ways. */
const TAKEN_BYTES_MAX = 24 * 1024 * 1024;
/** Of the healthy one's median, next to the bad ones against alone. The bar of the bench is 1.5 at the 99th percentile. */
const SLOWDOWN_MAX = 4;
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

interface Misbehaving {
  readonly url: string;
  readonly connections: () => number;
  /** The most that was taken of what one connection wrote. */
  readonly takenBytes: () => number;
}

async function startMisbehaving(kind: string): Promise<Misbehaving> {
  let count = 0;
  const sockets = new Set<Socket>();
  const takenOf = (socket: Socket): number => socket.bytesWritten - socket.writableLength;
  const server = createServer((socket) => {
    count++;
    sockets.add(socket);
    const ends: (() => void)[] = [];
    socket.on('error', () => socket.destroy());
    socket.on('close', () => ends.forEach((end) => end()));
    socket.once('data', () => misbehaviour[kind]?.(socket, (end) => ends.push(end)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.onEnd(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const takenBytes = (): number => Math.max(0, ...[...sockets].map(takenOf));
  return { url, connections: () => count, takenBytes };
}

/** The median of what single events need to arrive, one after the other. */
async function medianMs(running: RunningWebhooks, healthy: Customer, path: string): Promise<number> {
  const latencies: number[] = [];
  for (let event = 0; event < EVENTS; event++) {
    const askedMs = performance.now();
    const id = await healthy.receive(`${event}`);
    const arrived = await eventually(() => running.receiver.arrivals(path).find(({ dataId }) => dataId === id));
    latencies.push(arrived.atMs - askedMs);
  }
  return latencies.toSorted((one, other) => one - other)[EVENTS / 2] ?? Infinity;
}

describe('receivers that hang, drip, never end, flood, or pack much into little', () => {
  it('hold up no event of a healthy receiver, take no memory, and each gets one request at a time', async () => {
    const running = await startWebhooks(servers);
    const healthy = newCustomer(running);
    const webhook = await healthy.register(running.receiver.at('/healthy'));
    const aloneMs = await medianMs(running, healthy, '/healthy');
    const before = process.memoryUsage.rss();
    const bad = [];
    for (const kind of Object.keys(misbehaviour)) {
      const { url, ...seen } = await startMisbehaving(kind);
      for (let count = 0; count < OF_EACH; count++) {
        const customer = newCustomer(running);
        bad.push({ kind, customer, ...seen, webhook: await customer.register(url) });
      }
    }
    for (const { customer } of bad) {
      await customer.receive('1');
      await customer.receive('2');
    }
    const hanging = bad.filter(({ kind }) => kind === 'hanging' || kind === 'dripping');
    await eventually(() => hanging.every(({ connections }) => connections() >= OF_EACH));
    const besideMs = await medianMs(running, healthy, '/healthy');
    expect(besideMs / aloneMs).toBeLessThan(SLOWDOWN_MAX);
    expect(running.receiver.arrivals('/healthy')).toHaveLength(2 * EVENTS);
    expect(await healthy.webhook(webhook.id)).toMatchObject({ status: 'ACTIVE', consecutiveFailures: 0 });

    expect(process.memoryUsage.rss() / before).toBeLessThan(GROWTH_MAX);
    for (const { kind, takenBytes } of bad) expect([kind, takenBytes() < TAKEN_BYTES_MAX]).toEqual([kind, true]);

    // Whatever they do, a request of theirs is over after 10 s, and what is kept of it is 1 KB.
    for (const { customer, webhook: own, kind } of bad) {
      const [attempt] = await eventually(
        async () => {
          const attempts = await customer.attempts(own.id);
          return attempts.length > 0 && attempts;
        },
        { deadlineMs: 40_000 },
      );
      expect(Buffer.byteLength(attempt?.responseBody ?? '')).toBeLessThanOrEqual(1_024);
      // What begins with a 2xx is a success; it is not unpacked.
      if (kind === 'endless' || kind === 'bomb') continue;
      expect(attempt).toMatchObject({ outcome: 'FAILED' });
    }
  });
});
