import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the projection of what organizations pay for. Lock: none that matters, the table is new. Reversal: drops it. */
export class Organizations1766200000001 implements MigrationInterface {
  readonly name = 'Organizations1766200000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Of organizations that changed since this service hears of them; another one is active and within its plan.
      CREATE TABLE organization (
        organization_id text COLLATE "C" PRIMARY KEY,
        subscription text NOT NULL CHECK (subscription IN ('ACTIVE', 'PAST_DUE', 'CANCELED')),
        messages_per_month bigint NOT NULL,
        -- Whether more than that is reserved; null: to be asked.
        is_over_quota boolean,
        asked_at timestamptz,
        -- Id of the event that the row is from; a later one is newer.
        last_event_id text COLLATE "C" NOT NULL
      ) WITH (fillfactor = 50)
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE organization');
  }
}
