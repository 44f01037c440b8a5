import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When preferences were last stated of contacts that are erased, or that gave a number up, so that what the provider repeats applies once.
 * Lock: none, the table is new. Reversal: drops it; what is repeated of such contacts applies again.
 */
export class HeldStatements1767930000003 implements MigrationInterface {
  readonly name = 'HeldStatements1767930000003';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE held_statement (
        organization_id text COLLATE "C" NOT NULL,
        alias_hmac bytea NOT NULL CHECK (length(alias_hmac) = 32),
        channel_id text COLLATE "C" NOT NULL,
        stated_at timestamptz NOT NULL,
        PRIMARY KEY (organization_id, alias_hmac, channel_id)
      );
      CREATE INDEX held_statement_age ON held_statement (stated_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE held_statement');
  }
}
