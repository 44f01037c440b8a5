export { systemClock, type Clock } from './clock.js';
export { descriptorsMax } from './descriptors.js';
export {
  integer,
  flag,
  httpBase,
  httpOrigin,
  key256,
  listenHost,
  optionalKey256,
  readConfig,
  retentionDays,
  serviceConfigSchema,
  text,
  type ConfigKey,
  type ConfigOf,
  type ConfigSchema,
  type ServiceConfig,
} from './config.js';
export { EventConsumer, type ConsumerPlatform, type EventConsumerSpec } from './event-consumer.js';
export { PlainConsumer } from './plain-consumer.js';
export { ProjectionConsumer, type ProjectedEvent } from './projection-consumer.js';
export { eventDataOf } from './event-data.js';
export { endOnCrash } from './crash.js';
export { refusalOf, rpcFailure } from './failure.js';
export { InternalServer, type InternalRoute, type InternalServerParts } from './internal-server.js';
export { createLog, type Log, type LogFields } from './logger.js';
export { startMetrics, type Metrics } from './metrics.js';
export { migrationConfig, type MigrationConfig } from './migration.config.js';
export { openPlatform, type Platform, type PlatformSpec } from './platform.js';
export { CLOCK, LOG, PLATFORM, PlatformModule, STOPPING } from './platform.module.js';
export { canServe, readiness, type Readiness, type ReadinessCheck } from './readiness.js';
export { RedriveLook } from './redrive-look.js';
export { CachedGauge, type GaugePoint, type CachedGaugeSpec } from './cached-gauge.js';
export { runMigrations } from './run-migrations.js';
export { serve, startService, type RunningService, type ServiceSpec } from './serve.js';
export { STOP_DEADLINE_MS, stopOnSignal } from './stop-signal.js';
export { startTelemetry, type FinishedSpan, type SpanProcessor, type StopTelemetry } from './telemetry.js';
export { telemetryConfig, type TelemetryConfig } from './telemetry.config.js';
export { PollingLoop, type PollingLoopOptions, type RoundResult } from './polling-loop.js';
export { PollingWorker, type PollingWorkerSpec } from './polling.worker.js';
export { WorkSlots } from './work-slots.js';
export { TenantByTenant } from './tenant-by-tenant.js';
export { TenantsAtOnce, type WorkOfTenants } from './tenants-at-once.js';
export { PruneWorker, type PruneSpec } from './prune.worker.js';
export { erasureTable, erasureTableReversal, ErasureTurnsMigration } from './erasure/erasure-table.js';
export {
  endErasure,
  erasedAmong,
  leaveErasure,
  noteErasures,
  takeErasure,
  type PendingErasure,
} from './erasure/erasure-ledger.js';
export { blankContact, type ErasedPerson } from './erasure/blank-event.policy.js';
export { likeTerm } from './erasure/stored-people.js';
export { remoteErasureBook, type ErasureBook, type ErasureKey } from './erasure/erasure-book.js';
export {
  ErasuresConsumer,
  type ErasedContact,
  type ErasuresConsumerParts,
  type FoundContact,
} from './erasure/erasures.consumer.js';
export { EraseSignal } from './erasure/erase-signal.js';
export { inSlices, type Slice } from './erasure/in-slices.js';
export { ownColumns, ownPhones, type OwnName } from './erasure/own-name.js';
export { ForeignLines, remoteForeignLines, type ReadForeignLines } from './erasure/foreign-lines.js';
export { ErasureWorker, type ErasureTarget, type ErasureWorkerParts } from './erasure/erasure.worker.js';
