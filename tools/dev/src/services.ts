import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** A service of the platform: owns a schema of its name, a NATS user of its name, and any number of processes. */
export interface Service {
  readonly name: string;
  /** Owns tables, and so has a migration step. */
  readonly hasSchema: boolean;
  /** The gateway listens on the public port; all others on one that the kernel chooses. */
  readonly isPublic: boolean;
}

/** Every service, in the order of the list that `npm run status` shows. This table is the only place that knows them. */
export const services: readonly Service[] = [
  { name: 'gateway', hasSchema: true, isPublic: true },
  { name: 'messaging', hasSchema: true, isPublic: false },
  { name: 'contacts', hasSchema: true, isPublic: false },
];

/** The services that this checkout holds, built. */
export function listServices(root: string): readonly Service[] {
  return services.filter(({ name }) => existsSync(serviceEntry(root, name)));
}

/** The services that have a schema to be made; also those whose program is not built yet but whose migrations are. */
export function listSchemas(root: string): string[] {
  return services
    .filter(({ name, hasSchema }) => hasSchema && migrationEntry(root, name) !== undefined)
    .map(({ name }) => name);
}

/** The file that runs a service. */
export function serviceEntry(root: string, name: string): string {
  return join(root, 'apps', name, 'dist', 'main.js');
}

/** The file that brings a service's schema up to date, run as its migrator role; undefined when it has none. */
export function migrationEntry(root: string, name: string): string | undefined {
  const file = join(root, 'apps', name, 'dist', 'migrate.js');
  return existsSync(file) ? file : undefined;
}

/** Further programs of a start; each is left out while this checkout does not hold it. */
export function findProgram(root: string, program: 'simulator' | 'seed' | 'provision'): string | undefined {
  const path = {
    simulator: ['apps', 'upstream-simulator', 'dist', 'main.js'],
    seed: ['tools', 'seed', 'dist', 'main.js'],
    provision: ['libs', 'nats', 'dist', 'provision-main.js'],
  }[program];
  const file = join(root, ...path);
  return existsSync(file) ? file : undefined;
}
