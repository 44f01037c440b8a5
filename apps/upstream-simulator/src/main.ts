import { readConfig } from './simulator.config.js';
import { startSimulator } from './simulator.js';

/** Beyond this a stop is an exit: nothing is lost by it, since everything answered is on file. */
const STOP_DEADLINE_MS = 2_000;

try {
  const simulator = await startSimulator(readConfig());
  const { close, ...addresses } = simulator;
  process.stdout.write(`${JSON.stringify({ event: 'service.ready', name: 'upstream-simulator', ...addresses })}\n`);
  const stop = (): void => {
    setTimeout(() => process.exit(1), STOP_DEADLINE_MS).unref();
    close().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
} catch (error) {
  fail(error);
}

function fail(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${JSON.stringify({ event: 'service.failed', name: 'upstream-simulator', message })}\n`);
  process.exit(1);
}
