import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { LoggerService, Type, DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import {
  InternalServer,
  openPlatform,
  PlatformModule,
  systemClock,
  type Log,
  type Metrics,
  type Platform,
} from '@switchboard/platform';
import type { FastifyInstance } from 'fastify';
import { FailedKeys } from './http/authentication/failed-keys.js';
import { Descriptions } from './reference/descriptions.js';
import { EnvelopeFilter } from './http/envelope.filter.js';
import { createHttpServer } from './http/http-server.js';
import { OpenRequests } from './http/open-requests.js';
import { measureRequests } from './http/request-metrics.js';
import type { SamplingDecision } from './http/request-trace.js';
import { RouteTable } from './http/route-table.js';
import { stopAccepting } from './http/stop-accepting.js';
import { TakeCallback } from './callbacks/take-callback.js';
import type { GatewayConfig } from './gateway.config.js';
import { GatewayModule } from './gateway.module.js';
import { SessionCookie } from './http/session/session-cookie.js';
import { ADMISSION, type Admission } from './identity/admission.contract.js';
import { API_KEYS, type ApiKeys } from './identity/api-keys.contract.js';
import { AUDIT_LOG, type AuditLog } from './identity/audit.contract.js';
import { IdentityModule } from './identity/identity.module.js';
import { KEY_USES, type KeyUses } from './identity/key-use.contract.js';
import { PEOPLE, type People } from './identity/people.contract.js';

/** A gateway that runs. */
export interface RunningGateway {
  readonly url: string;
  /** Of the server that operators alone reach. */
  readonly internalUrl: string;
  /** Serves what is on its way, then lets go of everything; within 8 s. */
  stop(): Promise<void>;
}

/** Starts a gateway within this process. @param metrics what its `/metrics` shows. @throws when it cannot start */
export async function startGateway(
  config: GatewayConfig,
  log: Log & LoggerService,
  isSampled: SamplingDecision,
  metrics?: Metrics,
): Promise<RunningGateway> {
  const platform = await openPlatform({ service: 'gateway', log, config });
  try {
    return await serveHttp(platform, config, isSampled, metrics);
  } catch (error) {
    await platform.close();
    throw error;
  }
}

async function serveHttp(
  platform: Platform,
  config: GatewayConfig,
  isSampled: SamplingDecision,
  metrics: Metrics | undefined,
): Promise<RunningGateway> {
  const { database, relay, log } = platform;
  const stopping = new AbortController();
  const identity = await NestFactory.createApplicationContext(
    PlatformModule.of(platform, IdentityModule, stopping.signal),
    { abortOnError: false, logger: log },
  );
  const people = identity.get<People>(PEOPLE);
  const sessionCookie = new SessionCookie(config.PUBLIC_BASE_URL);
  const failedKeys = new FailedKeys(systemClock);
  const openRequests = new OpenRequests();
  const appSecret = config.CLOUD_APP_SECRET;
  const takeCallback = new TakeCallback({ database, relay, clock: systemClock, log, appSecret });
  const table = new RouteTable();
  const server = createHttpServer({
    admission: identity.get<Admission>(ADMISSION),
    sessions: people.sessions,
    sessionCookie,
    keyUses: identity.get<KeyUses>(KEY_USES),
    openRequests,
    metrics: measureRequests(() => openRequests.size),
    log,
    isSampled,
    failedKeys,
    routes: table,
    publicBaseUrl: config.PUBLIC_BASE_URL,
    trustProxy: config.TRUST_PROXY,
    headersTimeoutMs: config.GATEWAY_HEADERS_TIMEOUT_MS,
    requestTimeoutMs: config.GATEWAY_REQUEST_TIMEOUT_MS,
  });
  const checks = { ...platform.checks, gateway: async () => (stopping.signal.aborted ? 'stopping' : null) };
  const verifyToken = config.CLOUD_VERIFY_TOKEN;
  const descriptions = new Descriptions(config.PUBLIC_BASE_URL);
  const routes = GatewayModule.of({
    platform,
    people,
    apiKeys: identity.get<ApiKeys>(API_KEYS),
    auditLog: identity.get<AuditLog>(AUDIT_LOG),
    sessionCookie,
    failedKeys,
    takeCallback,
    verifyToken,
    checks,
    descriptions,
  });
  const app = await mountOnServer(server, routes, log, openRequests);
  descriptions.prepare(table.mounted);
  const internal = new InternalServer({ checks, metrics });
  const internalUrl = await internal.listen(config.SERVICE_HTTP_HOST, config.SERVICE_HTTP_PORT);
  const url = await listen(server, config);
  const stop = async (): Promise<void> => {
    stopping.abort();
    await stopAccepting(server.server, openRequests);
    await Promise.all([takeCallback.drain(), identity.close()]);
    await app.close();
    await platform.close();
    await internal.close();
  };
  let stopped: Promise<void> | undefined;
  return { url, internalUrl, stop: () => (stopped ??= stop()) };
}

/** The first descriptor that a supervisor hands over. Source: systemd, sd_listen_fds(3). */
const HANDED_OVER_FD = 3;

/**
 * Begins to accept: on a socket of its own, or on one that was handed over. The latter stays open while the process is
 * replaced, so that no connection is refused meanwhile, and several processes may share it.
 *
 * @returns the URL it listens at
 */
async function listen(server: FastifyInstance, config: GatewayConfig): Promise<string> {
  const { LISTEN_FDS, GATEWAY_HOST: host, GATEWAY_PORT: port } = config;
  await server.ready();
  server.server.listen(LISTEN_FDS === 1 ? { fd: HANDED_OVER_FD } : { host, port });
  await once(server.server, 'listening');
  const { address, family, port: bound } = server.server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`;
}

/** Puts Nest's routes on the server. @throws Error when a route does not declare itself */
export async function mountOnServer(
  server: FastifyInstance,
  module: DynamicModule | Type,
  log: Log & LoggerService,
  openRequests: OpenRequests,
): ReturnType<typeof NestFactory.create> {
  const app = await NestFactory.create(module, new RoutesOnlyAdapter(server), {
    bodyParser: false,
    abortOnError: false,
    logger: log,
  });
  app.useGlobalFilters(new EnvelopeFilter(log, openRequests));
  return app.init();
}

/** Nest's adapter without its middleware engine: we have no middleware, and it would cost every request. */
class RoutesOnlyAdapter extends FastifyAdapter {
  override async init(): Promise<void> {}
}
