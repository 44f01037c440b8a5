import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { HttpAdapterHost } from '@nestjs/core';
import { HttpListener } from './http-listener.js';

describe('a gateway that cannot listen', () => {
  const server = createServer();
  const host = { httpAdapter: { getInstance: () => ({ ready: async () => undefined, server }) } };
  afterEach(() => void server.close());

  // 192.0.2.0/24 is for documentation: no machine has one of it (RFC 5737).
  it('names the host and the port that it was to listen at', async () => {
    const listener = new HttpListener(host as unknown as HttpAdapterHost, {
      LISTEN_FDS: 0,
      GATEWAY_HOST: '192.0.2.1',
      GATEWAY_PORT: 0,
    });
    await expect(listener.listen()).rejects.toThrow(/^GATEWAY_HOST 192\.0\.2\.1, GATEWAY_PORT 0: listen EADDRNOTAVAIL/);
  });
});

describe('a gateway that listens', () => {
  it('leaves descriptors to databases and health checks, however many connections callers open', async () => {
    const server = createServer();
    const host = { httpAdapter: { getInstance: () => ({ ready: async () => undefined, server }) } };
    const config = { LISTEN_FDS: 0, GATEWAY_HOST: '127.0.0.1', GATEWAY_PORT: 0 };
    await new HttpListener(host as unknown as HttpAdapterHost, config).listen();
    server.close();
    // As this process has raised it.
    const [, max] = /^Max open files +(\d+)/m.exec(execFileSync('cat', ['/proc/self/limits']).toString()) ?? [];
    const reserved = Math.min(128, Math.ceil(Number(max) / 2));
    expect(server.maxConnections).toBe(max === undefined ? undefined : Number(max) - reserved);
  });
});

describe('a gateway that stops on a socket of its own', () => {
  it('answers those who are connected and whom it has not accepted yet', async () => {
    const server = createServer((_request, response) => void response.end('answered'));
    const host = {
      httpAdapter: { getInstance: () => ({ ready: async () => undefined, server }), getHttpServer: () => server },
    };
    const config = { LISTEN_FDS: 0, GATEWAY_HOST: '127.0.0.1', GATEWAY_PORT: 0 };
    const listener = new HttpListener(host as unknown as HttpAdapterHost, config);
    const { port } = new URL(await listener.listen());
    // Node accepts one in a turn of its event loop, and these are all connected after two.
    const callers = await Promise.all(Array.from({ length: 8 }, async () => ask(Number(port))));
    const answers = callers.map(async (caller) => text(caller));
    await listener.onModuleDestroy();
    for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1\.1 200 .*answered/s);
    await expect(ask(Number(port))).rejects.toThrow('ECONNREFUSED');
  });

  async function ask(port: number): Promise<Socket> {
    const caller = connect(port, '127.0.0.1');
    await once(caller, 'connect');
    caller.write('GET / HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n\r\n');
    return caller;
  }
});
