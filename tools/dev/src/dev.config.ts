import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';

/** How the simulator of a start is otherwise than a test needs it. */
export interface SimulatorSpec {
  /** Undefined: that of the last start on the data folder, while it is free. */
  readonly port?: number | undefined;
  /** After which recipients open a message; undefined: never. */
  readonly readDelayMs?: number | undefined;
}

/** Settings of a start: the command line, the environment and `.env` of the checkout, in this order. */
export interface DevConfig {
  /** `PORT`: the gateway's; 0 lets the kernel choose. Default 3000. */
  readonly port: number;
  /**
   * `SIMULATOR_PORT`; undefined: that of the last start in the data folder, else one that the kernel chooses. And
   * `SIMULATOR_READ_DELAY_MS`: after which recipients open a message. Default 2,000.
   */
  readonly simulator: SimulatorSpec;
  /** `GATEWAY_HOST`: the address it listens on. Default 127.0.0.1, since the demonstration's keys are no secret. */
  readonly host: string;
  /** `SWITCHBOARD_DATA_DIR`: absolute. Default `.data` in the checkout. */
  readonly dataDir: string;
  /** `DATABASE_URL`: a PostgreSQL of the user's, with `PGSSLMODE` where it says nothing of TLS. Default: the embedded one. */
  readonly databaseUrl: string | undefined;
  /** `NATS_URL`: a NATS of the user's. Default: the embedded one. */
  readonly natsUrl: string | undefined;
  /** `SWITCHBOARD_REPLICAS`: processes by service, `gateway=2,messaging=2`. Default: one each. */
  readonly replicas: Readonly<Record<string, number>>;
  /** `--detach`: return once ready. */
  readonly isDetached: boolean;
  /** `--reset`: begin with empty data. */
  readonly isReset: boolean;
  /** Whether this is the supervisor that a start with `--detach` leaves behind (`SWITCHBOARD_SUPERVISOR`, set by it). */
  readonly isDetachedSupervisor: boolean;
  /** Documented keys (those of `.env.example` before its section on Docker) and `OTEL_*`, handed to every service. */
  readonly passed: Readonly<Record<string, string>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

const supervisorKey = 'SWITCHBOARD_SUPERVISOR';

/** Keys of `.env.example` that the supervisor itself answers to: a service gets its own value of them, or none. */
const ownKeys = new Set([
  'PORT',
  'SWITCHBOARD_DATA_DIR',
  'SWITCHBOARD_REPLICAS',
  'DATABASE_URL',
  'NATS_URL',
  'GATEWAY_HOST',
  'SIMULATOR_PORT',
  'SIMULATOR_READ_DELAY_MS',
]);

/** From this line on `.env.example` is about docker-compose.yml: passwords that no program of a local run may see. */
const dockerSection = /^# With Docker\b/m;

/**
 * Reads the configuration.
 *
 * @throws Error that names every faulty key, one a line.
 */
export function readDevConfig(
  root: string,
  args: readonly string[],
  processEnvironment: Environment = process.env,
): DevConfig {
  const environment: Environment = { ...readEnvFile(join(root, '.env')), ...withoutEmpty(processEnvironment) };
  const problems: string[] = [];
  const unknown = args.filter((arg) => arg !== '--detach' && arg !== '--reset');
  if (unknown.length > 0) problems.push(`Unknown option ${unknown.join(' ')}; there are --detach and --reset.`);
  const port = parsePort('PORT', environment['PORT'] ?? '3000', problems);
  const simulatorPortText = environment['SIMULATOR_PORT'];
  const simulatorPort =
    simulatorPortText === undefined ? undefined : parsePort('SIMULATOR_PORT', simulatorPortText, problems);
  const simulatorReadDelayMs = Number(environment['SIMULATOR_READ_DELAY_MS'] ?? 2_000);
  if (!Number.isInteger(simulatorReadDelayMs) || simulatorReadDelayMs < 0) {
    problems.push('SIMULATOR_READ_DELAY_MS must be a whole number of milliseconds.');
  }
  requireUrl('DATABASE_URL', environment['DATABASE_URL'], 'postgres://user:password@host:5432/database', problems);
  requireUrl('NATS_URL', environment['NATS_URL'], 'nats://host:4222', problems);
  const replicas = parseReplicas(environment['SWITCHBOARD_REPLICAS'], problems);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return {
    port,
    simulator: { port: simulatorPort, readDelayMs: simulatorReadDelayMs },
    host: environment['GATEWAY_HOST'] ?? '127.0.0.1',
    dataDir: resolve(root, environment['SWITCHBOARD_DATA_DIR'] ?? '.data'),
    databaseUrl: withTls(environment['DATABASE_URL'], environment['PGSSLMODE']),
    natsUrl: environment['NATS_URL'],
    replicas,
    // npm keeps flags that stand before `--` to itself and shows them only here.
    isDetached: args.includes('--detach') || isNpmFlag(processEnvironment, 'detach'),
    isReset: args.includes('--reset') || isNpmFlag(processEnvironment, 'reset'),
    isDetachedSupervisor: processEnvironment[supervisorKey] === 'detached',
    passed: selectPassed(root, environment),
  };
}

/** The environment of the supervisor that a start with `--detach` leaves behind. */
export function supervisorEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, [supervisorKey]: 'detached' };
}

/** The environment that any child needs whatever it is, and nothing else of ours. */
export function baseEnvironment(): Record<string, string> {
  const kept = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'TZ'].flatMap((key) => {
    const value = process.env[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(kept);
}

function isNpmFlag(environment: Environment, flag: string): boolean {
  const value = environment[`npm_config_${flag}`];
  return value !== undefined && value !== '' && value !== 'false';
}

function parsePort(name: string, text: string, problems: string[]): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65535) problems.push(`${name} must be an integer from 0 to 65535.`);
  return port;
}

/** @param text one URL, or several separated by commas; it may hold a password, and is not quoted */
function requireUrl(name: string, text: string | undefined, example: string, problems: string[]): void {
  if (text === undefined || text.split(',').every((part) => URL.canParse(part.trim()))) return;
  problems.push(`${name} must be a URL, ${example}.`);
}

/** Services do not get the environment of the supervisor, whose node-postgres takes these for `verify-full`. */
const verifying = new Set(['prefer', 'require', 'verify-ca', 'verify-full']);

/** A URL that says for every process what `PGSSLMODE` says for this one; any other URL stays as it was written. */
function withTls(url: string | undefined, mode: string | undefined): string | undefined {
  const found = mode !== undefined && verifying.has(mode) ? 'verify-full' : mode;
  if (url === undefined || (found !== 'verify-full' && found !== 'no-verify' && found !== 'disable')) return url;
  const parsed = new URL(url);
  if (['sslmode', 'ssl'].some((key) => parsed.searchParams.has(key))) return url;
  parsed.searchParams.set('sslmode', found);
  return parsed.href;
}

function parseReplicas(text: string | undefined, problems: string[]): Record<string, number> {
  const replicas: Record<string, number> = {};
  for (const item of (text ?? '').split(',').filter((part) => part.trim() !== '')) {
    const match = /^\s*([a-z-]+)\s*=\s*(\d+)\s*$/.exec(item);
    const count = Number(match?.[2]);
    if (match?.[1] === undefined || count < 1 || count > 16) {
      problems.push('SWITCHBOARD_REPLICAS must look like gateway=2,messaging=2, each from 1 to 16.');
      break;
    }
    replicas[match[1]] = count;
  }
  return replicas;
}

function selectPassed(root: string, environment: Environment): Record<string, string> {
  const [ofLocalRun = ''] = readText(join(root, '.env.example')).split(dockerSection);
  const documented = ofLocalRun.matchAll(/^#?\s?([A-Z][A-Z0-9_]*)=/gm);
  const keys = new Set([...documented].map((match) => match[1] ?? '').filter((key) => !ownKeys.has(key)));
  const passed: Record<string, string> = {};
  for (const [key, value] of Object.entries(environment)) {
    if (value !== undefined && (keys.has(key) || key.startsWith('OTEL_'))) passed[key] = value;
  }
  return passed;
}

function readEnvFile(path: string): Environment {
  return withoutEmpty(parseEnv(readText(path)));
}

function withoutEmpty(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''));
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
