import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Counts by the UTC day as well: a month of days reads a twentieth of the rows. Lock: ACCESS EXCLUSIVE on `rollup` while its
 * rows are checked and added up, a second for a million. Counts that the former release adds meanwhile are not in the days:
 * `npm run admin -- analytics rebuild` afterwards. Reversal: drops the days.
 */
export class DayGrain1766600001000 implements MigrationInterface {
  readonly name = 'DayGrain1766600001000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE rollup DROP CONSTRAINT rollup_grain_check');
    await runner.query('ALTER TABLE rollup ADD CONSTRAINT rollup_grain_check CHECK (grain IN (15, 60, 1440))');
    await runner.query(`
      INSERT INTO rollup (organization_id, report, grain, bucket, channel_id, key, count)
      SELECT organization_id, report, 1440, date_bin('1 day', bucket, 'epoch'), channel_id, key, sum(count)
      FROM rollup WHERE grain = 60 GROUP BY 1, 2, 4, 5, 6`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM rollup WHERE grain = 1440');
    await runner.query('ALTER TABLE rollup DROP CONSTRAINT rollup_grain_check');
    await runner.query('ALTER TABLE rollup ADD CONSTRAINT rollup_grain_check CHECK (grain IN (15, 60))');
  }
}
