/** The real PostgreSQL and NATS, found, started, stopped and killed without Docker; for `npm start` and for tests. */
export { type Chromium, findChromium } from './chromium.js';
export { findNatsServer } from './nats-binary.js';
export { type EmbeddedNats, endNatsOf, type NatsOptions, startNats } from './nats.js';
export { copyPostgresData, removePostgresData } from './postgres-data.js';
export {
  type EmbeddedPostgres,
  endPostgresOf,
  postgresSettings,
  type PostgresOptions,
  startPostgres,
} from './postgres.js';
export { endProcess, identifyProcess, isRunning, type ProcessIdentity } from './process-identity.js';
export { endServer, type ServerProcess, spawnServer } from './server-process.js';
export { systemErrorCode } from './system-error.js';
export { findPython, type Python } from './python.js';
export { findFreePorts } from './free-port.js';
