import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { IS_COMPARED } from '@switchboard/outbox';
import { floorAt, isAbove, statement, type Database, type Queryable } from '@switchboard/postgres';

/** A job that a replica has taken to feed. */
export interface TakenFeed {
  readonly organizationId: string;
  readonly jobId: string;
  readonly lease: string;
  readonly fedTo: number;
  readonly claimedTo: number;
  readonly failures: number;
  readonly begunPerSecond: number | null;
  readonly markedAt: Date | null;
  readonly markedBegun: number | null;
  readonly channelId: string;
  readonly templateId: string;
  readonly throttlePerHour: number | null;
  readonly total: number;
  /** Milliseconds since it was due. */
  readonly lateMs: number;
}

/** A recipient with the id of the message that there will be. */
export interface ClaimedRecipient {
  readonly index: number;
  readonly messageId: string;
  readonly phone: string;
  readonly variables: string | null;
  readonly clientReference: string | null;
  readonly metadata: string | null;
}

/** Recipients that were claimed, and those that are to be skipped in place of it: their contacts were erased before there was a job. */
export interface ClaimedSlice {
  readonly claimed: readonly ClaimedRecipient[];
  readonly erased: readonly number[];
}

/** How a look at a job ended. */
export interface FeedProgress {
  /** Null: not before the job goes on. */
  readonly nextMs: number | null;
  readonly lanePerSecond: number;
  readonly begunPerSecond: number | null;
  readonly markedAt: Date;
  readonly markedBegun: number;
}

/** When a replica looks next, and from where. */
export interface NextFeed {
  /** Milliseconds until the first job is due; null: none is. */
  readonly inMs: number | null;
  /** No job is due before, by the database's clock: see `LookFloor`. */
  readonly floorMs: number;
}

/** A replica that dies holds a job up for so long. */
const LEASE_SECONDS = 10;
/** Due jobs that are looked through whole; behind them one of each further organization is looked for. */
const SIGHT = 1_000;

/**
 * The longest due first, but organizations take turns: the second job of one comes after the first of each other one, however many are
 * due. Jobs that another replica is taking are left to it. The feed of a job that is over, which a release before left due, is not due any more.
 * A database that was restored hands nothing over before it is compared. Each look moves a job's entry of the index on, which keeps the
 * former ones behind an old snapshot: the floor passes those by.
 */
const takeSql = statement<TakenFeed>(
  'templates.job-feed.take',
  `WITH due AS (
     SELECT organization_id, job_id, due_at FROM job_feed
     WHERE due_at <= now() AND ${isAbove('$3', 'due_at')} AND ${IS_COMPARED}
     ORDER BY due_at LIMIT ${SIGHT}
   ), others AS (
     SELECT DISTINCT ON (organization_id) organization_id, job_id, due_at FROM job_feed
     WHERE (SELECT count(*) FROM due) = ${SIGHT} AND due_at >= (SELECT max(due_at) FROM due) AND due_at <= now() AND ${IS_COMPARED}
       AND NOT organization_id = ANY (ARRAY(SELECT DISTINCT organization_id FROM due))
     ORDER BY organization_id, due_at
   ), turns AS (
     SELECT organization_id, job_id, due_at, row_number() OVER (PARTITION BY organization_id ORDER BY due_at) AS turn
     FROM (SELECT * FROM due UNION ALL SELECT * FROM others) AS found ORDER BY turn, due_at LIMIT $1
   ), taken AS (
     SELECT f.organization_id, f.job_id, f.due_at FROM turns t
     JOIN job_feed f ON f.organization_id = t.organization_id AND f.job_id = t.job_id
     WHERE f.due_at <= now() FOR UPDATE OF f SKIP LOCKED
   ), leased AS (
     UPDATE job_feed f SET lease = $2,
       due_at = CASE WHEN j.state = 'ACTIVE' THEN now() + interval '${LEASE_SECONDS} seconds' END
     FROM taken t JOIN job j ON j.organization_id = t.organization_id AND j.id = t.job_id
     WHERE f.organization_id = t.organization_id AND f.job_id = t.job_id
     RETURNING f.organization_id AS "organizationId", f.job_id AS "jobId", f.lease, f.fed_to AS "fedTo",
       f.claimed_to AS "claimedTo", f.failures, f.begun_per_second AS "begunPerSecond", f.marked_at AS "markedAt",
       f.marked_begun AS "markedBegun", j.channel_id AS "channelId", j.template_id AS "templateId",
       j.throttle_per_hour AS "throttlePerHour", j.total,
       (extract(epoch FROM now() - t.due_at) * 1000)::float8 AS "lateMs", j.state
   )
   SELECT * FROM leased WHERE state = 'ACTIVE'`,
);
const nextDueSql = statement<NextFeed>(
  'templates.job-feed.next-due',
  `SELECT (extract(epoch FROM first.at - now()) * 1000)::float8 AS "inMs", ${floorAt('first.at')} AS "floorMs"
   FROM (SELECT (SELECT due_at FROM job_feed WHERE ${isAbove('$1', 'due_at')} ORDER BY due_at LIMIT 1) AS at) AS first`,
);
/** A cancellation, a pause or a hold that was committed before is seen, and one that comes later waits for the claim. */
const shareJobSql = statement<{ goesOn: boolean }>(
  'templates.job.share',
  `SELECT state = 'ACTIVE' AND NOT is_paused AND holds = '{}' AS "goesOn" FROM job
   WHERE organization_id = $1 AND id = $2 FOR SHARE`,
);
/**
 * Ids grow with the indexes. One that a recipient has is kept: its former hand-over may have arrived. One whose contact was erased before
 * there was a job gets none. The slice is an
 * array of keys: planned for an empty table, a join with it reads the whole job for each slice.
 */
const claimSql = statement<Omit<ClaimedRecipient, 'messageId'> & { readonly messageId: string | null }>(
  'templates.recipient.claim',
  `WITH slice AS (
     SELECT index, status = 'QUEUED' AND reason = 'ERASED' AS is_erased FROM recipient
     WHERE organization_id = $1 AND job_id = $2 AND index >= $3 AND index < $4 ORDER BY index FOR UPDATE
   ), claimed AS (
     UPDATE recipient r SET message_id = coalesce(r.message_id, ($5::text[])[r.index - $3::int + 1])
     WHERE r.organization_id = $1 AND r.job_id = $2 AND r.index = ANY(ARRAY(SELECT index FROM slice)) AND r.status = 'QUEUED'
       AND r.reason IS DISTINCT FROM 'ERASED'
     RETURNING r.index, r.message_id, r.phone, r.variables, r.client_reference, r.metadata
   )
   SELECT index, message_id AS "messageId", phone, variables, client_reference AS "clientReference", metadata FROM claimed
   UNION ALL SELECT index, NULL, '', NULL, NULL, NULL FROM slice WHERE is_erased ORDER BY index`,
);
const claimedSql = statement<{ isOurs: boolean }>(
  'templates.job-feed.claim',
  `UPDATE job_feed SET claimed_to = greatest(claimed_to, $4::int), lane_per_second = coalesce(lane_per_second, $5)
   WHERE organization_id = $1 AND job_id = $2 AND lease = $3
   RETURNING true AS "isOurs"`,
);
const startedSql = statement(
  'templates.job.started',
  'UPDATE job SET started_at = now() WHERE organization_id = $1 AND id = $2 AND started_at IS NULL',
);
const fedSql = statement(
  'templates.job-feed.fed',
  `UPDATE job_feed SET fed_to = greatest(fed_to, $4::int) WHERE organization_id = $1 AND job_id = $2 AND lease = $3`,
);
const nextQueuedSql = statement<{ index: number }>(
  'templates.recipient.next-queued',
  `SELECT index FROM recipient WHERE organization_id = $1 AND job_id = $2 AND index >= $3 AND status = 'QUEUED'
   ORDER BY index LIMIT 1`,
);
/** One that was stopped meanwhile has no `due_at` and gets none; one that is handed over needs none. */
const leaveSql = statement(
  'templates.job-feed.leave',
  `UPDATE job_feed f SET lease = NULL, failures = 0, lane_per_second = $5, begun_per_second = $6, marked_at = $7,
     marked_begun = $8,
     due_at = CASE WHEN f.due_at IS NOT NULL AND f.fed_to < j.total THEN now() + make_interval(secs => $4) END
   FROM job j
   WHERE f.organization_id = $1 AND f.job_id = $2 AND f.lease = $3 AND j.organization_id = $1 AND j.id = $2`,
);
const failedSql = statement(
  'templates.job-feed.failed',
  `UPDATE job_feed SET lease = NULL, failures = failures + 1,
     due_at = CASE WHEN due_at IS NOT NULL THEN now() + make_interval(secs => $4) END
   WHERE organization_id = $1 AND job_id = $2 AND lease = $3`,
);

/**
 * A feed that has begun, or is not scheduled, is due after its lease, after a pause or, of a slow lane, at its next recipient. What is
 * further ahead was set by a clock that has stepped back since.
 */
const steppedBackSql = statement(
  'templates.job-feed.stepped-back',
  `UPDATE job_feed f SET due_at = now() FROM job j
   WHERE j.state = 'ACTIVE' AND (j.scheduled_at IS NULL OR j.started_at IS NOT NULL)
     AND f.organization_id = j.organization_id AND f.job_id = j.id
     AND f.due_at > now() + make_interval(secs => 35 + coalesce(2 / nullif(f.lane_per_second, 0), 0))`,
);

/** Lets jobs go on that the database's clock has left ahead of itself by a step back: else they would wait until it has caught up. */
export async function goOnAfterStep(through: Queryable): Promise<void> {
  await through.query(steppedBackSql, []);
}

/** Takes due jobs of as many organizations as there are. @param floorMs of the last `nextFeed`; without it all are looked for */
export async function takeFeeds(through: Queryable, limit: number, floorMs = -Infinity): Promise<TakenFeed[]> {
  return through.query(takeSql, [limit, newCuid(), floorMs]);
}

/** When the next job is due. @param floorMs as `takeFeeds` has it */
export async function nextFeed(through: Queryable, floorMs = -Infinity): Promise<NextFeed> {
  const [next] = await through.query(nextDueSql, [floorMs]);
  return next ?? { inMs: null, floorMs };
}

/**
 * Claims the recipients of `[from, to)` that are queued, with the ids of their messages.
 *
 * @param lanePerSecond the pace of the lane, for a job that begins with it
 * @returns null when the job does not go on, or another replica has it by now
 */
export async function claimRecipients(
  database: Pick<Database, 'transaction'>,
  { organizationId, jobId, lease }: TakenFeed,
  from: number,
  to: number,
  lanePerSecond: number,
): Promise<ClaimedSlice | null> {
  const messageIds = Array.from({ length: to - from }, newCuid);
  return database.transaction(async (tx) => {
    const [job] = await tx.query(shareJobSql, [organizationId, jobId]);
    if (job?.goesOn !== true) return null;
    const [ours] = await tx.query(claimedSql, [organizationId, jobId, lease, to, lanePerSecond]);
    if (!ours) return null;
    const slice = await tx.query(claimSql, [organizationId, jobId, from, to, messageIds]);
    if (from === 0) tx.atCommit(startedSql, [organizationId, jobId]);
    return {
      claimed: slice.flatMap(({ messageId, ...rest }) => (messageId === null ? [] : [{ ...rest, messageId }])),
      erased: slice.flatMap(({ messageId, index }) => (messageId === null ? [index] : [])),
    };
  });
}

/** Records that all recipients below the index were handed over. */
export async function recordFed(through: Queryable, feed: TakenFeed, fedTo: number): Promise<void> {
  await through.query(fedSql, [feed.organizationId, feed.jobId, feed.lease, fedTo]);
}

/** Passes by recipients that need nothing, such as duplicates, however many. @returns the index of the next that is queued, or the end */
export async function passSettled(through: Queryable, feed: TakenFeed, from: number): Promise<number> {
  const [next] = await through.query(nextQueuedSql, [feed.organizationId, feed.jobId, from]);
  const index = next?.index ?? feed.total;
  if (index > from) await recordFed(through, feed, index);
  return index;
}

/** Leaves a job until its next look. */
export async function leaveFeed(through: Queryable, feed: TakenFeed, progress: FeedProgress): Promise<void> {
  const { organizationId, jobId, lease } = feed;
  const { nextMs, lanePerSecond, begunPerSecond, markedAt, markedBegun } = progress;
  const seconds = (nextMs ?? 0) / 1_000;
  const values = [organizationId, jobId, lease, seconds, lanePerSecond, begunPerSecond, markedAt, markedBegun];
  await through.query(leaveSql, values);
}

/** Leaves a job that could not be fed until it is tried again. */
export async function failFeed(through: Queryable, feed: TakenFeed, pauseMs: number): Promise<void> {
  await through.query(failedSql, [feed.organizationId, feed.jobId, feed.lease, pauseMs / 1_000]);
}
