/** What this library reads from the environment. */
export interface EmbeddedServersConfig {
  /** `NATS_SERVER_BIN`: path of a nats-server to use instead of the one that would be found. Default: none. */
  readonly natsServerBinary: string | undefined;
  /** `PATH`: where a nats-server is looked for next. */
  readonly searchPath: string;
}

/** Reads the configuration, empty values counting as absent. */
export function readEmbeddedServersConfig(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): EmbeddedServersConfig {
  return {
    natsServerBinary: environment['NATS_SERVER_BIN'] || undefined,
    searchPath: environment['PATH'] ?? '',
  };
}
