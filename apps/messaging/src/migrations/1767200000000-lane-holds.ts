import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A lane is held for as long as one of its causes lasts: those behind the first. Withdrawn lanes are paused, which keeps a
 * replica of the release before from claiming what is to be sent again. Lock: ACCESS EXCLUSIVE on `bulk_lane`, which
 * has a row for each job, for a moment; a replica of the release before goes on with the first cause alone. Reversal: one
 * cause.
 */
export class LaneHolds1767200000000 implements MigrationInterface {
  readonly name = 'LaneHolds1767200000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE bulk_lane ADD COLUMN further_holds text[] NOT NULL DEFAULT '{}';
      UPDATE bulk_lane SET is_paused = true WHERE is_withdrawn AND is_open;
      DROP INDEX bulk_lane_disconnected;
      CREATE INDEX bulk_lane_held ON bulk_lane (organization_id, job_id) WHERE held_reason IS NOT NULL AND is_open;
      CREATE INDEX bulk_lane_withdrawn ON bulk_lane (organization_id, job_id) WHERE is_withdrawn AND is_open`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX bulk_lane_withdrawn;
      DROP INDEX bulk_lane_held;
      CREATE INDEX bulk_lane_disconnected ON bulk_lane (organization_id, job_id)
        WHERE held_reason = 'CHANNEL_DISCONNECTED' AND is_open;
      ALTER TABLE bulk_lane DROP COLUMN further_holds`);
  }
}
