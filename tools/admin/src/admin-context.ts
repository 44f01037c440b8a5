import type { AdminConfig } from './admin.config.js';

/** Where an admin command looks and writes, and for whom. */
export interface AdminContext {
  readonly config: AdminConfig;
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
  /** The name of the operator's account, for the audit log; null where it has none. */
  readonly operator: string | null;
}
