import type { StatementRunner } from '@switchboard/postgres';

/**
 * DDL of what a service has to erase, and has erased; for a migration.
 *
 * A row is kept for ever: what arrives later about the contact is overwritten as it comes. It holds ids alone. `due_at` is
 * null when the service is done.
 */
export const erasureTable = `
  CREATE TABLE erasure (
    organization_id text COLLATE "C" NOT NULL,
    contact_id text COLLATE "C" NOT NULL,
    erased_at timestamptz NOT NULL,
    passes integer NOT NULL DEFAULT 0,
    due_at timestamptz,
    PRIMARY KEY (organization_id, contact_id)
  ) WITH (fillfactor = 70);
  CREATE INDEX erasure_due ON erasure (due_at) WHERE due_at IS NOT NULL;
`;

/** Takes `erasureTable` back: what was overwritten stays so. */
export const erasureTableReversal = 'DROP TABLE erasure';

const erasureTurns = 'CREATE INDEX erasure_turn ON erasure (organization_id, due_at) WHERE due_at IS NOT NULL';

/**
 * Finds what is due by organization, for turns; a service extends it with a name and a timestamp. Lock: SHARE on `erasure` while its
 * rows, one of each contact ever erased, are read: a second for a million. Reversal: drops the index.
 */
export abstract class ErasureTurnsMigration {
  async up(runner: StatementRunner): Promise<void> {
    await runner.query(erasureTurns);
  }

  async down(runner: StatementRunner): Promise<void> {
    await runner.query('DROP INDEX erasure_turn');
  }
}
