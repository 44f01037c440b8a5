import { heldReasons, type HeldReason, type JobStatus } from '@switchboard/contracts/templates/job-http';
import type { JobAction } from '@switchboard/contracts/templates/job-rpc';

/** What the status of a job is made of. */
export interface JobStanding {
  readonly state: 'ACTIVE' | 'COMPLETED' | 'CANCELED';
  readonly isPaused: boolean;
  readonly holds: readonly string[];
  readonly scheduledAt: Date | null;
  readonly startedAt: Date | null;
  /** Recipients that are QUEUED. */
  readonly queued: number;
}

/** Reasons that end when a person resumes the job; the others end with their cause. */
const BY_HAND: readonly string[] = ['SPAM_LIMIT', 'CHANNEL_BLOCKED'] satisfies HeldReason[];

/** The status as the API shows it. A job that is paused and held shows PAUSED. Source: docs/api-behaviour.md#bulk-sends-held. */
export function jobStatus(job: JobStanding, now: Date): JobStatus {
  if (job.state !== 'ACTIVE') return job.state;
  // Its last outcome and its completion are two transactions: what is shown does not wait for the second.
  if (job.queued === 0) return 'COMPLETED';
  if (job.isPaused) return 'PAUSED';
  if (job.startedAt === null && job.scheduledAt !== null && job.scheduledAt > now) return 'SCHEDULED';
  if (job.holds.length > 0) return 'HELD';
  return job.startedAt === null ? 'QUEUED' : 'RUNNING';
}

/** The cause to show; of several the one that the list of reasons names first. */
export function heldReason(job: JobStanding, now: Date): HeldReason | null {
  if (jobStatus(job, now) !== 'HELD') return null;
  return heldReasons.find((reason) => job.holds.includes(reason)) ?? null;
}

/**
 * What an action does to a job: `change`, nothing to an end that is reached already, or an impossible move.
 *
 * Source: docs/api-behaviour.md#bulk-sends-control.
 */
export function actionEffect(job: JobStanding, action: JobAction, now: Date): 'change' | 'none' | 'impossible' {
  const status = jobStatus(job, now);
  if (action === 'cancel') {
    if (status === 'CANCELED') return 'none';
    return status === 'COMPLETED' ? 'impossible' : 'change';
  }
  if (status === 'CANCELED' || status === 'COMPLETED') return 'impossible';
  if (action === 'pause') return job.isPaused ? 'none' : 'change';
  return job.isPaused || job.holds.some((reason) => BY_HAND.includes(reason)) ? 'change' : 'none';
}

/** The causes that are left when a person resumes the job. */
export function holdsAfterResume(holds: readonly string[]): string[] {
  return holds.filter((reason) => !BY_HAND.includes(reason));
}
