import type { StatementRunner } from '@switchboard/postgres';

/** After so many seconds without a comparison nothing that is due is sent: the process that compares has gone. */
const COMPARED_WITHIN_S = 15;

/**
 * DDL of the state of a service's database, one row, of which the broker keeps a copy: see `IncarnationKeeper`.
 *
 * - `number`, `token`: drawn anew while the service works, so that a backup holds an older pair than the broker.
 *   `previous_token`: the one before, which the broker holds when a process ended between the two writes.
 * - `consumer_epoch`: grows with every restore; see `durableNames`.
 * - `compared_at`, `server_started_at`: when the row was last found to be the newest, and of which start of PostgreSQL. A
 *   database that has just been restored holds older ones, and so does a copy of its tables.
 */
export const incarnationTable = `
  CREATE TABLE incarnation (
    id integer PRIMARY KEY DEFAULT 1 CHECK (id = 1),
    number integer NOT NULL,
    token text NOT NULL,
    previous_token text,
    consumer_epoch integer NOT NULL,
    compared_at timestamptz NOT NULL,
    server_started_at timestamptz NOT NULL
  ) WITH (fillfactor = 50);
`;

/** Takes `incarnationTable` back; the next look begins with a new row. */
const incarnationTableReversal = 'DROP TABLE incarnation';

/** Makes `incarnationTable`; a service extends it with a name and a timestamp. Lock: none, the table is new. Reversal: drops it. */
export abstract class IncarnationMigration {
  async up(runner: StatementRunner): Promise<void> {
    await runner.query(incarnationTable);
  }

  async down(runner: StatementRunner): Promise<void> {
    await runner.query(incarnationTableReversal);
  }
}

/**
 * SQL: whether this database was compared under its present start of PostgreSQL, or never: until then it may be a restored one. For what must
 * not be written into one, and goes on however long ago the comparison was; see `IS_COMPARED` for what is due.
 */
export const IS_COMPARED_SINCE_START = `NOT EXISTS (SELECT FROM incarnation AS i
  WHERE i.id = 1 AND i.server_started_at <> pg_postmaster_start_time())`;

/**
 * SQL: whether this database is known not to be a restored one, as long as it has ever been compared. In the statement that
 * claims what is due, so that nothing comes between.
 */
export const IS_COMPARED = `NOT EXISTS (SELECT FROM incarnation AS i WHERE i.id = 1
  AND (i.server_started_at <> pg_postmaster_start_time()
    OR i.compared_at < now() - interval '${COMPARED_WITHIN_S} seconds'))`;
