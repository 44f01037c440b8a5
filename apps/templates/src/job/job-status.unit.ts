import { describe, expect, it } from '@jest/globals';
import { actionEffect, heldReason, holdsAfterResume, jobStatus, type JobStanding } from './job-status.policy.js';

const NOW = new Date('2026-02-03T04:05:06.000Z');
const LATER = new Date('2026-02-04T04:05:06.000Z');
const job = (given: Partial<JobStanding> = {}): JobStanding => ({
  state: 'ACTIVE',
  isPaused: false,
  holds: [],
  scheduledAt: null,
  startedAt: NOW,
  queued: 1,
  ...given,
});

describe('the status of a job', () => {
  it.each([
    ['QUEUED', job({ startedAt: null })],
    ['RUNNING', job()],
    ['SCHEDULED', job({ startedAt: null, scheduledAt: LATER })],
    ['QUEUED', job({ startedAt: null, scheduledAt: NOW })],
    ['HELD', job({ holds: ['QUOTA'] })],
    ['PAUSED', job({ holds: ['QUOTA'], isPaused: true })],
    ['PAUSED', job({ startedAt: null, scheduledAt: LATER, isPaused: true })],
    ['COMPLETED', job({ queued: 0, isPaused: true })],
    ['CANCELED', job({ state: 'CANCELED', holds: ['QUOTA'] })],
  ] as const)('is %s', (status, standing) => {
    expect(jobStatus(standing, NOW)).toBe(status);
  });

  it('names the cause only while it shows HELD', () => {
    expect(heldReason(job({ holds: ['SPAM_LIMIT', 'QUOTA'] }), NOW)).toBe('QUOTA');
    expect(heldReason(job({ holds: ['QUOTA'], isPaused: true }), NOW)).toBeNull();
  });
});

describe('an action', () => {
  it.each([
    ['cancel', job(), 'change'],
    ['cancel', job({ state: 'CANCELED' }), 'none'],
    ['cancel', job({ state: 'COMPLETED', queued: 0 }), 'impossible'],
    ['pause', job(), 'change'],
    ['pause', job({ isPaused: true }), 'none'],
    ['pause', job({ state: 'CANCELED' }), 'impossible'],
    ['resume', job({ isPaused: true }), 'change'],
    ['resume', job({ holds: ['SPAM_LIMIT'] }), 'change'],
    ['resume', job({ holds: ['SUBSCRIPTION'] }), 'none'],
    ['resume', job(), 'none'],
    ['resume', job({ queued: 0 }), 'impossible'],
  ] as const)('%s of %j is: %s', (action, standing, effect) => {
    expect(actionEffect(standing, action, NOW)).toBe(effect);
  });

  it('resume ends the causes that a person ends, and no other', () => {
    expect(holdsAfterResume(['SPAM_LIMIT', 'SUBSCRIPTION', 'CHANNEL_BLOCKED'])).toEqual(['SUBSCRIPTION']);
  });
});
