import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isPostgresUrl } from '@switchboard/postgres';

/** Where the database is looked for, first the first. */
export interface AdminConfig {
  /** `DATABASE_URL`. */
  readonly databaseUrl: string | undefined;
  /** Of the local run: `dev.json` in `SWITCHBOARD_DATA_DIR`, or in `.data` of the checkout. */
  readonly devJson: string;
  /** `CREDENTIALS_KEY` and `CREDENTIALS_KEY_PREVIOUS`, 32 bytes in base 64. */
  readonly masterKey: string | undefined;
  readonly masterKeyPrevious: string | undefined;
  /** Of the local run, with its master key. */
  readonly secretsJson: string;
  /** `ADMIN_OPERATOR`: the operator's name for the audit log in place of the account's, which in a container says nothing. */
  readonly operator: string | undefined;
}

/** @param root of the checkout */
export function readAdminConfig(root: string, environment: NodeJS.ProcessEnv = process.env): AdminConfig {
  const dataDir = resolve(root, environment['SWITCHBOARD_DATA_DIR'] || '.data');
  return {
    databaseUrl: environment['DATABASE_URL'] || undefined,
    devJson: join(dataDir, 'dev.json'),
    masterKey: environment['CREDENTIALS_KEY'] || undefined,
    masterKeyPrevious: environment['CREDENTIALS_KEY_PREVIOUS'] || undefined,
    secretsJson: join(dataDir, 'secrets.json'),
    operator: environment['ADMIN_OPERATOR'] || undefined,
  };
}

/**
 * The database to work on.
 *
 * @param given by `--database-url`
 * @throws Error in one line that says what is missing
 */
export function databaseUrlOf({ databaseUrl, devJson }: AdminConfig, given: string | undefined): string {
  const named = given === undefined ? 'DATABASE_URL' : '--database-url';
  const url = given ?? databaseUrl;
  if (url !== undefined && !isPostgresUrl(url)) throw new Error(`${named} must be a postgres:// URL.`);
  const found = url ?? databaseUrlIn(devJson);
  if (found !== undefined) return found;
  throw new Error(
    `No database: nothing runs from ${devJson}. Start Switchboard, or give --database-url, DATABASE_URL or SWITCHBOARD_DATA_DIR.`,
  );
}

/**
 * The keys that wrap the organizations' data keys: those of the environment, else the local run's.
 *
 * @throws Error in one line that says what is missing
 */
export function masterKeysOf(config: AdminConfig): { readonly current: Buffer; readonly previous: Buffer | null } {
  const { masterKey, masterKeyPrevious, secretsJson } = config;
  const current = masterKey ?? textIn(secretsJson, 'credentials key');
  if (current === undefined)
    throw new Error('No master key: give CREDENTIALS_KEY, and CREDENTIALS_KEY_PREVIOUS for another.');
  const previous = masterKeyPrevious === undefined ? null : key256Of(masterKeyPrevious, 'CREDENTIALS_KEY_PREVIOUS');
  return { current: key256Of(current, 'CREDENTIALS_KEY'), previous };
}

function key256Of(text: string, name: string): Buffer {
  const key = Buffer.from(text, 'base64');
  if (key.length !== 32) throw new Error(`${name} must be 32 bytes in base 64.`);
  return key;
}

function databaseUrlIn(devJson: string): string | undefined {
  return textIn(devJson, 'databaseUrl');
}

function textIn(file: string, name: string): string | undefined {
  try {
    const value: unknown = Reflect.get(JSON.parse(readFileSync(file, 'utf8')) as object, name);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
