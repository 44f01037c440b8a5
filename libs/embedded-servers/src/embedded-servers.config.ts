/** Where root keeps what PostgreSQL's unprivileged account has to reach when the checkout or its data is out of its reach. */
export const rootStateFolder = '/var/lib/switchboard';

/** What this library reads from the environment. */
export interface EmbeddedServersConfig {
  /** `NATS_SERVER_BIN`: path of a nats-server to use instead of the one that would be found. Default: none. */
  readonly natsServerBinary: string | undefined;
  /** `CHROMIUM_BIN`: path of a Chromium to use instead of the one that would be found. Default: none. */
  readonly chromiumBinary: string | undefined;
  /** `PATH`: where a nats-server and a Chromium are looked for next, and a Python. */
  readonly searchPath: string;
  /**
   * `POSTGRES_STATE_DIR`: where root keeps clusters whose data folder PostgreSQL's account cannot reach. Default:
   * /var/lib/switchboard.
   */
  readonly postgresStateDir: string;
  /** All of it, for programs that are started to see whether they run. */
  readonly inherited: Readonly<Record<string, string | undefined>>;
}

/** Reads the configuration, empty values counting as absent. */
export function readEmbeddedServersConfig(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): EmbeddedServersConfig {
  return {
    natsServerBinary: environment['NATS_SERVER_BIN'] || undefined,
    chromiumBinary: environment['CHROMIUM_BIN'] || undefined,
    searchPath: environment['PATH'] ?? '',
    postgresStateDir: environment['POSTGRES_STATE_DIR'] || rootStateFolder,
    inherited: environment,
  };
}
