import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { metrics as api } from '@opentelemetry/api';
import { appendEvents } from '@switchboard/outbox';
import { statement, type Database } from '@switchboard/postgres';
import { createLog, openPlatform, startMetrics, type Metrics } from '@switchboard/platform';
import { eventually, testServers } from '../index.js';
import type { ServiceDatabase } from '../service-database.js';
import { eventOf, Outbox1764000000000 } from './outbox-fixture.js';
import { platformConfig } from './platform-config.js';

const servers = testServers({ ownNats: true });
const log = { ...createLog('test'), error: () => undefined, warn: () => undefined };
const bury = statement(
  't.bury',
  `INSERT INTO dead_letter (event_id, consumer, subject, envelope, error, deliveries)
   VALUES ($1, 'contacts-opt-outs', 's', '{}', 'e', 8)`,
);

describe('what a service stands on', () => {
  let metrics: Metrics;
  let prepared: ServiceDatabase;
  let superuser: Database;

  const valueOf = async (series: string): Promise<number | undefined> => {
    const line = (await metrics.scrape()).split('\n').find((one) => one.startsWith(`${series} `));
    return line === undefined ? undefined : Number(line.slice(series.length + 1));
  };
  const becomes = (series: string, value: number | undefined): Promise<boolean> =>
    eventually(async () => (await valueOf(series)) === value);
  const SQL_GAUGES = [
    'switchboard_outbox_pending_events',
    'switchboard_outbox_oldest_pending_age_seconds',
    'switchboard_dead_letters{consumer="relay"}',
  ];

  beforeAll(async () => {
    prepared = await servers.serviceDatabase('contacts', [Outbox1764000000000]);
    superuser = await prepared.superuser();
    const nats = await servers.ownNats();
    metrics = startMetrics('contacts', log);
    servers.onEnd(() => metrics.stop());
    const platform = await openPlatform({
      service: 'contacts',
      log,
      config: platformConfig(prepared, nats, { DATABASE_POOL_MAX: 8 }),
    });
    servers.onEnd(() => platform.close());
  });

  afterAll(() => api.disable());

  it('counts events published, the backlog, dead letters, connections and reconnects', async () => {
    await superuser.transaction(async (tx) => appendEvents(tx, [eventOf('a', 1), eventOf('a', 2)]));
    await superuser.query(bury, ['cevent']);
    await becomes('switchboard_outbox_published_events_total', 2);
    await becomes('switchboard_dead_letters{consumer="contacts-opt-outs"}', 1);
    // A reading that a busy machine makes late is none, or says that its dependency is away.
    await becomes('switchboard_dead_letters{consumer="relay"}', 0);
    await becomes('switchboard_dependency_up{dependency="database"}', 1);
    expect(await valueOf('switchboard_database_connections_max')).toBe(8);
    expect(await valueOf('switchboard_database_waiting_requests')).toBe(0);
    expect(await valueOf('switchboard_nats_reconnects_total')).toBe(0);
    expect(await valueOf('switchboard_outbox_publish_failures_total')).toBe(0);
  });

  it('while the database is away: no value that would be a lie, and every scrape answers in time', async () => {
    const { role } = prepared;
    await superuser.dataSource.query(`ALTER ROLE ${role} NOLOGIN`);
    await superuser.dataSource.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`,
    );
    await becomes('switchboard_dependency_up{dependency="database"}', 0);
    for (const series of SQL_GAUGES) await becomes(series, undefined);
    const startedMs = performance.now();
    expect(await valueOf('process_uptime_seconds')).toBeGreaterThan(0);
    // What Prometheus gives a scrape by default.
    expect(performance.now() - startedMs).toBeLessThan(10_000);
    await becomes('switchboard_dependency_up{dependency="nats"}', 1);

    await superuser.dataSource.query(`ALTER ROLE ${role} LOGIN`);
    await becomes('switchboard_dependency_up{dependency="database"}', 1);
    for (const series of SQL_GAUGES) await becomes(series, 0);
  });

  it('while NATS is away: the backlog grows older and failures are counted, and the link is counted when it is back', async () => {
    const { server } = await servers.ownNats();
    await server.kill();
    await superuser.transaction(async (tx) => appendEvents(tx, [eventOf('b', 1)]));
    await becomes('switchboard_dependency_up{dependency="nats"}', 0);
    await becomes('switchboard_outbox_pending_events', 1);
    await eventually(async () => ((await valueOf('switchboard_outbox_oldest_pending_age_seconds')) ?? 0) > 0);
    await eventually(async () => ((await valueOf('switchboard_outbox_publish_failures_total')) ?? 0) > 0);
    await server.restart();
    await becomes('switchboard_nats_reconnects_total', 1);
    await becomes('switchboard_outbox_pending_events', 0);
    await becomes('switchboard_dependency_up{dependency="nats"}', 1);
  });
});
