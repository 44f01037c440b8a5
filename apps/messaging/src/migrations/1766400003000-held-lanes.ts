import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds lanes that wait for their channel. Lock: SHARE on `bulk_lane`, which has a row for each job. Reversal: drops it. */
export class HeldLanes1766400003000 implements MigrationInterface {
  readonly name = 'HeldLanes1766400003000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX bulk_lane_disconnected ON bulk_lane (organization_id, job_id)
        WHERE held_reason = 'CHANNEL_DISCONNECTED' AND is_open`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX bulk_lane_disconnected');
  }
}
