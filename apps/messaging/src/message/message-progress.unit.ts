import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { shownTimes, withFact, type MessageProgress, type ProgressFact } from './message-progress.policy.js';

const ATTEMPTED = new Date('2026-01-01T00:00:10.500Z');
const queued: MessageProgress = {
  status: 'QUEUED',
  errorCode: null,
  errorMessage: null,
  attemptedAt: ATTEMPTED,
  sentAt: null,
  deliveredAt: null,
  readAt: null,
  failedAt: null,
};

const at = fc.integer({ min: 0, max: 60 }).map((second) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)));
const fact: fc.Arbitrary<ProgressFact> = fc.oneof(
  fc.constant<ProgressFact>({ type: 'sent' }),
  at.map((time): ProgressFact => ({ type: 'delivered', at: time })),
  at.map((time): ProgressFact => ({ type: 'read', at: time })),
  fc.tuple(at, fc.constantFrom('131049', '131026'), fc.boolean()).map(([time, code, afterSending]): ProgressFact => ({
    type: 'failed',
    at: time,
    code,
    message: code,
    afterSending,
  })),
);

function play(facts: readonly ProgressFact[]): { progress: MessageProgress; milestones: string[] } {
  let progress = queued;
  const milestones: string[] = [];
  for (const one of facts) {
    const step = withFact(progress, one);
    progress = step.progress;
    milestones.push(...step.milestones);
  }
  return { progress, milestones };
}

describe('the progress of a message', () => {
  it('ends in the same state and times whatever the order and repetition of its facts', () => {
    const shuffles = fc
      .array(fact, { minLength: 1, maxLength: 6 })
      .chain((facts) =>
        fc.tuple(
          fc.constant(facts),
          fc.shuffledSubarray([...facts, ...facts], { minLength: facts.length * 2, maxLength: facts.length * 2 }),
        ),
      );
    fc.assert(
      fc.property(shuffles, ([once, twice]) => {
        const [first, second] = [play(once).progress, play(twice).progress];
        expect(second).toEqual(first);
        expect(shownTimes(second)).toEqual(shownTimes(first));
      }),
      { numRuns: 2_000 },
    );
  });

  it('reaches each milestone at most once, and delivered before read', () => {
    fc.assert(
      fc.property(fc.array(fact, { maxLength: 12 }), (facts) => {
        const { milestones } = play(facts);
        expect(milestones).toEqual([...new Set(milestones)]);
        if (milestones.includes('read')) {
          expect(milestones.indexOf('delivered')).toBeGreaterThanOrEqual(0);
          expect(milestones.indexOf('delivered')).toBeLessThan(milestones.indexOf('read'));
        }
      }),
    );
  });

  it('never shows a stage before the former', () => {
    fc.assert(
      fc.property(fc.array(fact, { maxLength: 8 }), (facts) => {
        const { progress } = play(facts);
        const { sentAt, deliveredAt, readAt } = shownTimes(progress);
        const shown = [sentAt, deliveredAt, readAt].filter((time) => time !== null).map((time) => time.getTime());
        expect(shown).toEqual([...shown].sort((a, b) => a - b));
      }),
    );
  });

  it('tells both events when read comes without delivered', () => {
    const { progress, milestones } = play([{ type: 'sent' }, { type: 'read', at: new Date('2026-01-01T00:01:00Z') }]);
    expect(milestones).toEqual(['sent', 'delivered', 'read']);
    expect(shownTimes(progress).deliveredAt).toEqual(new Date('2026-01-01T00:01:00Z'));
  });

  it('lets late evidence of delivery correct a failure, and hides that failure', () => {
    const unknown: ProgressFact = {
      type: 'failed',
      at: new Date('2026-01-02T00:00:10Z'),
      code: 'UPSTREAM_OUTCOME_UNKNOWN',
      message: '',
      afterSending: false,
    };
    const failed = play([unknown]);
    expect(failed).toMatchObject({ progress: { status: 'FAILED', sentAt: null }, milestones: ['failed'] });
    const corrected = play([unknown, { type: 'delivered', at: new Date('2026-01-01T00:00:20Z') }]);
    expect(corrected.progress.status).toBe('DELIVERED');
    expect(shownTimes(corrected.progress)).toMatchObject({ sentAt: ATTEMPTED, failedAt: null });
  });
});
