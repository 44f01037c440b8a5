export { appendEvents, type NewEvent } from './append-events.js';
export { buryEvent, handleBatch, type BatchHandler } from './handle-batch.js';
export { OUTBOX_RETENTION_DAYS, PartitionKeeper } from './keep-partitions.js';
export { Relay, type RelayOptions } from './relay.js';
export { outboxTables } from './tables.sql.js';
