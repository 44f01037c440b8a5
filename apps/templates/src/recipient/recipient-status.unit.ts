import { describe, expect, it } from '@jest/globals';
import { recipientStatuses } from '@switchboard/contracts/templates/job-http';
import fc from 'fast-check';
import { higherOutcome, isRise, recipientStatus, UNFIT, type Outcome } from './recipient-status.policy.js';

const outcome = fc
  .constantFrom(...recipientStatuses)
  .map((status): Outcome => ({ status, reason: status === 'FAILED' ? '131026' : null }));

describe('the status of a recipient', () => {
  it.each([
    ['QUEUED', 'SKIPPED'],
    ['SKIPPED', 'SENT'],
    ['UNCONFIRMED', 'SENT'],
    ['UNCONFIRMED', 'FAILED'],
    ['UNCONFIRMED', 'DELIVERED'],
    ['SENT', 'FAILED'],
    ['FAILED', 'DELIVERED'],
    ['DELIVERED', 'READ'],
  ] as const)('rises from %s to %s and never back', (from, to) => {
    expect(isRise(from, { status: to, reason: null })).toBe(true);
    expect(isRise(to, { status: from, reason: null })).toBe(false);
  });

  it.each([
    ['QUEUED', true],
    ['SKIPPED', false],
    ['UNCONFIRMED', false],
  ] as const)('of %s becomes FAILED for a template that was edited: %s', (from, isRisen) => {
    expect(isRise(from, { status: 'FAILED', reason: UNFIT })).toBe(isRisen);
  });

  it('ends the same in whatever order, and however often, its events come', () => {
    fc.assert(
      fc.property(fc.array(outcome, { minLength: 1 }), fc.infiniteStream(fc.nat()), (outcomes, draws) => {
        const shuffled = [...outcomes, ...outcomes].sort(() => (draws.next().value % 3) - 1);
        const end = (all: readonly Outcome[]): string => all.reduce(higherOutcome).status;
        expect(end(shuffled)).toBe(end(outcomes));
      }),
    );
  });

  it('is one of those that the API shows', () => {
    for (const status of recipientStatuses) expect(recipientStatus(status)).toBe(status);
    expect(() => recipientStatus('GONE')).toThrow(RangeError);
  });
});
