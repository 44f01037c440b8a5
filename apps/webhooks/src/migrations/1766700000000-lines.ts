import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * How far each line of events (a conversation) is stored, and from where positions of the feed are drawn. Lock: of `beginning`, a
 * table of one row, for a moment. Reversal: drops them.
 */
export class Lines1766700000000 implements MigrationInterface {
  readonly name = 'Lines1766700000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE line (
      id text COLLATE "C" PRIMARY KEY,
      -- Of the last event that is stored: the next one has the next number.
      last_sequence bigint NOT NULL
    ) WITH (fillfactor = 50)`);
    // Grows with each restore from a backup: positions that readers were given before are not given again.
    await runner.query('ALTER TABLE beginning ADD COLUMN position_base bigint NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE beginning DROP COLUMN position_base');
    await runner.query('DROP TABLE line');
  }
}
