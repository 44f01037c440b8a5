export { Database, type DatabaseOptions } from './database.js';
export { migrate, type MigrateOptions } from './migrate.js';
export { keysetPage, type KeysetPage } from './page.js';
export { partitionFunctions } from './partitions.sql.js';
export { isDataError, isTransientConflict, isUnavailable, OutcomeUnknown, sqlState } from './postgres-errors.js';
export { dumpSchema } from './schema-dump.js';
export { databaseRightsSql, serviceRoles, serviceRolesSql, type ServiceRoles } from './service-roles.sql.js';
export { prepared, statement, type Statement } from './statement.js';
export type { Queryable, Transaction } from './transaction.js';
