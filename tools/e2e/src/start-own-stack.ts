import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareData, startStack, type RunningStack, type StackOptions } from '@switchboard/dev';
import { removePostgresData } from '@switchboard/embedded-servers';
import { sharedOfRun } from '@switchboard/testing/run-servers';
import type { StartShared } from '@switchboard/testing/start-shared';

/** Makes the data that every stack of the tests begins with: roles, schemas and migrations are half of the work of a start. */
export const prepareSharedData: StartShared = async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'switchboard-prepared-'));
  await prepareData(dataDir);
  return {
    access: async () => dataDir,
    end: async () => {
      await removePostgresData(join(dataDir, 'postgres'));
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};

/** The folder to begin with. */
export async function preparedData(): Promise<string> {
  return sharedOfRun<string>('data');
}

/** A stack that a file of tests may kill and configure, on a new folder; `destroy` leaves nothing. */
export async function startOwnStack(
  options: Pick<StackOptions, 'replicas' | 'environment'>,
): Promise<{ readonly stack: RunningStack; readonly dataDir: string }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'switchboard-e2e-'));
  return { stack: await startStack({ ...options, dataDir, quiet: true, prepared: await preparedData() }), dataDir };
}
