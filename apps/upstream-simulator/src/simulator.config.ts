import { parseAccounts, type Account } from './account/account.entity.js';
import { isHttpUrl } from './callback/callback.controller.js';
import type { CallbackTarget } from './callback/callback.entity.js';
import { parseJson } from './json/json-value.js';
import { DEFAULT_TEMPLATES, parseTemplates, type TemplateDraft } from './template/template.entity.js';

/** Everything that a simulator is started with. */
export interface SimulatorConfig {
  readonly host: string;
  /** Further names under which the control surface is reached; any other `Host` is refused. */
  readonly controlHosts: readonly string[];
  /** Port of contract and control; 0 lets the system choose. */
  readonly port: number;
  /** Port of the contract alone; 0 lets the system choose. */
  readonly providerPort: number;
  /** Port of the contract over TLS; 0 lets the system choose. */
  readonly tlsPort: number;
  /** Folder of the request log and the callback journal; made when it is not there. */
  readonly dataDir: string;
  /** Null: those that were set last, or the example. */
  readonly accounts: readonly Account[] | null;
  readonly templates: readonly TemplateDraft[];
  readonly callback: CallbackTarget;
  /** Milliseconds from the acceptance to `read` unless the knob says otherwise; null: never. */
  readonly readDelayMs: number | null;
}

/**
 * The configuration in the environment, frozen.
 *
 * | key | default |
 * |---|---|
 * | SIMULATOR_HOST | 127.0.0.1 |
 * | SIMULATOR_CONTROL_HOSTS | none: names by comma under which the control surface is reached, besides those of this machine |
 * | SIMULATOR_PORT, SIMULATOR_PROVIDER_PORT, SIMULATOR_TLS_PORT | 0: the system chooses |
 * | SIMULATOR_DATA_DIR | .data/upstream-simulator, from the working folder |
 * | SIMULATOR_ACCOUNTS | JSON, see parseAccounts; those that were set last, else one with the provider's example ids |
 * | SIMULATOR_TEMPLATES | JSON, see parseTemplates; twelve examples |
 * | SIMULATOR_READ_DELAY_MS | none: no message is ever read |
 * | SIMULATOR_CALLBACK_URL | none: no callbacks until PUT /_sim/callback |
 * | SIMULATOR_APP_SECRET, SIMULATOR_VERIFY_TOKEN | simulator-app-secret, simulator-verify-token |
 *
 * @throws Error that names every key that is wrong.
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>> = process.env): SimulatorConfig {
  const problems: string[] = [];
  const read = <T>(key: string, fallback: T, parse: (text: string, key: string) => T): T => {
    const text = environment[key];
    if (text === undefined || text === '') return fallback;
    try {
      return parse(text, key);
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
      return fallback;
    }
  };
  const text = (value: string): string => value;
  const config: SimulatorConfig = {
    host: read('SIMULATOR_HOST', '127.0.0.1', text),
    controlHosts: read<readonly string[]>('SIMULATOR_CONTROL_HOSTS', [], (names) =>
      names.split(',').flatMap((name) => name.trim() || []),
    ),
    port: read('SIMULATOR_PORT', 0, parsePort),
    providerPort: read('SIMULATOR_PROVIDER_PORT', 0, parsePort),
    tlsPort: read('SIMULATOR_TLS_PORT', 0, parsePort),
    dataDir: read('SIMULATOR_DATA_DIR', '.data/upstream-simulator', text),
    accounts: read<readonly Account[] | null>('SIMULATOR_ACCOUNTS', null, (value, key) =>
      parseAccounts(parseJson(value), key),
    ),
    templates: read('SIMULATOR_TEMPLATES', DEFAULT_TEMPLATES, (value, key) => parseTemplates(parseJson(value), key)),
    readDelayMs: read<number | null>('SIMULATOR_READ_DELAY_MS', null, parseDelay),
    callback: Object.freeze({
      url: read<string | null>('SIMULATOR_CALLBACK_URL', null, parseUrl),
      appSecret: read('SIMULATOR_APP_SECRET', 'simulator-app-secret', text),
      verifyToken: read('SIMULATOR_VERIFY_TOKEN', 'simulator-verify-token', text),
    }),
  };
  if (problems.length > 0) throw new Error(`configuration: ${problems.join('; ')}`);
  return Object.freeze(config);
}

function parsePort(value: string, key: string): number {
  const port = Number(value);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`\`${key}\` must be a port, 0 to 65535`);
  return port;
}

function parseDelay(value: string, key: string): number {
  if (!/^[0-9]{1,8}$/.test(value)) throw new Error(`\`${key}\` must be a number of milliseconds`);
  return Number(value);
}

function parseUrl(value: string, key: string): string {
  if (!isHttpUrl(value)) throw new Error(`\`${key}\` must be an http or https URL`);
  return value;
}
