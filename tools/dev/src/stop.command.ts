import { endProcess } from '@switchboard/embedded-servers';
import { DataFolder } from './data-folder.js';
import type { DevConfig } from './dev.config.js';

/** A supervisor stops everything within 10 s; after that it is killed and its children are ended from here. */
const supervisorGraceMs = 12_000;

/** `npm run stop`: ends what runs on the data folder, and what a killed supervisor left there. @returns the exit code. */
export async function stop({ dataDir }: DevConfig): Promise<number> {
  const folder = new DataFolder(dataDir);
  const supervisor = await folder.findOwner();
  if (supervisor !== undefined) await endProcess(supervisor, 'SIGTERM', supervisorGraceMs);
  const left = await folder.endLeftovers();
  if (supervisor !== undefined || left > 0) await folder.release();
  const said =
    supervisor !== undefined
      ? 'Stopped.'
      : left > 0
        ? `Stopped ${left} processes that a killed supervisor had left.`
        : 'Nothing runs.';
  process.stdout.write(`${said}\n`);
  return 0;
}
