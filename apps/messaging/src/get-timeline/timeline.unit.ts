import { describe, expect, it } from '@jest/globals';
import { cuidFloor } from '@switchboard/contracts/grammar/cuid';
import type { AttemptOutcome } from '../attempt-outcome/attempt-outcome.repository.js';
import type { MessageRow } from '../message/message-view.js';
import type { TimelineFacts } from './timeline-facts.repository.js';
import { timelineOf } from './timeline.policy.js';

const second = (n: number): Date => new Date(Date.UTC(2026, 1, 3, 4, 5, n));

const row: MessageRow = {
  id: `${cuidFloor(second(0))}abcdefghijklmnop`,
  conversationId: 'cconversation',
  contactId: 'ccontact',
  channelId: 'cchannel',
  direction: 'OUTBOUND',
  type: 'TEXT',
  unsupportedType: null,
  text: 'a secret',
  template: null,
  clientReference: null,
  metadata: null,
  jobId: null,
  recipientIndex: null,
  status: 'QUEUED',
  upstreamMessageId: null,
  errorCode: null,
  errorMessage: 'what the provider wrote',
  attemptedAt: second(1),
  sentAt: null,
  deliveredAt: null,
  readAt: null,
  failedAt: null,
  traceparent: null,
};

function outcome(attempt: number, change: Partial<AttemptOutcome>): AttemptOutcome {
  const times = { beganAt: second(attempt * 10), endedAt: second(attempt * 10 + 1), dueAt: second(attempt * 10 + 5) };
  return { attempt, outcome: 'RETRY', code: '130429', times: 1, ...times, ...change };
}

function steps(change: Partial<MessageRow>, facts: Partial<TimelineFacts> = {}): string[] {
  const items = timelineOf({ message: { ...row, ...change }, outcomes: [], open: null, ...facts });
  const times = items.map(({ at }) => at);
  expect(times).toEqual(times.toSorted());
  expect(JSON.stringify(items)).not.toMatch(/secret|what the provider wrote/);
  return items.map(({ what }) => what);
}

const handed = 'handed to the provider';
const refusedAndRetried = [handed, 'refused', 'retry scheduled'];

describe('the timeline of a message', () => {
  it('ends with the request while its outcome is awaited', () => {
    expect(steps({}, { open: { state: 'DISPATCHING', attempts: 1 } })).toEqual(['accepted', handed]);
  });

  it('shows every attempt that was refused, and the one that was taken', () => {
    const outcomes = [outcome(1, {}), outcome(2, {})];
    const times = { attemptedAt: second(30), sentAt: second(30), deliveredAt: second(31) };
    const whats = steps({ status: 'DELIVERED', ...times }, { outcomes });
    expect(whats).toEqual(['accepted', ...refusedAndRetried, ...refusedAndRetried, handed, 'sent', 'delivered']);
  });

  it('shows no request of an attempt that is still to come', () => {
    const facts: Partial<TimelineFacts> = { outcomes: [outcome(1, {})], open: { state: 'RETRY', attempts: 1 } };
    expect(steps({ attemptedAt: second(10) }, facts)).toEqual(['accepted', ...refusedAndRetried]);
  });

  it('says what a message waits for that was never handed over', () => {
    expect(steps({}, { open: { state: 'RETRY', attempts: 0 } })).toEqual(['accepted', 'waiting']);
  });

  it('shows attempts that never began once, and the request that followed', () => {
    const outcomes = [outcome(1, { outcome: 'UNBEGUN', code: 'UPSTREAM_UNREACHABLE', times: 7 })];
    const times = { attemptedAt: second(20), sentAt: second(20) };
    const whats = steps({ status: 'SENT', ...times }, { outcomes });
    expect(whats).toEqual(['accepted', 'not handed to the provider', 'retry scheduled', handed, 'sent']);
  });

  it.each([
    ['a callback that came later', second(9)],
    ["a callback with a time before ours, by the provider's clock", second(10)],
  ])('shows an unknown outcome before what settled it: %s', (_, deliveredAt) => {
    const outcomes = [outcome(1, { outcome: 'UNKNOWN', code: null })];
    const times = { attemptedAt: second(10), sentAt: second(10), deliveredAt };
    const whats = steps({ status: 'DELIVERED', ...times }, { outcomes });
    expect(whats).toEqual(['accepted', handed, 'outcome unknown', 'sent', 'delivered']);
  });

  it('keeps a failure that a delivery overrode', () => {
    const outcomes = [outcome(1, { outcome: 'UNKNOWN', code: '131000' })];
    const failed = { errorCode: 'UPSTREAM_OUTCOME_UNKNOWN', failedAt: second(40) };
    const times = { attemptedAt: second(10), sentAt: second(10), deliveredAt: second(50) };
    const whats = steps({ status: 'DELIVERED', ...failed, ...times }, { outcomes });
    expect(whats).toEqual(['accepted', handed, 'outcome unknown', 'sent', 'failed', 'delivered']);
  });

  it.each([
    ['131026', ['accepted', handed, 'refused', 'failed']],
    ['CONTACT_OPTED_OUT', ['accepted', 'failed']],
    ['ERASED', ['accepted', 'failed']],
    ['TOKEN_UNREADABLE', ['accepted', 'failed']],
  ])('of one that failed with %s', (errorCode, expected) => {
    expect(steps({ status: 'FAILED', errorCode, failedAt: second(2) })).toEqual(expected);
  });

  it('promises no further try of a message that failed by a code after which requests are repeated', () => {
    const message = { ...row, status: 'FAILED' as const, errorCode: '131056', sentAt: second(1), failedAt: second(2) };
    const failed = timelineOf({ message, outcomes: [], open: null }).at(-1);
    expect(failed).toMatchObject({ what: 'failed', detail: expect.stringContaining('It was not delivered') });
  });

  it('shows a read without a delivery as both', () => {
    const whats = steps({ status: 'READ', sentAt: second(1), readAt: second(3) });
    expect(whats).toEqual(['accepted', handed, 'sent', 'delivered', 'read']);
  });

  it('of an inbound message begins with its arrival', () => {
    expect(steps({ direction: 'INBOUND', status: 'RECEIVED', attemptedAt: null })).toEqual(['received']);
  });
});
