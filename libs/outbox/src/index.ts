export { appendAct, findAct, findEvent } from './append-act.js';
export { appendEvents, type NewEvent } from './append-events.js';
export { deadLetterCounts, outboxBacklog, type OutboxBacklog } from './backlog.js';
export { consumerMetrics, type ConsumerMetrics, type EventOutcome } from './consumer-metrics.js';
export { buryEvent, consumersWithMarkedLetters, markedLetters } from './dead-letter.js';
export { eventFailureTable } from './event-failures.js';
export { eventMoment, type EventMoment } from './event-moment.js';
export { handleBatch, isNotNow, redriveBatch } from './handle-batch.js';
export { takeEvent, type BatchHandler, type EventOrigin } from './apply-events.js';
export { IncarnationKeeper, RENEW_INTERVAL_MS, type Promotion, type Restore } from './incarnation-keeper.js';
export { comparisonAge, consumerEpoch, RENEWED_WITHIN_S } from './incarnation-ledger.js';
export { RecentEpoch } from './recent-epoch.js';
export { IncarnationMigration, incarnationTable, IS_COMPARED, IS_COMPARED_SINCE_START } from './incarnation-table.js';
export {
  dropPartitions,
  keepPartitions,
  type KeepMore,
  OUTBOX_RETENTION_DAYS,
  PartitionKeeper,
  type PastPartitions,
} from './keep-partitions.js';
export { LockedLines } from './locked-lines.js';
export { partitionDays, type PartitionDays } from './partition-days.js';
export { OutboxPendingMigration, pendingTable, pendingTableReversal } from './pending-table.sql.js';
export type { EventBroker } from './publishing.js';
export { RedriveWalk } from './redrive-walk.js';
export { Relay, type RelayOptions } from './relay.js';
export type { RelayReport } from './relay-report.js';
export { restoreWitness } from './restore-witness.js';
export { retentionFunctions } from './retention.sql.js';
export { ServiceLead, type ServiceLeadOptions } from './service-lead.js';
export { outboxTables, outboxTablesReversal, personalOutboxColumns } from './tables.sql.js';
