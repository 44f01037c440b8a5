/** A table as statements on it are made: one of its columns will do. */
export interface SomeTable {
  /** Quoted, with its schema. */
  readonly name: string;
  readonly column: string;
}

/** What reads or changes a table's rows, by the one privilege that it takes; none of them finds a row to change. */
export function dataStatements({ name, column }: SomeTable): Readonly<Record<string, string>> {
  return {
    SELECT: `SELECT ${column} FROM ${name} LIMIT 1`,
    INSERT: `INSERT INTO ${name} (${column}) SELECT NULL WHERE false`,
    UPDATE: `UPDATE ${name} SET ${column} = NULL WHERE false`,
    DELETE: `DELETE FROM ${name} WHERE false`,
  };
}

/** What else can be done with a table; only its owner may. */
export function ownerStatements({ name, column }: SomeTable): string[] {
  return [
    `TRUNCATE ${name}`,
    `DROP TABLE ${name}`,
    `ALTER TABLE ${name} ADD COLUMN intruder text`,
    `ALTER TABLE ${name} ALTER COLUMN ${column} DROP NOT NULL`,
    `ALTER TABLE ${name} DISABLE TRIGGER ALL`,
    `ALTER TABLE ${name} OWNER TO current_user`,
    `CREATE INDEX ON ${name} (${column})`,
    `CREATE RULE intruder AS ON DELETE TO ${name} DO INSTEAD NOTHING`,
    `COMMENT ON TABLE ${name} IS 'intruder'`,
  ];
}

/** What makes something in a schema. */
export function creatingStatements(schema: string): string[] {
  return [
    `CREATE TABLE ${schema}.intruder (n int)`,
    `CREATE VIEW ${schema}.intruder AS SELECT 1`,
    `CREATE SEQUENCE ${schema}.intruder`,
    `CREATE TYPE ${schema}.intruder AS ENUM ('a')`,
    `CREATE FUNCTION ${schema}.intruder() RETURNS int LANGUAGE sql AS 'SELECT 1'`,
    `CREATE FUNCTION ${schema}.intruder() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT 1'`,
  ];
}

/** What reaches beyond every schema: other roles, other sessions, the server, its files and its log. */
export function serverStatements(other: {
  readonly database: string;
  readonly role: string;
  readonly backendPid: number;
}): string[] {
  return [
    // A temporary table comes before the schema's own in the search path.
    'CREATE TEMPORARY TABLE intruder (n int)',
    'CREATE SCHEMA intruder',
    'CREATE DATABASE intruder',
    `ALTER DATABASE ${other.database} SET search_path TO intruder`,
    'CREATE EVENT TRIGGER intruder ON ddl_command_start EXECUTE FUNCTION pg_catalog.suppress_redundant_updates_trigger()',
    'DROP EXTENSION plpgsql',
    'CREATE PUBLICATION intruder FOR ALL TABLES',
    'SELECT lo_create(0)',
    `SELECT lo_from_bytea(0, 'a')`,
    // Roles.
    'CREATE ROLE intruder',
    'SET ROLE postgres',
    `SET ROLE ${other.role}`,
    'SET SESSION AUTHORIZATION postgres',
    `SET SESSION AUTHORIZATION ${other.role}`,
    `GRANT ${other.role} TO current_user`,
    'GRANT pg_read_all_data TO current_user',
    'GRANT pg_monitor TO current_user',
    'ALTER ROLE current_user SUPERUSER',
    'ALTER ROLE current_user CREATEROLE',
    'ALTER ROLE current_user CREATEDB',
    'ALTER ROLE current_user BYPASSRLS',
    'ALTER ROLE current_user REPLICATION',
    `ALTER ROLE ${other.role} PASSWORD 'intruder'`,
    'SELECT rolpassword FROM pg_authid',
    'SELECT passwd FROM pg_shadow',
    // Other sessions.
    `SELECT pg_terminate_backend(${other.backendPid})`,
    `SELECT pg_cancel_backend(${other.backendPid})`,
    // Rows of others, in samples.
    'SELECT * FROM pg_statistic',
    'SELECT * FROM pg_statistic_ext_data',
    'SELECT * FROM pg_largeobject',
    // Files and programs.
    `COPY (SELECT 1) TO PROGRAM 'true'`,
    `COPY (SELECT 1) TO '/tmp/intruder'`,
    `SELECT pg_read_file('postgresql.conf')`,
    `SELECT pg_read_binary_file('postgresql.conf')`,
    `SELECT pg_ls_dir('.')`,
    `SELECT pg_stat_file('postgresql.conf')`,
    'SELECT * FROM pg_ls_waldir()',
    `SELECT lo_import('/etc/passwd')`,
    'SELECT * FROM pg_hba_file_rules',
    'SELECT * FROM pg_file_settings',
    `LOAD 'intruder'`,
    // The server and what it writes into its log.
    `ALTER SYSTEM SET log_statement = 'all'`,
    'SELECT pg_reload_conf()',
    'SELECT pg_rotate_logfile()',
    'SELECT pg_switch_wal()',
    `SELECT pg_create_restore_point('intruder')`,
    `SELECT pg_create_physical_replication_slot('intruder')`,
    `SELECT pg_create_logical_replication_slot('intruder', 'pgoutput')`,
    'SET session_replication_role = replica',
    `SET log_statement = 'all'`,
    'SET log_min_duration_statement = 0',
    'SET log_min_messages = debug5',
    'SET log_min_error_statement = debug5',
    'SET log_error_verbosity = verbose',
    'SET log_parameter_max_length = -1',
    'SET zero_damaged_pages = on',
  ];
}
