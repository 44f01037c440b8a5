import { topology, type ServiceTopology } from '@switchboard/contracts/topology';
import { comparisonAge, deadLetterCounts, outboxBacklog, partitionDays } from '@switchboard/outbox';
import { oldestSnapshotAge, type Database } from '@switchboard/postgres';
import type { Log } from './logger.js';
import { CachedGauge } from './cached-gauge.js';
import { readiness, type ReadinessCheck } from './readiness.js';

/** What a service stands on, as far as it is observed. */
export interface ObservedPlatform {
  readonly service: string;
  readonly database: Database;
  readonly checks: Readonly<Record<string, ReadinessCheck>>;
  readonly log: Log;
}

/** Observes whether the dependencies answer, the connections, the outbox, its partitions and the dead letters. */
export function observePlatform({ service, database, checks, log }: ObservedPlatform): void {
  const dependencies = new CachedGauge({ name: 'dependencies', read: () => readiness(checks), log });
  dependencies.observeAs(
    'switchboard_dependency_up',
    'Whether a dependency answers within 2 s, and a database takes writes',
    (found) =>
      Object.entries(found.checks).map(([dependency, state]) => ({
        value: state === 'ok' ? 1 : 0,
        labels: { dependency },
      })),
  );
  const backlog = new CachedGauge({ name: 'outbox backlog', read: () => outboxBacklog(database), log });
  backlog.observeAs(
    'switchboard_outbox_pending_events',
    'Committed events that are not published; counted up to 10,001',
    ({ pending }) => [{ value: pending }],
  );
  backlog.observeAs(
    'switchboard_outbox_oldest_pending_age_seconds',
    'Age of the next event to be published, 0 when none waits: how far the relay is behind',
    ({ oldestAgeSeconds }) => [{ value: oldestAgeSeconds }],
  );
  backlog.observeAs(
    'switchboard_outbox_replaying',
    'Whether what is kept is being published again after the loss of the stream: 1 while it is, else 0',
    ({ isReplaying }) => [{ value: isReplaying ? 1 : 0 }],
  );
  const comparison = new CachedGauge({ name: 'comparison', read: () => comparisonAge(database), log });
  comparison.observeAs(
    'switchboard_database_comparison_age_seconds',
    'Time since a process last knew the database to be no restored one; above 15 s nothing that is due is sent',
    (ageSeconds) => (ageSeconds === null ? [] : [{ value: ageSeconds }]),
  );
  const snapshot = new CachedGauge({ name: 'oldest snapshot', read: () => oldestSnapshotAge(database), log });
  snapshot.observeAs(
    'switchboard_database_oldest_snapshot_transactions',
    'Transactions that have written since the oldest snapshot of the database was taken',
    (age) => [{ value: age }],
  );
  const partitions = new CachedGauge({ name: 'partitions', read: () => partitionDays(database), log });
  partitions.observeAs(
    'switchboard_partition_days_ahead',
    'Whole days after today of which a table has its partitions; a write of a later day fails, but of message_fact, which takes it apart',
    ({ ahead }) => [...ahead].map(([table, value]) => ({ value, labels: { table } })),
  );
  partitions.observeAs(
    'switchboard_partitions_past_retention',
    'Days of outbox and inbox whose time is over and that are not dropped',
    ({ past }) => [{ value: past }],
  );
  // One without any is shown as 0, so that its first one is seen as a rise.
  const consumers = ['relay', ...consumersOf(service)];
  const deadLetters = new CachedGauge({ name: 'dead letters', read: () => deadLetterCounts(database), log });
  deadLetters.observeAs(
    'switchboard_dead_letters',
    'Events given up and kept to be driven again; of the newest 10,001 of the service',
    (counts) =>
      [...new Set([...consumers, ...counts.keys()])].map((consumer) => ({
        value: counts.get(consumer) ?? 0,
        labels: { consumer },
      })),
  );
}

function consumersOf(service: string): string[] {
  const services: Readonly<Record<string, ServiceTopology>> = topology;
  return services[service]?.consumes.map(({ name }) => name) ?? [];
}
