import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * How far the contacts are looked through for numbers of one account that an earlier release left apart, and from when on: replicas of
 * that release are gone an hour later. The row goes when all is looked through. Lock: none, the table is new. Reversal: drops it; what
 * was joined stays so.
 */
export class AccountWalk1767935000000 implements MigrationInterface {
  readonly name = 'AccountWalk1767935000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE account_walk (
        id int PRIMARY KEY DEFAULT 1 CHECK (id = 1),
        -- The last contact that was looked at.
        organization_id text COLLATE "C" NOT NULL DEFAULT '',
        contact_id text COLLATE "C" NOT NULL DEFAULT '',
        due_at timestamptz NOT NULL DEFAULT now() + interval '1 hour'
      );
      INSERT INTO account_walk DEFAULT VALUES;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE account_walk');
  }
}
