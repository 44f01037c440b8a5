import { cuidTime } from '@switchboard/contracts/grammar/cuid';
import { jobAccepted } from '@switchboard/contracts/templates/job-events';
import type { CommitJobRequest } from '@switchboard/contracts/templates/job-rpc';
import { appendEvents } from '@switchboard/outbox';
import { statement, type Transaction } from '@switchboard/postgres';
import { jobFacts } from '../job/job-view.js';
import type { BatchTarget } from './batch-target.js';

/** A batch that passed every check. */
export interface JudgedBatch {
  readonly organizationId: string;
  readonly request: CommitJobRequest;
  readonly target: BatchTarget;
  /** Recipients whose subscriber comes earlier in the batch. */
  readonly duplicates: number;
}

/** The row makes the recipients visible; the feed makes the job due, now or at its time. */
const insertSql = statement<{ isNew: boolean }>(
  'templates.job.insert',
  `WITH added AS (
     INSERT INTO job (organization_id, id, template_id, channel_id, throttle_per_hour, total, reserved, quota_month,
       scheduled_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::timestamptz) ON CONFLICT DO NOTHING RETURNING 1
   ), feed AS (
     INSERT INTO job_feed (organization_id, job_id, due_at)
     SELECT $1, $2, greatest($9::timestamptz, now()) FROM added
   ), counts AS (
     INSERT INTO job_count (organization_id, job_id, shard, queued, unconfirmed, sent, delivered, read, failed, skipped)
     SELECT $1, $2, 0, $7, 0, 0, 0, 0, 0, $6::int - $7::int FROM added
   )
   SELECT true AS "isNew" FROM added`,
);

/** Recipients that count against the quota. */
export function reservedOf({ request, duplicates }: JudgedBatch): number {
  return request.total - duplicates;
}

/** The month in which a job's messages count, `YYYY-MM` in UTC: that of its id. */
export function quotaMonthOf(jobId: string): string {
  return cuidTime(jobId).toISOString().slice(0, 'YYYY-MM'.length);
}

/** Makes a batch a job, with its event. @returns false when the job is there already */
export async function storeJob(tx: Transaction, batch: JudgedBatch): Promise<boolean> {
  const { organizationId, request, target } = batch;
  const { jobId, throttlePerHour, total, scheduledAt } = request;
  const job = {
    id: jobId,
    templateId: target.template.id,
    channelId: target.channel.id,
    total,
    reserved: reservedOf(batch),
  };
  const [added] = await tx.query(insertSql, [
    organizationId,
    jobId,
    job.templateId,
    job.channelId,
    throttlePerHour,
    total,
    job.reserved,
    quotaMonthOf(jobId),
    scheduledAt,
  ]);
  if (!added) return false;
  const event = { event: jobAccepted, organizationId, aggregateId: jobId, sequence: null };
  appendEvents(tx, [{ ...event, occurredAt: new Date(), data: jobFacts(job) }]);
  return true;
}
