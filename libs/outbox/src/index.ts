export { appendEvents, type NewEvent } from './append-events.js';
export { BACKLOG_COUNT_MAX, deadLetterCounts, outboxBacklog, type OutboxBacklog } from './backlog.js';
export { buryEvent, handleBatch, type BatchHandler } from './handle-batch.js';
export { OUTBOX_RETENTION_DAYS, PartitionKeeper } from './keep-partitions.js';
export { Relay, type RelayOptions } from './relay.js';
export { outboxTables } from './tables.sql.js';
