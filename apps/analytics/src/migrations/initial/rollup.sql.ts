/**
 * Counts by organization, report, time and channel: each a sum of differences, so that the order of events does not matter.
 *
 * Kept twice, by 15 minutes and by the hour, so that a month of whole hours is a quarter of the rows.
 */
export const rollupTable = `
  CREATE TABLE rollup (
    organization_id text COLLATE "C" NOT NULL,
    report text COLLATE "C" NOT NULL,
    -- Minutes that a bucket is long.
    grain smallint NOT NULL CHECK (grain IN (15, 60)),
    bucket timestamptz NOT NULL,
    -- Empty where the report knows no channel.
    channel_id text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (organization_id, report, grain, bucket, channel_id, key)
  );
`;

/** Takes `rollupTable` back. */
export const rollupTableReversal = 'DROP TABLE rollup';
