import { gatewayMigrations } from '@switchboard/gateway/migrations';
import type { Database } from '@switchboard/postgres';
import type { TestServers } from '@switchboard/testing';
import { readAdminConfig } from '../src/admin.config.js';
import { runAdmin } from '../src/admin.js';

/** What a command printed, and its exit code. */
export interface AdminOutcome {
  readonly code: number;
  readonly out: string[];
  readonly err: string[];
}

/** `npm run admin` on the tables of the gateway. */
export interface GatewayAdmin {
  readonly database: Database;
  readonly sql: (text: string) => Promise<Record<string, unknown>[]>;
  /** Runs a command as the operator `deputy`. */
  readonly admin: (...args: string[]) => Promise<AdminOutcome>;
  /** What the last command printed, out and err in the order in which it did. */
  readonly printed: string[];
}

/** Prepares the gateway's tables, and commands that work on them. */
export async function prepareGatewayAdmin(servers: TestServers): Promise<GatewayAdmin> {
  const prepared = await servers.serviceDatabase('gateway', gatewayMigrations);
  const database = await prepared.superuser();
  const printed: string[] = [];
  const config = readAdminConfig('/nowhere', { DATABASE_URL: prepared.superuserUrl });
  return {
    database,
    sql: (text) => database.dataSource.query(text),
    admin: async (...args) => {
      const [out, err]: [string[], string[]] = [[], []];
      printed.length = 0;
      const onto = (stream: string[]) => (line: string) => void (stream.push(line), printed.push(line));
      const code = await runAdmin(args, { config, out: onto(out), err: onto(err), operator: 'deputy' });
      return { code, out, err };
    },
    printed,
  };
}
