import { describe, expect, it } from '@jest/globals';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { callbackPlan } from './template-callback.policy.js';

/** As the provider documents it. */
const value = {
  event: 'REJECTED',
  message_template_id: 1689556908129835,
  message_template_name: 'abandoned_cart',
  message_template_language: 'en-US',
  reason: 'INVALID_FORMAT',
  message_template_category: 'MARKETING',
};

describe('a callback about a template', () => {
  it('is read with its integer id as text, at the end of the second that it names', () => {
    expect(callbackPlan(envelope(value))).toEqual({
      act: 'apply',
      fact: {
        organizationId: null,
        businessAccountId: '102290129340401',
        name: 'abandoned_cart',
        language: 'en-US',
        upstreamTemplateId: '1689556908129835',
        status: 'REJECTED',
        at: new Date('2026-03-01T12:00:00.999Z'),
      },
    });
  });

  it.each([
    ['APPROVED', 'APPROVED'],
    ['REINSTATED', 'APPROVED'],
    ['UNPAUSED', 'APPROVED'],
    ['PENDING', 'PENDING'],
    ['REJECTED', 'REJECTED'],
    ['PAUSED', 'PAUSED'],
    ['LOCKED', 'PAUSED'],
    ['DISABLED', 'DISABLED'],
    ['DELETED', 'DISABLED'],
    ['PENDING_DELETION', 'DISABLED'],
    ['ARCHIVED', 'DISABLED'],
  ])('with the event %s says %s', (event, status) => {
    expect(callbackPlan(envelope({ ...value, event }))).toMatchObject({ act: 'apply', fact: { status } });
  });

  it.each(['IN_APPEAL', 'FLAGGED', 'LIMIT_EXCEEDED', 'SOMETHING_NEW'])('with the event %s changes nothing', (event) => {
    expect(callbackPlan(envelope({ ...value, event }))).toEqual({ act: 'ignore', reason: 'unknown-event' });
  });

  it.each([
    ['no value', null],
    ['a list', [value]],
    ['no name', { ...value, message_template_name: undefined }],
    ['no language', { ...value, message_template_language: 7 }],
    ['a NUL', { ...value, message_template_name: 'a\u0000' }],
  ])('of %s is ignored', (_label, broken) => {
    expect(callbackPlan(envelope(broken))).toEqual({ act: 'ignore', reason: 'unreadable' });
  });

  it('has no id where JSON may not have kept it to the digit', () => {
    const plan = callbackPlan(envelope({ ...value, message_template_id: 16895569081298352 }));
    expect(plan).toMatchObject({ fact: { upstreamTemplateId: null } });
  });

  it('is not what other changes are', () => {
    expect(callbackPlan(envelope(value, 'account_update'))).toEqual({ act: 'skip' });
    expect(callbackPlan({ ...envelope(value), subject: 'gateway.callback.status.v1' })).toEqual({ act: 'skip' });
  });
});

function envelope(content: unknown, field = 'message_template_status_update'): EventEnvelope {
  return {
    id: 'ceventevent',
    subject: 'gateway.callback.change.v1',
    organizationId: null,
    aggregateId: '102290129340401',
    sequence: null,
    occurredAt: '2026-03-01T12:00:00.000Z',
    data: { businessAccountId: '102290129340401', field, value: content },
  };
}
