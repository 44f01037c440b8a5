import type { AcceptedJob, JobView, RecipientView } from '@switchboard/contracts/templates/job-http';
import { exampleIds, exampleTimes } from './example-values.js';

/** A bulk send right after its 202. */
export const acceptedJobExample: AcceptedJob = {
  id: exampleIds.job,
  status: 'QUEUED',
  total: 2,
  createdAt: exampleTimes.accepted,
};

/** A bulk send on its way. */
export const jobExample: JobView = {
  id: exampleIds.job,
  status: 'RUNNING',
  heldReason: null,
  templateId: exampleIds.template,
  messagingChannelId: exampleIds.channel,
  throttlePerHour: 3_600,
  total: 1_000,
  counts: { queued: 940, unconfirmed: 0, sent: 18, delivered: 30, read: 9, failed: 1, skipped: 2 },
  createdAt: exampleTimes.accepted,
  scheduledAt: null,
  startedAt: exampleTimes.sent,
  completedAt: null,
  estimatedCompletionAt: exampleTimes.closed,
};

/** A recipient that got the message. */
export const recipientExample: RecipientView = {
  index: 0,
  to: '+14155550123',
  status: 'DELIVERED',
  reason: null,
  messageId: exampleIds.outbound,
};
