import type { DataFolder } from './data-folder.js';
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
  readonly databaseUrl: string | undefined;
  readonly natsUrl: string | undefined;
  readonly replicas: Readonly<Record<string, number>>;
  readonly isReset: boolean;
}

/** What every step of a start works with. */
export interface StartContext {
  readonly spec: StartSpec;
  readonly folder: DataFolder;
  readonly secrets: Secrets;
  readonly progress: Progress;
  readonly stack: Stack;
  readonly common: CommonEnvironment;
}
