/** What this library reads from the environment. */
export interface TestingConfig {
  /** `SWITCHBOARD_TEST_SERVERS`: where the servers of the test run are asked for. Default: none, every file has its own. */
  readonly runServersUrl: string | undefined;
  /** `JEST_WORKER_ID`: the Jest worker that this process is. Default: 1. */
  readonly worker: string;
}

/** Name of the variable that hands the address of the run's servers to the workers. */
export const RUN_SERVERS_KEY = 'SWITCHBOARD_TEST_SERVERS';

/** Reads the configuration, empty values counting as absent. */
export function readTestingConfig(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): TestingConfig {
  return {
    runServersUrl: environment[RUN_SERVERS_KEY] || undefined,
    worker: environment['JEST_WORKER_ID'] || '1',
  };
}
