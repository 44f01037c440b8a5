import { describe, expect, it } from '@jest/globals';
import type { RecipientView } from '@switchboard/contracts/templates/job-http';
import { jobFindings, type JobLedger } from './job-rules.policy.js';

const none = { queued: 0, unconfirmed: 0, sent: 0, delivered: 0, read: 0, failed: 0, skipped: 0 };
const recipient = (index: number, status: RecipientView['status']): RecipientView => ({
  index,
  to: `+1415555000${index}`,
  status,
  reason: null,
  messageId: status === 'SKIPPED' ? null : `m${index}`,
});
const request = (reference: string): JobLedger['requests'][number] => ({
  reference,
  outcome: 'answered',
  refusedWith: null,
  messageId: `wamid.${reference}`,
});

const right: JobLedger = {
  total: 3,
  readings: [
    { status: 'RUNNING', total: 3, counts: { ...none, queued: 3 } },
    { status: 'COMPLETED', total: 3, counts: { ...none, delivered: 1, unconfirmed: 1, skipped: 1 } },
  ],
  recipients: [recipient(0, 'DELIVERED'), recipient(1, 'UNCONFIRMED'), recipient(2, 'SKIPPED')],
  messages: [
    { id: 'm0', recipientIndex: 0, status: 'DELIVERED' },
    { id: 'm1', recipientIndex: 1, status: 'QUEUED' },
  ],
  requests: [request('m0'), request('m1')],
};
const rulesOf = (change: Partial<JobLedger>): string[] => jobFindings({ ...right, ...change }).map(({ rule }) => rule);

describe('the auditor of a job', () => {
  it('finds nothing where all agree', () => {
    expect(jobFindings(right)).toEqual([]);
  });

  it('finds counts that do not add up at some moment, or are not those of the recipients', () => {
    const [first, last] = right.readings;
    if (!first || !last) throw new Error('there are two readings');
    expect(rulesOf({ readings: [{ ...first, counts: { ...none, queued: 2 } }, last] })).toEqual(['job.sum']);
    const other = { ...none, sent: 1, unconfirmed: 1, skipped: 1 };
    expect(rulesOf({ readings: [first, { ...last, counts: other }] })).toEqual(['job.sum', 'job.sum']);
  });

  it('finds a job that has not ended', () => {
    const last = { status: 'RUNNING', total: 3, counts: right.readings[1]?.counts ?? none } as const;
    expect(rulesOf({ readings: [last] })).toEqual(['never-quiet']);
  });

  it('finds a recipient that is gone, one without a message, and one that was skipped and sent', () => {
    expect(rulesOf({ recipients: right.recipients.slice(0, 2) })).toContain('job.lost');
    expect(rulesOf({ messages: right.messages.slice(0, 1) })).toEqual(['job.lost']);
    const extra = { id: 'm2', recipientIndex: 2, status: 'DELIVERED' };
    expect(rulesOf({ messages: [...right.messages, extra], requests: [...right.requests, request('m2')] })).toEqual([
      'job.lost',
    ]);
  });

  it('finds two messages of one recipient, and two accepted requests of one message', () => {
    const twin = { id: 'm9', recipientIndex: 0, status: 'DELIVERED' };
    const messages = [...right.messages, twin];
    expect(rulesOf({ messages, requests: [...right.requests, request('m9')] })).toEqual(['job.doubled']);
    expect(rulesOf({ requests: [...right.requests, request('m0')] })).toEqual(['job.doubled']);
  });

  it('finds a message that says something else, and a confirmation without a request', () => {
    const sent = { id: 'm0', recipientIndex: 0, status: 'SENT' };
    expect(rulesOf({ messages: [sent, ...right.messages.slice(1)] })).toEqual(['job.disagrees']);
    expect(rulesOf({ requests: [request('m1')] })).toEqual(['job.lost']);
  });
});
