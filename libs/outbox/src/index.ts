export { appendEvents, type NewEvent } from './append-events.js';
export { BACKLOG_COUNT_MAX, deadLetterCounts, outboxBacklog, type OutboxBacklog } from './backlog.js';
export { consumerMetrics, type ConsumerMetrics, type EventOutcome } from './consumer-metrics.js';
export { buryEvent, markedLetters, RELAY_CONSUMER } from './dead-letter.js';
export { handleBatch, redriveBatch, type BatchHandler } from './handle-batch.js';
export { keepOutboxPartitions, OUTBOX_RETENTION_DAYS, PartitionKeeper } from './keep-partitions.js';
export { Relay, type RelayOptions } from './relay.js';
export { replayTables, replayTablesReversal } from './replay-tables.sql.js';
export { outboxTables } from './tables.sql.js';
