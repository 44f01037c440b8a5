import { serviceNames, topology, type ServiceTopology } from '@switchboard/contracts/topology';
import type pg from 'pg';
import { UsageError } from './command-line.js';

const services: Readonly<Record<string, ServiceTopology>> = topology;

/**
 * The services whose tables are in this database: all, or the one that was named.
 *
 * @throws UsageError when there is no such service; Error when the database has none
 */
export async function servicesIn(client: pg.ClientBase, named: string | undefined): Promise<string[]> {
  const known: readonly string[] = serviceNames;
  if (named !== undefined && !known.includes(named)) {
    throw new UsageError(`There is no service ${named}; there are ${known.join(', ')}.`);
  }
  const { rows } = await client.query<{ service: string }>(
    `SELECT service FROM unnest($1::text[]) AS service
     WHERE to_regclass(format('%I.relay_state', service)) IS NOT NULL ORDER BY service`,
    [named === undefined ? known : [named]],
  );
  if (rows.length > 0) return rows.map(({ service }) => service);
  throw new Error(`This database has no tables of ${named ?? 'any service'}, or they are not migrated.`);
}

/**
 * By the application's name, since where isolation is off a service has no role of its own; by its role, since a pooler may hide the
 * name.
 */
const CONNECTED = `
  SELECT DISTINCT service FROM unnest($1::text[]) AS service
  JOIN pg_stat_activity ON application_name = service OR usename = 'switchboard_' || service
  WHERE datname = current_database() ORDER BY service`;

/** @throws Error while a process of one of these services is connected to this database */
export async function requireStopped(client: pg.ClientBase, names: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ service: string }>(CONNECTED, [names]);
  const connected = rows.map(({ service }) => service);
  const [is, it] = connected.length === 1 ? ['is', 'it'] : ['are', 'them'];
  if (connected.length > 0)
    throw new Error(`${connected.join(', ')} ${is} connected to this database: stop ${it} first.`);
}

/** Whether somebody will take a dead letter of this consumer up again. */
export function isConsumerOf(service: string, consumer: string): boolean {
  return consumer === 'relay' || (services[service]?.consumes.some(({ name }) => name === consumer) ?? false);
}
