import { isIP } from 'node:net';
import { isPostgresUrl } from '@switchboard/postgres';

/** One key of a service's configuration. */
export interface ConfigKey<Value> {
  readonly description: string;
  /** What the number means, for example `ms`; absent for text. */
  readonly unit?: string;
  /** Absent means that the key is required. */
  readonly default?: Value;
  /** Never printed. */
  readonly secret?: boolean;
  /** @throws Error with what was expected */
  readonly parse: (text: string) => Value;
}

/** The keys of a configuration by their variable's name. */
export type ConfigSchema = Record<string, ConfigKey<unknown>>;
/** The values that a schema reads. */
export type ConfigOf<Schema extends ConfigSchema> = {
  readonly [Key in keyof Schema]: Schema[Key] extends ConfigKey<infer Value> ? Value : never;
};

/**
 * Reads a configuration once, whole.
 *
 * @throws Error that lists every problem at once, one line each
 */
export function readConfig<Schema extends ConfigSchema>(
  schema: Schema,
  env: Readonly<Record<string, string | undefined>>,
): ConfigOf<Schema> {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, key] of Object.entries(schema)) {
    const text = env[name];
    try {
      if (text !== undefined && text !== '') values[name] = key.parse(text);
      else if (key.default !== undefined) values[name] = key.default;
      else problems.push(`${name} is required: ${key.description}`);
    } catch (error) {
      problems.push(`${name}: ${error instanceof Error ? error.message : 'is not valid'}`);
    }
  }
  if (problems.length > 0) throw new Error(`configuration:\n  ${problems.join('\n  ')}`);
  return Object.freeze(values) as ConfigOf<Schema>;
}

/** Any text that is not blank, as it is. */
export function text(options: Omit<ConfigKey<string>, 'parse'>): ConfigKey<string> {
  return {
    ...options,
    parse: (value) => {
      if (value.trim() !== '') return value;
      throw new Error('must not be blank');
    },
  };
}

/** What a server listens at: an address, or a name of this machine. */
export function listenHost(options: Omit<ConfigKey<string>, 'parse'>): ConfigKey<string> {
  return {
    ...options,
    parse: (value) => {
      if (isIP(value) !== 0 || /^[\w.-]+$/.test(value)) return value;
      throw new Error('must be an address or a name of this machine, without scheme, port and brackets');
    },
  };
}

/** A whole number within bounds. */
export function integer(
  options: Omit<ConfigKey<number>, 'parse'> & { readonly min: number; readonly max: number },
): ConfigKey<number> {
  const { min, max, ...key } = options;
  return {
    ...key,
    parse: (value) => {
      const number = wholeNumber(value);
      if (number >= min && number <= max) return number;
      throw new Error(`must be a whole number from ${min} to ${max}`);
    },
  };
}

/** NaN, which is in no range, for all but digits: `Number` takes white space for 0. */
function wholeNumber(value: string): number {
  return /^-?\d+$/.test(value) ? Number(value) : Number.NaN;
}

/** Days for which rows are kept; 0, the default, for ever. */
export function retentionDays({
  description,
  min,
}: {
  readonly description: string;
  readonly min: number;
}): ConfigKey<number> {
  const max = 3_650;
  return {
    description,
    unit: 'days',
    default: 0,
    parse: (value) => {
      const days = wholeNumber(value);
      if (days === 0 || (days >= min && days <= max)) return days;
      throw new Error(`must be 0, or a whole number from ${min} to ${max}`);
    },
  };
}

/** `true` or `false`. */
export function flag(options: Omit<ConfigKey<boolean>, 'parse'>): ConfigKey<boolean> {
  return {
    ...options,
    parse: (value) => {
      if (value === 'true' || value === 'false') return value === 'true';
      throw new Error('must be true or false');
    },
  };
}

/** Null: it is no http(s) URL. */
export function httpUrlOf(value: string): URL | null {
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) ? url : null;
}

/** The base of an API: scheme, host and port. */
export function httpOrigin(options: Omit<ConfigKey<string>, 'parse'>): ConfigKey<string> {
  return {
    ...options,
    parse: (value) => {
      const url = httpUrlOf(value);
      if (url !== null && url.href === `${url.origin}/`) return url.origin;
      throw new Error('must be an http(s) URL without a path');
    },
  };
}

/** An http(s) URL that paths are appended to; it has no slash at its end. */
export function httpBase(options: Omit<ConfigKey<string>, 'parse'>): ConfigKey<string> {
  return {
    ...options,
    parse: (value) => {
      const url = httpUrlOf(value);
      if (url?.search === '' && url.hash === '') return url.href.replace(/\/+$/, '');
      throw new Error('must be an http(s) URL without query');
    },
  };
}

/** A URL of PostgreSQL; its host may be a socket's folder. */
export function databaseUrl(value: string): string {
  if (isPostgresUrl(value) && isDecodable(new URL(value))) return value;
  throw new Error('must be a postgres:// URL');
}

/** The URL of one server of NATS; without a scheme it is nats://. */
function natsUrl(value: string): string {
  const url = URL.parse(value.includes('://') ? value : `nats://${value}`);
  if (url !== null && url.hostname.trim() !== '' && isDecodable(url)) return value;
  throw new Error('must be a nats:// URL of one server');
}

function isDecodable({ username, password }: URL): boolean {
  try {
    decodeURIComponent(`${username}${password}`);
    return true;
  } catch {
    return false;
  }
}

/** 32 bytes as base 64, for AES-256; null where it is not set. */
export function optionalKey256(
  options: Omit<ConfigKey<Buffer>, 'parse' | 'secret' | 'default'>,
): ConfigKey<Buffer | null> {
  return { ...key256(options), default: null };
}

/** 32 bytes as base 64, for AES-256. */
export function key256(options: Omit<ConfigKey<Buffer>, 'parse' | 'secret'>): ConfigKey<Buffer> {
  return {
    ...options,
    secret: true,
    parse: (value) => {
      const bytes = Buffer.from(value, 'base64');
      if (bytes.length === 32) return bytes;
      throw new Error('must be 32 bytes in base 64');
    },
  };
}

/** What every service needs: where it listens, its database and its NATS user. */
export const serviceConfigSchema = {
  SERVICE_HTTP_HOST: listenHost({
    description: 'address of the internal server (health, metrics)',
    default: '127.0.0.1',
  }),
  SERVICE_HTTP_PORT: integer({ description: 'port of the internal server; 0 = any', default: 0, min: 0, max: 65_535 }),
  DATABASE_URL: { description: "postgres:// URL of the service's own role", secret: true, parse: databaseUrl },
  // Three may be held for as long as a process lives: by its relay, the reader of an ordered stream, and what takes back a restore.
  DATABASE_POOL_MAX: integer({ description: 'connections at most', default: 8, min: 4, max: 100 }),
  NATS_URL: { description: 'nats:// URL', parse: natsUrl },
  NATS_USER: text({ description: "the service's NATS user" }),
  NATS_PASSWORD: text({ description: 'its password', secret: true }),
} satisfies ConfigSchema;

/** The values of `serviceConfigSchema`. */
export type ServiceConfig = ConfigOf<typeof serviceConfigSchema>;
