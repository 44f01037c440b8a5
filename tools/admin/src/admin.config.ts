import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Where the database is looked for, first the first. */
export interface AdminConfig {
  /** `DATABASE_URL`. */
  readonly databaseUrl: string | undefined;
  /** Of the local run: `dev.json` in `SWITCHBOARD_DATA_DIR`, or in `.data` of the checkout. */
  readonly devJson: string;
}

/** @param root of the checkout */
export function readAdminConfig(root: string, environment: NodeJS.ProcessEnv = process.env): AdminConfig {
  const dataDir = resolve(root, environment['SWITCHBOARD_DATA_DIR'] || '.data');
  return { databaseUrl: environment['DATABASE_URL'] || undefined, devJson: join(dataDir, 'dev.json') };
}

/**
 * The database to work on.
 *
 * @param given by `--database-url`
 * @throws Error in one line that says what is missing
 */
export function databaseUrlOf({ databaseUrl, devJson }: AdminConfig, given: string | undefined): string {
  const found = given ?? databaseUrl ?? databaseUrlIn(devJson);
  if (found) return found;
  throw new Error(
    `No database: nothing runs from ${devJson}. Start Switchboard, or give --database-url, DATABASE_URL or SWITCHBOARD_DATA_DIR.`,
  );
}

function databaseUrlIn(devJson: string): string | undefined {
  try {
    const { databaseUrl }: { databaseUrl?: unknown } = JSON.parse(readFileSync(devJson, 'utf8'));
    return typeof databaseUrl === 'string' ? databaseUrl : undefined;
  } catch {
    return undefined;
  }
}
