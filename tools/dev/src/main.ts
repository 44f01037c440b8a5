import { resolve } from 'node:path';
import { allowClosedOutput } from './closed-output.js';
import { readDevConfig } from './dev.config.js';
import { explainSystemError } from './explain.js';
import { listen } from './listen.command.js';
import { prepare } from './prepare.command.js';
import { sim, SimUsageError } from './sim.command.js';
import { start } from './start.command.js';
import { status } from './status.command.js';
import { stop } from './stop.command.js';

/** The program behind `npm start`, `npm run stop`, `npm run status`, `npm run listen` and `npm run sim`; called by tools/dev/entry.mjs. */
const root = resolve(import.meta.dirname, '..', '..', '..');
const [command = 'start', ...args] = process.argv.slice(2);
allowClosedOutput();
try {
  // Its options are its own.
  const config = readDevConfig(root, command === 'sim' ? [] : args);
  process.exitCode = await explainSystemError(config.dataDir, () => {
    if (command === 'stop') return stop(config);
    if (command === 'status') return status(config);
    if (command === 'listen') return listen(config);
    if (command === 'sim') return sim(config.dataDir, args);
    if (command === 'prepare') return prepare(root);
    return start(config);
  });
} catch (error) {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof SimUsageError ? 2 : 1;
}
// The channel to the entry script would keep this process alive.
if (process.connected) process.disconnect();
