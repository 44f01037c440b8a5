import { dataKeyTable } from '@switchboard/secrets';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Second factors of people, their recovery codes, and whether an organization requires them.
 *
 * Lock: ACCESS EXCLUSIVE on `organization` for a moment, no row is written; the rest is new. Reversal: drops them all; every
 * person signs in by password alone then.
 */
export class SecondFactors1766600004000 implements MigrationInterface {
  readonly name = 'SecondFactors1766600004000';

  async up(runner: QueryRunner): Promise<void> {
    // Its keys are of persons: a second factor belongs to no organization.
    await runner.query(dataKeyTable);
    await runner.query(`
      CREATE TABLE second_factor (
        user_id text COLLATE "C" PRIMARY KEY REFERENCES user_account,
        -- 160 random bits in base 32, sealed for this row.
        seed_sealed bytea NOT NULL,
        created_at timestamptz NOT NULL,
        -- Null until a code has shown that the person's device has the seed.
        enabled_at timestamptz,
        -- The time step of the last code that was taken: no code of it or of an earlier one is taken again.
        last_step bigint NOT NULL DEFAULT 0
      )`);
    await runner.query(`
      CREATE TABLE recovery_code (
        user_id text COLLATE "C" NOT NULL REFERENCES second_factor ON DELETE CASCADE,
        -- SHA-256 of 80 random bits. A code that was used is gone.
        code_hash bytea NOT NULL CHECK (length(code_hash) = 32),
        PRIMARY KEY (user_id, code_hash)
      )`);
    await runner.query('ALTER TABLE organization ADD COLUMN requires_second_factor boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE organization DROP COLUMN requires_second_factor');
    await runner.query('DROP TABLE recovery_code, second_factor, data_key');
  }
}
