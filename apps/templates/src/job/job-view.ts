import { cuidTime } from '@switchboard/contracts/grammar/cuid';
import type { AcceptedJob, JobCounts, JobView } from '@switchboard/contracts/templates/job-http';
import type { JobFacts } from '@switchboard/contracts/templates/job-events';
import { estimateCompletion } from './job-estimate.policy.js';
import { heldReason, jobStatus } from './job-status.policy.js';
import type { JobRow } from './job.repository.js';

/** A job as the API shows it. */
export function jobView(job: JobRow): JobView {
  const { id, templateId, channelId, throttlePerHour, total, scheduledAt, startedAt, now } = job;
  const status = jobStatus(job, now);
  const isOver = status === 'COMPLETED' || status === 'CANCELED';
  const finishedAt = isOver ? (job.finishedAt ?? job.settledAt) : null;
  const estimate = status === 'RUNNING' ? estimateCompletion(job, job.queued, now) : null;
  return {
    id,
    status,
    heldReason: heldReason(job, now),
    templateId,
    messagingChannelId: channelId,
    throttlePerHour,
    total,
    counts: jobCounts(job),
    createdAt: cuidTime(id).toISOString(),
    scheduledAt: scheduledAt?.toISOString() ?? null,
    startedAt: startedAt?.toISOString() ?? null,
    completedAt: finishedAt?.toISOString() ?? null,
    estimatedCompletionAt: estimate?.toISOString() ?? null,
  };
}

/** A job as its 202 shows it. */
export function acceptedJob(job: JobRow): AcceptedJob {
  const { id, status, total, createdAt } = jobView(job);
  return { id, status, total, createdAt };
}

/** A job as events name it. */
export function jobFacts(job: Pick<JobRow, 'id' | 'templateId' | 'channelId' | 'total' | 'reserved'>): JobFacts {
  const { id, templateId, channelId, total, reserved } = job;
  return { jobId: id, templateId, messagingChannelId: channelId, total, reserved };
}

/** The counts of a row alone. */
export function jobCounts({ queued, unconfirmed, sent, delivered, read, failed, skipped }: JobCounts): JobCounts {
  return { queued, unconfirmed, sent, delivered, read, failed, skipped };
}
