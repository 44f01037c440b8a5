import { metrics } from '@opentelemetry/api';
import type pg from 'pg';

/** Observes the pool of a service's database. */
export function observePool(pool: pg.Pool, connectionsMax: number): void {
  const meter = metrics.getMeter('@switchboard/postgres');
  meter
    .createObservableGauge('switchboard_database_connections', {
      description: "Connections of the service's pool, by state: in use or idle",
    })
    .addCallback((result) => {
      result.observe(pool.totalCount - pool.idleCount, { state: 'used' });
      result.observe(pool.idleCount, { state: 'idle' });
    });
  meter
    .createObservableGauge('switchboard_database_connections_max', {
      description: 'Connections that the pool may have',
    })
    .addCallback((result) => result.observe(connectionsMax));
  meter
    .createObservableGauge('switchboard_database_waiting_requests', {
      description: 'Statements and transactions that wait for a connection',
    })
    .addCallback((result) => result.observe(pool.waitingCount));
}
