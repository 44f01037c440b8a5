export { systemClock, type Clock } from './clock.js';
export {
  integer,
  key256,
  readConfig,
  serviceConfigSchema,
  text,
  type ConfigKey,
  type ConfigOf,
  type ConfigSchema,
  type ServiceConfig,
} from './config.js';
export { refusalOf, rpcFailure, type UnavailableTest } from './failure.js';
export { HealthServer, readiness, type Readiness, type ReadinessCheck } from './health.js';
export { createLog, type Log, type LogFields } from './logger.js';
export { stopOnSignal } from './stop-signal.js';
export { startTelemetry, type FinishedSpan, type SpanProcessor, type StopTelemetry } from './telemetry.js';
export { telemetryConfig, type TelemetryConfig } from './telemetry.config.js';
