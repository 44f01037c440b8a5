import type { Cuid } from '../grammar/cuid.js';
import { defineEvent } from '../grammar/define-event.js';
import type { JobCounts } from './job-http.js';

/** A job as other services know it. */
export interface JobFacts {
  readonly id: Cuid;
  readonly templateId: Cuid;
  readonly messagingChannelId: Cuid;
  readonly total: number;
  /** Recipients that count against the quota of the job's month: all but the duplicates. */
  readonly reserved: number;
}

/** A bulk send was accepted; its recipients are taken up when it is due. @aggregate job */
export const jobAccepted = defineEvent<{ readonly job: JobFacts }>('templates', 'job.accepted', 1);
/** No recipient of a bulk send is queued any more, or it was cancelled; outcomes may still change. @aggregate job */
export const jobFinished = defineEvent<{
  readonly job: JobFacts;
  readonly status: 'COMPLETED' | 'CANCELED';
  readonly counts: JobCounts;
}>('templates', 'job.finished', 1);
