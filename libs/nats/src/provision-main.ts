import { types } from 'node:util';
import { connectNats } from './connection.js';
import { provisionConfig } from './provision.config.js';
import { provision, restartConsumers } from './provision.js';

/** The step that makes streams and consumers, run before services start, after a store was lost, and after a database was restored. */
async function main(): Promise<void> {
  const { replicas, restartConsumersOf, ...config } = provisionConfig();
  const connection = await connectNats({ ...config, onStatus: () => undefined });
  await provision(connection, replicas);
  await restartConsumers(connection, restartConsumersOf);
  await connection.close();
}

try {
  await main();
} catch (error) {
  // What an operator can mend fits a line.
  process.stderr.write(`${types.isNativeError(error) ? error.message : String(error)}\n`);
  process.exit(1);
}
