import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { Server, type AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { types } from 'node:util';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { descriptorsMax } from '@switchboard/platform';
import { endsWithin } from '@switchboard/timing';
import type { FastifyInstance } from 'fastify';
import { GATEWAY_CONFIG, type GatewayConfig } from '../gateway.config.js';

/** The first descriptor that a supervisor hands over. Source: systemd, sd_listen_fds(3). */
const HANDED_OVER_FD = 3;
/**
 * Connections that wait to be accepted. Node asks for 511: a burst of 1,000 clients would lose some of them, which the kernel
 * resets seconds later. The kernel's own limit (net.core.somaxconn, 4,096 by default) still holds.
 */
const BACKLOG_MAX = 4_096;
/** Descriptors that callers leave to others: databases, the broker, health checks and metrics, files. Of few, half of them. */
const RESERVED = 128;
/** For connections that wait to be accepted, of which a load balancer makes new ones until it has noticed that we stop. */
const ACCEPT_MS = 1_000;
/** For requests that are already on their way on connections kept alive. */
const GRACE_MS = 1_500;
/** For requests under way after that. */
const FINISH_MS = 3_500;

/** Where the gateway accepts connections. */
@Injectable()
export class HttpListener implements OnModuleDestroy {
  constructor(
    private readonly host: HttpAdapterHost,
    @Inject(GATEWAY_CONFIG)
    private readonly config: Pick<GatewayConfig, 'LISTEN_FDS' | 'GATEWAY_HOST' | 'GATEWAY_PORT'>,
  ) {}

  /**
   * Begins to accept: on a socket of its own, or on one that was handed over. The latter stays open while the process is
   * replaced, so that no connection is refused meanwhile, and several processes may share it.
   *
   * @returns the URL it listens at
   * @throws Error that names where it was to listen
   */
  async listen(): Promise<string> {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    const { LISTEN_FDS, GATEWAY_HOST: host, GATEWAY_PORT: port } = this.config;
    await fastify.ready();
    const { server } = fastify;
    const descriptors = descriptorsMax();
    if (descriptors !== undefined) server.maxConnections = descriptors - Math.min(RESERVED, Math.ceil(descriptors / 2));
    if (LISTEN_FDS === 1) server.listen({ fd: HANDED_OVER_FD }, BACKLOG_MAX);
    else server.listen({ host, port, backlog: BACKLOG_MAX });
    await once(server, 'listening').catch((cause: unknown) => {
      const where = LISTEN_FDS === 1 ? 'LISTEN_FDS=1' : `GATEWAY_HOST ${host}, GATEWAY_PORT ${port}`;
      throw new Error(`${where}: ${types.isNativeError(cause) ? cause.message : String(cause)}`, { cause });
    });
    const { address, family, port: bound } = server.address() as AddressInfo;
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`;
  }

  /**
   * Accepts those who are connected and no others, serves what still comes on the open connections, each answer ending its own
   * (`OpenRequests`), and returns when all are closed, after 5 s at the latest: whatever requests use is drained after this, in
   * `beforeApplicationShutdown`.
   */
  async onModuleDestroy(): Promise<void> {
    const server: HttpServer = this.host.httpAdapter.getHttpServer();
    if (!server.listening) return;
    const closed = once(server, 'close');
    const startedMs = performance.now();
    // On one that was handed over they wait for the next process.
    if (this.config.LISTEN_FDS === 0) await untilNoneWaits(server);
    // `http.Server` would cut idle connections at once, and with them requests that are on the wire.
    Server.prototype.close.call(server);
    if (await endsWithin(closed, GRACE_MS - (performance.now() - startedMs))) return;
    server.closeIdleConnections();
    if (await endsWithin(closed, FINISH_MS)) return;
    server.closeAllConnections();
    await closed;
  }
}

/** Until every connection is accepted that waits: a socket that is closed resets them, with the requests that they carry. */
async function untilNoneWaits(server: HttpServer): Promise<void> {
  const untilMs = performance.now() + ACCEPT_MS;
  let hasAccepted = true;
  const onConnection = (): void => void (hasAccepted = true);
  server.on('connection', onConnection);
  // One is accepted in a turn of the event loop. In the first of these it may have been looked for already.
  while (hasAccepted && performance.now() < untilMs) {
    hasAccepted = false;
    for (let turns = 0; turns < 2; turns++) await turn();
  }
  server.removeListener('connection', onConnection);
}
