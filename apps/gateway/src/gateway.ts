import type { DynamicModule, LoggerService } from '@nestjs/common';
import { NestFactory, type NestApplication } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import {
  InternalServer,
  openPlatform,
  PlatformModule,
  type Log,
  type Metrics,
  type Platform,
} from '@switchboard/platform';
import { ServedDocuments } from './reference/api-documents.js';
import type { GatewayConfig } from './gateway.config.js';
import { GatewayModule } from './gateway.module.js';
import { HttpListener } from './http/http-listener.js';
import { createHttpServer } from './http/http-server.js';
import { RequestLifecycle } from './http/request-lifecycle.js';
import { RouteTable } from './http/route-table.js';
import { UnparsedRequests } from './http/unparsed-requests.js';

/** A gateway that runs. */
export interface RunningGateway {
  readonly url: string;
  /** Of the server that operators alone reach. */
  readonly internalUrl: string;
  /** Ends the requests under way, drains what they left, and closes every connection; within 8 s. */
  stop(): Promise<void>;
}

/** Starts a gateway within this process. @param metrics what its `/metrics` shows. @throws when it cannot start */
export async function startGateway(
  config: GatewayConfig,
  log: Log & LoggerService,
  metrics?: Metrics,
): Promise<RunningGateway> {
  const platform = await openPlatform({ service: 'gateway', log, config });
  try {
    return await serveHttp(platform, config, metrics);
  } catch (error) {
    await platform.close();
    throw error;
  }
}

async function serveHttp(
  platform: Platform,
  config: GatewayConfig,
  metrics: Metrics | undefined,
): Promise<RunningGateway> {
  const stopping = new AbortController();
  const checks = { ...platform.checks, gateway: async () => (stopping.signal.aborted ? 'stopping' : null) };
  const gateway = GatewayModule.of({ config, checks });
  const app = await createApplication(PlatformModule.of(platform, gateway, stopping.signal), config, platform.log);
  await app.init();
  app.get(ServedDocuments).prepare(app.get(RouteTable).mounted);
  const internal = new InternalServer({ checks, metrics });
  const internalUrl = await internal.listen(config.SERVICE_HTTP_HOST, config.SERVICE_HTTP_PORT, config.NATS_URL);
  const url = await app.get(HttpListener).listen();
  const stop = async (): Promise<void> => {
    stopping.abort();
    await app.close();
    await platform.close();
    await internal.close();
  };
  let stopped: Promise<void> | undefined;
  return { url, internalUrl, stop: () => (stopped ??= stop()) };
}

/** Nest's container and the HTTP server around it, with its hooks; routes are mounted and loops started by `init`. */
export async function createApplication(
  module: DynamicModule,
  config: Parameters<typeof createHttpServer>[0],
  log: Log & LoggerService,
): Promise<NestApplication> {
  const server = createHttpServer(config, () => ({
    lifecycle: app.get(RequestLifecycle),
    unparsed: app.get(UnparsedRequests),
  }));
  const options = { bodyParser: false, abortOnError: false, logger: log };
  const app = await NestFactory.create<NestApplication>(module, new RoutesOnlyAdapter(server), options);
  app.get(RouteTable).watch(server);
  app.get(RequestLifecycle).addTo(server);
  return app;
}

/** Nest's adapter without its middleware engine: the gateway has no middleware, and the engine would cost every request. */
class RoutesOnlyAdapter extends FastifyAdapter {
  override async init(): Promise<void> {}
}
