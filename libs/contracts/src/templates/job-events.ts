import type { Cuid } from '../grammar/cuid.js';
import { defineEvent } from '../grammar/define-event.js';
import type { JobCounts } from './job-http.js';

/** A job as other services know it. */
export interface JobFacts {
  readonly jobId: Cuid;
  readonly templateId: Cuid;
  readonly messagingChannelId: Cuid;
  readonly total: number;
  /** Recipients that count against the quota of the job's month: all but the duplicates. */
  readonly reserved: number;
}

/** A job at its end. */
export interface FinishedJobFacts extends JobFacts {
  readonly status: 'COMPLETED' | 'CANCELED';
  readonly counts: JobCounts;
}

/** A bulk send was accepted; its recipients are taken up when it is due. @aggregate job */
export const jobAccepted = defineEvent<JobFacts>('templates', 'job.accepted', 1);
/** No recipient of a bulk send is queued any more, or it was cancelled; outcomes may still change. @aggregate job */
export const jobFinished = defineEvent<FinishedJobFacts>('templates', 'job.finished', 1);
