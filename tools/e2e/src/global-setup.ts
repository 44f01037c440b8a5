import { RunServers } from '@switchboard/testing/run-servers';
import { RUN_SERVERS_KEY, readTestingConfig } from '@switchboard/testing/testing-config';
import { startWorkerNats } from '@switchboard/testing/worker-nats';
import { startWorkerPostgres } from '@switchboard/testing/worker-postgres';
import { prepareSharedData } from './start-own-stack.js';
import { startSharedStack } from './start-shared-stack.js';

let running: RunServers | undefined;

/** Begins a test run, in Jest's own process: its workers find in the environment where to ask for what they share. */
export default async function beginTestRun(): Promise<void> {
  const { stackFiles } = readTestingConfig();
  running = await RunServers.start({
    ofWorker: { postgres: startWorkerPostgres, nats: startWorkerNats },
    ofRun: { data: prepareSharedData },
    lent: { stack: { start: startSharedStack, files: stackFiles } },
  });
  process.env[RUN_SERVERS_KEY] = running.url;
  // `npm test` was killed, and Jest would go on by itself. The watchdog then ends what runs.
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel?.unref();
}

/** Ends what the run's files shared. */
export async function endTestRun(): Promise<void> {
  await running?.end();
}
