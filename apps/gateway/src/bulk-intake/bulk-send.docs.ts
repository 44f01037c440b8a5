import { jobErrors } from '@switchboard/contracts/templates/job-errors';
import { templatesErrors } from '@switchboard/contracts/templates/errors';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import { acceptedJobExample } from '../description/job-examples.js';
import { PageQuery } from '../http/input/page.query.js';
import type { RouteDocs } from '../http/route-docs.js';
import { ListRecipientsQuery } from './list-recipients.query.js';
import { sendTemplateBody } from './send-template.body.js';

type Docs = RouteDocs<'Templates'>;

/** Refusals of a bulk send. */
export const sendTemplateErrors = [
  messagingErrors.CHANNEL_NOT_FOUND,
  templatesErrors.TEMPLATE_NOT_FOUND,
  messagingErrors.UPSTREAM_NOT_CONNECTED,
  jobErrors.TEMPLATE_NOT_APPROVED,
  messagingErrors.INVALID_PHONE,
  jobErrors.TEMPLATE_VARIABLES_MISMATCH,
];

/** `POST …/templates/send`. */
export const sendTemplateDocs: Docs = {
  operationId: 'sendTemplate',
  tag: 'Templates',
  summary: 'Send a template in bulk',
  description:
    'Takes up to 100,000 recipients in a body of up to 32 MiB and answers 202 as soon as all of them are stored; they are ' +
    'sent in the background, in their order. Everything is checked before: one bad recipient refuses the batch, and the ' +
    'message names the first five faulty indexes. `recipients` is given once, one recipient has at most 512 KiB, and all ' +
    'other fields together at most 1 MiB. The same subscriber twice: the first counts, the rest are SKIPPED.\n\n' +
    'A repetition of an `Idempotency-Key` creates no new job: it is answered with the first one and `Idempotent-Replayed: ' +
    'true`, and with `Idempotency-Mismatch: true` when its body differs. Without the header the body itself is the key, ' +
    'for 10 minutes.\n\n' +
    'At most 4 bodies over 1 MiB of an organization are read at once: one more is 429 RATE_LIMITED with `Retry-After`.',
  body: sendTemplateBody,
  requestHeaders: ['Idempotency-Key'],
  answers: {
    202: {
      description: 'The job, stored with all its recipients.',
      body: 'AcceptedJob',
      examples: { positional: { ...acceptedJobExample, total: 2 }, named: { ...acceptedJobExample, total: 1 } },
      headers: ['Location', 'Idempotent-Replayed', 'Idempotency-Mismatch'],
    },
  },
  sentences: {
    INVALID_PHONE:
      '`recipients[3].to` must be a phone number, E.164 preferred; `recipients[17].to` must be a phone number, E.164 preferred',
    PAYMENT_REQUIRED: 'The plan TRIAL does not include `templates:send`',
  },
};

/** `GET …/templates/send`. */
export const listJobsDocs: Docs = {
  operationId: 'listJobs',
  tag: 'Templates',
  summary: 'List bulk sends',
  description: 'The bulk sends of the organization, newest first.',
  query: PageQuery,
  answers: { 200: { description: 'A page of jobs.', body: { pageOf: 'Job' } } },
};

/** `GET …/templates/send/{id}`. */
export const getJobDocs: Docs = {
  operationId: 'getJob',
  tag: 'Templates',
  summary: 'Read a bulk send',
  description:
    'What became of a bulk send. `counts` exclude each other and sum to `total` at every moment; the job is COMPLETED when ' +
    '`queued` is 0. `estimatedCompletionAt` is null while it cannot be known.',
  answers: { 200: { description: 'The job.', body: 'Job' } },
};

/** `GET …/templates/send/{id}/recipients`. */
export const listRecipientsDocs: Docs = {
  operationId: 'listRecipients',
  tag: 'Templates',
  summary: 'List the recipients of a bulk send',
  description:
    'In the order of the request. `reason` is the code of a failure, or why a recipient was skipped: DUPLICATE, OPTED_OUT, ' +
    'JOB_CANCELED, ERASED. UNCONFIRMED: the outcome at the upstream is not known yet; a late callback still settles it.',
  query: ListRecipientsQuery,
  answers: { 200: { description: 'A page of recipients.', body: { pageOf: 'Recipient' } } },
};

/** `POST …/templates/send/{id}/cancel`. */
export const cancelJobDocs: Docs = {
  operationId: 'cancelJob',
  tag: 'Templates',
  summary: 'Cancel a bulk send',
  description: 'Recipients that were not begun become SKIPPED; their messages do not count against the quota.',
  answers: { 200: { description: 'The cancelled job.', body: 'Job' } },
  sentences: { INVALID_TRANSITION: 'A job that is COMPLETED cannot be cancelled' },
};

/** `POST …/templates/send/{id}/pause`. */
export const pauseJobDocs: Docs = {
  operationId: 'pauseJob',
  tag: 'Templates',
  summary: 'Pause a bulk send',
  description: 'What was begun goes on; nothing else begins until the job is resumed.',
  answers: { 200: { description: 'The paused job.', body: 'Job' } },
  sentences: { INVALID_TRANSITION: 'A job that is COMPLETED cannot be paused' },
};

/** `POST …/templates/send/{id}/resume`. */
export const resumeJobDocs: Docs = {
  operationId: 'resumeJob',
  tag: 'Templates',
  summary: 'Resume a bulk send',
  description:
    'Ends a pause, and the holds SPAM_LIMIT and CHANNEL_BLOCKED. What was not sent meanwhile is not caught up.',
  answers: { 200: { description: 'The resumed job.', body: 'Job' } },
  sentences: { INVALID_TRANSITION: 'A job that is CANCELED cannot be resumed' },
};
