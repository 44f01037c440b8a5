import { connectNats } from './connection.js';
import { provisionConfig } from './provision.config.js';
import { provision } from './provision.js';

/** The step that makes streams and consumers, run before services start and after a store was lost. */
const { replicas, ...config } = provisionConfig();
const connection = await connectNats({ ...config, onStatus: () => undefined });
await provision(connection, replicas);
await connection.close();
