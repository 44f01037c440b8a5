import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Erasures that messaging has not confirmed. Lock: none, the table is new. Reversal: drops it; a repeated DELETE of such a contact is a 404
 * again.
 */
export class UnconfirmedErasures1767530000017 implements MigrationInterface {
  readonly name = 'UnconfirmedErasures1767530000017';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE unconfirmed_erasure (
        organization_id text COLLATE "C" NOT NULL,
        contact_id text COLLATE "C" NOT NULL,
        -- Above every version that the contact ever had.
        version bigint NOT NULL,
        -- Erasures whose callers never ask again are pruned by their age.
        started_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (organization_id, contact_id)
      );
      CREATE INDEX unconfirmed_erasure_started ON unconfirmed_erasure (started_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE unconfirmed_erasure');
  }
}
