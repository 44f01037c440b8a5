export { CLOCKS_DIFFER_MAX_MS, ClocksDifferError, requireAgreedClocks } from './agreed-clocks.js';
export { withConflictRetries } from './conflict-retries.js';
export { Database, type DatabaseOptions } from './database.js';
export type { FormerSchema } from './former-schema.js';
export { LockTrouble } from './lock-trouble.js';
export { floorAt, isAbove, LookFloor } from './look-floor.js';
export {
  migrate,
  migrateDownTo,
  revertMigrations,
  ServiceConnectedError,
  UnknownMigrationError,
  type MigrateOptions,
  type MigrationClass,
  type TableRights,
} from './migrate.js';
export { countWithin, keysetPage, readKeysetPage, type KeysetPage } from './page.js';
export { partitionFunctions, partitionFunctionsReversal } from './partitions.sql.js';
export { createPartitionedIndex, type PartitionedIndex } from './partitioned-index.js';
export { catalogPlanner, plannerHints } from './planner-hints.sql.js';
export {
  isDataError,
  isTimedOut,
  isTransientConflict,
  isUnavailable,
  isUniqueViolation,
  OutcomeUnknown,
  sqlState,
} from './postgres-errors.js';
export { resumeSampling, stopSampling, unsampledPartitions, type SampledColumns } from './samples.sql.js';
export { dumpSchema } from './schema-dump.js';
export { databaseRightsSql, serviceRoles, serviceRolesSql, type ServiceRoles } from './service-roles.sql.js';
export { pruneSql, type PruneSqlSpec, type PruneStatement } from './prune.sql.js';
export { limitStatements, queryWithin } from './query-within.js';
export { forgetSmallSizes } from './forget-small-sizes.js';
export {
  SmallTablesAgainMigration,
  SmallTablesMigration,
  smallTables,
  smallTablesReversal,
  UnmeasuredQueueMigration,
} from './small-tables.sql.js';
export { isPostgresUrl, sessionOptions } from './session-options.js';
export { declaredStatements, prepared, statement, type Statement } from './statement.js';
export type { StatementRunner } from './statement-runner.js';
export type { Queryable, Transaction, TransactionOptions } from './transaction.js';
export { lockTimeout, USUAL_LOCK_WAIT_MS, type LockWaitMs } from './transaction-query.js';
export { unnestColumns, type Column, type ColumnValues } from './unnest-columns.js';
export { oldestSnapshotAge } from './oldest-snapshot.js';
