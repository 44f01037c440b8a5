import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Announcer, RPC_PATH, RpcOverHttpServer, RpcServerStrategy } from '@switchboard/nats';
import { endsWithin } from '@switchboard/timing';
import { endOnCrash } from './crash.js';
import { refusalOf, rpcFailure } from './failure.js';
import { InternalServer } from './internal-server.js';
import { createLog } from './logger.js';
import { startMetrics, type Metrics } from './metrics.js';
import { openPlatform, type PlatformSpec } from './platform.js';
import { PlatformModule } from './platform.module.js';
import { stopOnSignal } from './stop-signal.js';
import { telemetryConfig } from './telemetry.config.js';
import { startTelemetry } from './telemetry.js';

/** A service that answers rpcs and works on events: everything but the gateway. */
export interface ServiceSpec extends PlatformSpec {
  /**
   * Its handlers and loops. Loops start in `onApplicationBootstrap` and stop in `onModuleDestroy`, when no further rpc
   * is taken; batches drain in `beforeApplicationShutdown`. What must begin to end before rpcs are drained hears STOPPING.
   */
  readonly module: Type | DynamicModule;
  /** Rpcs under way at once; the next is refused with SERVICE_UNAVAILABLE. */
  readonly rpcInFlightMax?: number;
  /** What `/metrics` shows; absent: nothing. */
  readonly metrics?: Metrics;
}

/** A service that runs. */
export interface RunningService {
  /** Of its internal server. */
  readonly url: string;
  /** Answers what it has taken, finishes its batches, then lets go of NATS and the database. */
  stop(): Promise<void>;
}

const RPC_IN_FLIGHT_MAX = 2_000;
/** Less than the deadline of the process: a server that has gone must not turn a stop into a kill. */
const DRAIN_DEADLINE_MS = 5_000;

/**
 * Runs a service as this process: telemetry, logs, signals.
 *
 * Logs `service.ready` with the `url` of its internal server once it answers. Ends with 0 within 8 s of SIGTERM, with 1
 * when it cannot start or stop, and one line that says why.
 *
 * @param specOf reads its configuration
 */
export async function serve(
  service: string,
  specOf: () => Omit<ServiceSpec, 'service' | 'log' | 'metrics'>,
): Promise<void> {
  const log = createLog(service);
  endOnCrash(log);
  try {
    const stopTelemetry = startTelemetry(service, telemetryConfig());
    const metrics = startMetrics(service, log);
    const running = await startService({ ...specOf(), service, log, metrics });
    stopOnSignal(log, async () => {
      await running.stop();
      await Promise.all([stopTelemetry(), metrics.stop()]);
    });
    log.info('service.ready', { url: running.url });
  } catch (error) {
    log.error('service.start-failed', error);
    process.exit(1);
  }
}

/** Starts a service within this process; what `serve` and tests share. @throws when it cannot start */
export async function startService(spec: ServiceSpec): Promise<RunningService> {
  const { service, config, log } = spec;
  const platform = await openPlatform(spec);
  const stopping = new AbortController();
  const checks = { ...platform.checks, service: async () => (stopping.signal.aborted ? 'stopping' : null) };
  try {
    const strategy = new RpcServerStrategy({
      connection: platform.nats,
      service,
      inFlightMax: spec.rpcInFlightMax ?? RPC_IN_FLIGHT_MAX,
      failureOf: (error, subject) => rpcFailure(refusalOf(error, log, subject)),
    });
    const secret = config.NATS_PASSWORD;
    const direct = new RpcOverHttpServer(strategy, { service, secret });
    const routes = { [RPC_PATH]: direct.handle.bind(direct) };
    const internal = new InternalServer({ checks, metrics: spec.metrics, routes });
    const options = { strategy, logger: log, abortOnError: false };
    const root = PlatformModule.of(platform, spec.module, stopping.signal);
    const app = await NestFactory.createMicroservice(root, options);
    await app.listen();
    const url = await internal.listen(config.SERVICE_HTTP_HOST, config.SERVICE_HTTP_PORT, config.NATS_URL);
    const announcer = new Announcer({ connection: platform.nats, link: platform.link, service, secret, url });
    announcer.start();
    const stop = async (): Promise<void> => {
      stopping.abort();
      announcer.stop();
      if (!(await endsWithin(app.close(), DRAIN_DEADLINE_MS))) {
        log.warn('service.drain-timed-out', { afterMs: DRAIN_DEADLINE_MS });
      }
      await platform.close();
      await internal.close();
    };
    return { url, stop };
  } catch (error) {
    await platform.close();
    throw error;
  }
}
