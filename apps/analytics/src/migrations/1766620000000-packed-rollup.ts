import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * One row a bucket, with all its keys and their counts, in place of one a count: a month of hours is 720 rows of a sketch
 * rather than 150,000. Classes of delays get a report for each stage, whose keys are the classes alone.
 *
 * Lock: ACCESS EXCLUSIVE on `rollup` while its rows are put together, 5 s for a million. In place, since two forms at once
 * would each miss what the other is given: the former release cannot count or report afterwards, its events wait in the
 * stream and are counted by this one. Reversal: one row a count again.
 */
export class PackedRollup1766620000000 implements MigrationInterface {
  readonly name = 'PackedRollup1766620000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE rollup RENAME TO former_rollup');
    await runner.query('ALTER TABLE former_rollup RENAME CONSTRAINT rollup_pkey TO former_rollup_pkey');
    await runner.query(`
      CREATE TABLE rollup (
        organization_id text COLLATE "C" NOT NULL,
        report text COLLATE "C" NOT NULL,
        -- Minutes that a bucket is long.
        grain smallint NOT NULL CONSTRAINT rollup_grain_check CHECK (grain IN (15, 60, 1440)),
        bucket timestamptz NOT NULL,
        -- Empty where the report knows no channel.
        channel_id text COLLATE "C" NOT NULL,
        -- Each key once, none whose count is 0; the count of a key has its place.
        keys text[] COLLATE "C" NOT NULL,
        counts bigint[] NOT NULL,
        CONSTRAINT rollup_pkey PRIMARY KEY (organization_id, report, grain, bucket, channel_id)
        -- Room for the next version of a row on its page: that of the current hour is written again and again.
      ) WITH (fillfactor = 70)`);
    // Compressed in the row: read from elsewhere, a month of hours would take three times as long.
    await runner.query('ALTER TABLE rollup ALTER keys SET STORAGE MAIN, ALTER counts SET STORAGE MAIN');
    await runner.query(`
      INSERT INTO rollup (organization_id, report, grain, bucket, channel_id, keys, counts)
      SELECT organization_id, named.report, grain, bucket, channel_id, array_agg(named.key), array_agg(count)
      FROM former_rollup AS former, LATERAL (SELECT
        CASE WHEN former.report = 'delays' THEN split_part(key, ':', 1) || '-after' ELSE former.report END AS report,
        CASE WHEN former.report = 'delays' THEN split_part(key, ':', 2) ELSE key END AS key) AS named
      WHERE count <> 0 GROUP BY 1, 2, 3, 4, 5`);
    await runner.query('DROP TABLE former_rollup');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE rollup RENAME TO former_rollup');
    await runner.query('ALTER TABLE former_rollup RENAME CONSTRAINT rollup_pkey TO former_rollup_pkey');
    await runner.query(`
      CREATE TABLE rollup (
        organization_id text COLLATE "C" NOT NULL,
        report text COLLATE "C" NOT NULL,
        grain smallint NOT NULL CONSTRAINT rollup_grain_check CHECK (grain IN (15, 60, 1440)),
        bucket timestamptz NOT NULL,
        channel_id text COLLATE "C" NOT NULL,
        key text COLLATE "C" NOT NULL,
        count bigint NOT NULL,
        CONSTRAINT rollup_pkey PRIMARY KEY (organization_id, report, grain, bucket, channel_id, key))`);
    await runner.query(`
      INSERT INTO rollup (organization_id, report, grain, bucket, channel_id, key, count)
      SELECT organization_id, CASE WHEN report LIKE '%-after' THEN 'delays' ELSE report END, grain, bucket, channel_id,
        CASE WHEN report LIKE '%-after' THEN split_part(report, '-', 1) || ':' || one.key ELSE one.key END, one.count
      FROM former_rollup, unnest(keys, counts) AS one(key, count)`);
    await runner.query('DROP TABLE former_rollup');
  }
}
