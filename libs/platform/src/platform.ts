import type { LoggerService } from '@nestjs/common';
import {
  connectNats,
  DirectLink,
  EventPublisher,
  isUserRefused,
  LinkState,
  RpcClient,
  WakeUps,
  type NatsConnection,
} from '@switchboard/nats';
import { type KeepMore, PartitionKeeper, RecentEpoch, Relay, type Restore } from '@switchboard/outbox';
import { Database, forgetSmallSizes, isUnavailable, type DatabaseOptions } from '@switchboard/postgres';
import type { ServiceConfig } from './config.js';
import { connectPatiently } from './connect-patiently.js';
import { failedRound, RoundFailures, showFailedRounds } from './failed-rounds.js';
import { keepIncarnation } from './keep-incarnation.js';
import type { Log } from './logger.js';
import { logRelay } from './log-relay.js';
import { observePlatform } from './platform-metrics.js';
import { PollingLoop } from './polling-loop.js';
import type { ReadinessCheck } from './readiness.js';
import { RedriveLook } from './redrive-look.js';

/** What a service's connections are made from. */
export interface PlatformSpec {
  /** Its name: schema, NATS stream, health and logs are called by it. */
  readonly service: string;
  readonly config: ServiceConfig;
  readonly log: Log & LoggerService;
  readonly entities?: DatabaseOptions['entities'];
  /** Makes and drops the service's partitions other than the outbox's, at start and every hour. */
  readonly keepPartitions?: (database: Database, log: Log, mayDrop: boolean) => Promise<void>;
  /** Takes back what a database that is from a backup would do again; before anything of it is done. Safe to repeat. */
  readonly onRestored?: (database: Database, restore: Restore, log: Log) => Promise<void>;
}

/** The connections of every service: its database, its NATS user, and the relay of its outbox. */
export interface Platform {
  readonly service: string;
  readonly log: Log & LoggerService;
  readonly database: Database;
  readonly nats: NatsConnection;
  /** Whether NATS is there. */
  readonly link: LinkState;
  readonly rpc: RpcClient;
  /** Running; to be woken after a commit that holds events. */
  readonly relay: Relay;
  /** Between the replicas of the service. */
  readonly wakeUps: WakeUps;
  /** Running; wakes consumers of which an operator wants dead letters tried again. */
  readonly redrives: RedriveLook;
  /** Of its consumers. */
  readonly epoch: RecentEpoch;
  readonly checks: Readonly<Record<string, ReadinessCheck>>;
  /** Ends the relay after the batch under way, then the connections. What uses them must have ended before. */
  close(): Promise<void>;
}

/** Between two looks for tables that were found small: for so long a plan may be one that suits a small table alone. */
const FORGET_SIZES_MS = 10_000;
const PARTITIONS_FAILED = 'partitions.keep-failed';

/**
 * Connects a service and starts its relay; a server that is away is waited for.
 *
 * @throws when the database or NATS refuses the user, or is not reached within half a minute
 */
export async function openPlatform(spec: PlatformSpec): Promise<Platform> {
  const { service, log } = spec;
  const database = await openDatabase(spec);
  const nats = await openNats(spec).catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
  const link = new LinkState(nats);
  const direct = new DirectLink(nats, link, service);
  const broker = new EventPublisher(nats, service);
  const wakeUps = new WakeUps(nats, link, service);
  const relay = new Relay({ database, service, broker, wakeUps, report: (report) => logRelay(log, report) });
  const keeper = partitionKeeper(spec, database);
  const sizes = sizesLoop(spec, database);
  const redrives = new RedriveLook(database, log);
  const incarnation = await keepIncarnation({ service, database, nats, log, onRestored: spec.onRestored });
  relay.start();
  keeper.start();
  sizes.start();
  redrives.start();
  const platform: Platform = {
    service,
    log,
    database,
    nats,
    link,
    rpc: new RpcClient(nats, { link, direct, starts: direct }),
    relay,
    wakeUps,
    redrives,
    epoch: new RecentEpoch(database),
    checks: {
      // A replica is not taken out for being busy. Without writes it can do nothing: each request counts against its rate limit.
      database: () => database.answers().then((takesWrites) => (takesWrites ? null : 'takes no writes')),
      nats: () => nats.flush().then(() => null),
    },
    close: async () => {
      await Promise.all([relay.stop(), keeper.stop(), sizes.stop(), redrives.stop(), incarnation.stop()]);
      await Promise.all([nats.close(), direct.close()]);
      await database.close();
    },
  };
  observePlatform(platform);
  return platform;
}

function openDatabase({ service, config, log, entities = [] }: PlatformSpec): Promise<Database> {
  return connectPatiently({
    connect: () =>
      Database.open({
        url: config.DATABASE_URL,
        schema: service,
        applicationName: service,
        poolMax: config.DATABASE_POOL_MAX,
        entities,
        onIdleError: (error) => log.warn('database.connection-lost', { reason: error.message }),
      }),
    mayPass: isUnavailable,
    onWait: (reason, leftMs) => log.warn('database.awaited', { reason, leftMs }),
  });
}

function openNats({ config, log }: PlatformSpec): Promise<NatsConnection> {
  return connectPatiently({
    connect: () =>
      connectNats({
        url: config.NATS_URL,
        user: config.NATS_USER,
        password: config.NATS_PASSWORD,
        onStatus: (status, detail) => log.warn('nats.status', { status, detail }),
      }),
    mayPass: (error) => !isUserRefused(error),
    onWait: (reason, leftMs) => log.warn('nats.awaited', { reason, leftMs }),
  });
}

function partitionKeeper({ log, keepPartitions }: PlatformSpec, database: Database): PartitionKeeper {
  const keepMore: KeepMore | undefined = keepPartitions && ((mayDrop) => keepPartitions(database, log, mayDrop));
  showFailedRounds(PARTITIONS_FAILED);
  return new PartitionKeeper(database, failedRound(log, PARTITIONS_FAILED), keepMore);
}

function sizesLoop({ log }: PlatformSpec, database: Database): PollingLoop {
  const failures = new RoundFailures(log, 'database.forget-sizes-failed');
  return new PollingLoop({
    round: async () => {
      await forgetSmallSizes(database);
      failures.succeeded();
      return false;
    },
    idleMs: FORGET_SIZES_MS,
    onError: (error) => failures.failed(error),
  });
}
