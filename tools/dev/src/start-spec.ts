import type { DataFolder } from './data-folder.js';
import type { SimulatorSpec } from './dev.config.js';
import type { Progress } from './progress.js';
import type { Secrets } from './secrets.js';
import type { CommonEnvironment } from './service-environment.js';
import type { Stack } from './stack.js';

/** What one start is made of. */
export interface StartSpec {
  /** The checkout. */
  readonly root: string;
  /** The gateway's port; 0 lets the kernel choose. */
  readonly port: number;
  readonly host: string;
  readonly simulator: SimulatorSpec;
  readonly databaseUrl: string | undefined;
  readonly natsUrl: string | undefined;
  readonly replicas: Readonly<Record<string, number>>;
  readonly moreOrganizations: number;
  readonly isReset: boolean;
  /** The database was prepared by the programs of this checkout: there is nothing to migrate. */
  readonly isMigrated: boolean;
  /** What a process of a service gets, made of what it would get. */
  readonly environmentOf: EnvironmentOf;
}

/** Changes the environment of one process of a service (`gateway`, `gateway-2`, …), at each of its launches. */
export type EnvironmentOf = (
  process: string,
  environment: Readonly<Record<string, string>>,
) => Readonly<Record<string, string>>;

/** What every step of a start works with. */
export interface StartContext {
  readonly spec: StartSpec;
  readonly folder: DataFolder;
  readonly secrets: Secrets;
  readonly progress: Progress;
  readonly stack: Stack;
  readonly common: CommonEnvironment;
}
