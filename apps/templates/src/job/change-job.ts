import { jobFinished } from '@switchboard/contracts/templates/job-events';
import type { JobAction } from '@switchboard/contracts/templates/job-rpc';
import type { LaneHeldReason } from '@switchboard/contracts/messaging/bulk-events';
import { appendEvents } from '@switchboard/outbox';
import { statement, type Transaction } from '@switchboard/postgres';
import { appendLaneOrders } from '../lane/lane-order.repository.js';
import { addCounts } from './job-count.js';
import { startFeeds, stopFeeds } from './job-flow.js';
import { holdsAfterResume } from './job-status.policy.js';
import { jobCounts, jobFacts } from './job-view.js';
import type { JobRow } from './job.repository.js';

const pauseSql = statement(
  'templates.job.pause',
  'UPDATE job SET is_paused = true WHERE organization_id = $1 AND id = $2',
);
const resumeSql = statement(
  'templates.job.resume',
  'UPDATE job SET is_paused = false, holds = $3::text[] WHERE organization_id = $1 AND id = $2',
);
/** Locked for good: from here on no recipient is taken up. */
const claimedSql = statement<{ claimedTo: number }>(
  'templates.job-feed.claimed',
  'SELECT claimed_to AS "claimedTo" FROM job_feed WHERE organization_id = $1 AND job_id = $2 FOR UPDATE',
);
const untouchedSql = statement<{ recipients: number }>(
  'templates.recipient.untouched',
  `SELECT count(*)::int AS recipients FROM recipient
   WHERE organization_id = $1 AND job_id = $2 AND index >= $3 AND status = 'QUEUED'`,
);
const cancelSql = statement(
  'templates.job.cancel',
  `UPDATE job SET state = 'CANCELED', finished_at = now(), canceled_from = $3 WHERE organization_id = $1 AND id = $2`,
);

/**
 * Changes a job whose row the transaction has locked, and leaves orders for its lane.
 *
 * A cancelled job's recipients that were never taken up are SKIPPED by its `canceled_from`, at once and without a write to
 * each of their rows.
 */
export async function changeJob(
  tx: Transaction,
  organizationId: string,
  job: JobRow,
  action: JobAction,
): Promise<void> {
  const key = { organizationId, jobId: job.id };
  if (action === 'pause') {
    await tx.query(pauseSql, [organizationId, job.id]);
    await stopFeeds(tx, [key]);
    appendLaneOrders(tx, [{ ...key, action: 'PAUSE', reason: null }]);
    return;
  }
  if (action === 'resume') {
    const holds = holdsAfterResume(job.holds);
    await tx.query(resumeSql, [organizationId, job.id, holds]);
    await startFeeds(tx, [key]);
    const keptReasons = holds as LaneHeldReason[];
    appendLaneOrders(tx, [{ ...key, action: 'RESUME', reason: null, keptReasons }]);
    // A messaging of the release before ends every hold: those whose cause lasts follow at once.
    for (const reason of keptReasons) appendLaneOrders(tx, [{ ...key, action: 'HOLD', reason }]);
    return;
  }
  const [feed] = await tx.query(claimedSql, [organizationId, job.id]);
  const canceledFrom = feed?.claimedTo ?? 0;
  const [untouched] = await tx.query(untouchedSql, [organizationId, job.id, canceledFrom]);
  const skipped = untouched?.recipients ?? 0;
  await tx.query(cancelSql, [organizationId, job.id, canceledFrom]);
  await stopFeeds(tx, [key]);
  const none = { queued: 0, unconfirmed: 0, sent: 0, delivered: 0, read: 0, failed: 0, skipped: 0 };
  if (skipped > 0) addCounts(tx, [{ ...key, ...none, queued: -skipped, skipped }]);
  appendLaneOrders(tx, [{ ...key, action: 'WITHDRAW', reason: null }]);
  const counts = { ...jobCounts(job), queued: job.queued - skipped, skipped: job.skipped + skipped };
  const data = { ...jobFacts(job), status: 'CANCELED' as const, counts };
  const event = { event: jobFinished, organizationId, aggregateId: job.id, sequence: null };
  appendEvents(tx, [{ ...event, occurredAt: job.now, data }]);
}
