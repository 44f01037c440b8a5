import { serviceNames, topology, type ServiceTopology } from '@switchboard/contracts/topology';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** A service of the platform: owns a schema of its name, a NATS user of its name, and any number of processes. */
export interface Service {
  readonly name: string;
  /** The gateway listens on the public port; all others on one that the kernel chooses. */
  readonly isPublic: boolean;
}

/** The registered services that this checkout holds, built, in the order of their registration. */
export function listServices(root: string): readonly Service[] {
  const registered: Readonly<Record<string, ServiceTopology>> = topology;
  return serviceNames
    .filter((name) => existsSync(serviceEntry(root, name)))
    .map((name) => ({ name, isPublic: registered[name]?.outside === 'listens' }));
}

/** The services whose migrations are built; each owns a schema. */
export function listSchemas(root: string): string[] {
  return serviceNames.filter((name) => migrationEntry(root, name) !== undefined);
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
export function findProgram(
  root: string,
  program: 'simulator' | 'seed' | 'templates' | 'provision',
): string | undefined {
  const path = {
    simulator: ['apps', 'upstream-simulator', 'dist', 'main.js'],
    seed: ['tools', 'seed', 'dist', 'main.js'],
    templates: ['tools', 'seed', 'dist', 'await-templates.js'],
    provision: ['libs', 'nats', 'dist', 'provision-main.js'],
  }[program];
  const file = join(root, ...path);
  return existsSync(file) ? file : undefined;
}
