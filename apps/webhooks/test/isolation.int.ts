import { createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { eventually, testServers } from '@switchboard/testing';
import { newCustomer } from './customer.js';
import { startWebhooks } from './running-webhooks.js';

const servers = testServers();
const OF_EACH = 12;
const EVENTS = 60;

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

async function startMisbehaving(kind: string): Promise<{ url: string; connections: () => number }> {
  let count = 0;
  const sockets = new Set<Socket>();
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
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, connections: () => count };
}

describe('receivers that hang, drip, never end, flood, or pack much into little', () => {
  it('hold up no event of a healthy receiver, and each gets one request at a time', async () => {
    const running = await startWebhooks(servers);
    const bad = [];
    for (const kind of Object.keys(misbehaviour)) {
      const { url, connections } = await startMisbehaving(kind);
      for (let count = 0; count < OF_EACH; count++) {
        const customer = newCustomer(running);
        bad.push({ kind, customer, connections, webhook: await customer.register(url) });
      }
    }
    const healthy = newCustomer(running);
    const webhook = await healthy.register(running.receiver.at('/healthy'));
    for (const { customer } of bad) {
      await customer.receive('1');
      await customer.receive('2');
    }
    const hanging = bad.filter(({ kind }) => kind === 'hanging' || kind === 'dripping');
    await eventually(() => hanging.every(({ connections }) => connections() >= OF_EACH), { deadlineMs: 30_000 });
    for (let event = 0; event < EVENTS; event++) await healthy.receive(`${event}`);
    await eventually(() => running.receiver.arrivals('/healthy').length === EVENTS, { deadlineMs: 30_000 });
    expect(await healthy.webhook(webhook.id)).toMatchObject({ status: 'ACTIVE', consecutiveFailures: 0 });

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
  }, 180_000);
});
