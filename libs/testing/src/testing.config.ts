/** What this library reads from the environment. */
export interface TestingConfig {
  /** `SWITCHBOARD_TEST_SERVERS`: where the servers of the test run are asked for. Default: none, every file has its own. */
  readonly runServersUrl: string | undefined;
  /** `SWITCHBOARD_TEST_SEED`: what a test with random steps draws them from, a whole number. Default: a random one. */
  readonly seed: number | undefined;
  /** `SWITCHBOARD_TEST_STACK_FILES`: how many files of the run use the shared stacks. Default: that is not known. */
  readonly stackFiles: number | undefined;
  /** `JEST_WORKER_ID`: the Jest worker that this process is. Default: 1. */
  readonly worker: string;
}

/** Name of the variable that hands the address of the run's servers to the workers. */
export const RUN_SERVERS_KEY = 'SWITCHBOARD_TEST_SERVERS';

/** Name of the variable by which the order of the files (tools/dev/test-order.mjs) says how many use the shared stacks. */
const STACK_FILES_KEY = 'SWITCHBOARD_TEST_STACK_FILES';

/** Reads the configuration, empty values counting as absent. @throws Error when the seed is no whole number */
export function readTestingConfig(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): TestingConfig {
  const seed = environment['SWITCHBOARD_TEST_SEED'] || undefined;
  if (seed !== undefined && !/^\d{1,10}$/.test(seed)) throw new Error('SWITCHBOARD_TEST_SEED must be a whole number');
  const stackFiles = environment[STACK_FILES_KEY] || undefined;
  return {
    runServersUrl: environment[RUN_SERVERS_KEY] || undefined,
    seed: seed === undefined ? undefined : Number(seed),
    stackFiles: stackFiles === undefined ? undefined : Number(stackFiles),
    worker: environment['JEST_WORKER_ID'] || '1',
  };
}
