import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which organizations' figures are counted anew, and how far that is. Lock: none, the table is new. Reversal: drops it. */
export class Rebuild1766600000000 implements MigrationInterface {
  readonly name = 'Rebuild1766600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE rebuild (
        organization_id text COLLATE "C" PRIMARY KEY,
        requested_at timestamptz NOT NULL DEFAULT now(),
        -- Not before; while it is worked on, when another replica may go on with it.
        due_at timestamptz NOT NULL DEFAULT now(),
        step text NOT NULL DEFAULT 'messages' CHECK (step IN ('messages', 'counts', 'done')),
        -- Of messages the id of the last that was read, of counts the day behind the last that was compared; empty: none yet.
        position text COLLATE "C" NOT NULL DEFAULT '',
        -- The oldest message that is kept: figures of before it cannot be counted anew, and stay.
        oldest_id text COLLATE "C",
        messages_read bigint NOT NULL DEFAULT 0,
        facts_corrected bigint NOT NULL DEFAULT 0,
        counts_corrected bigint NOT NULL DEFAULT 0,
        failure text,
        finished_at timestamptz
      ) WITH (fillfactor = 50)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE rebuild');
  }
}
