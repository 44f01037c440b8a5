import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  OUTCOME_UNKNOWN,
  shownTimes,
  withFact,
  type MessageProgress,
  type ProgressFact,
} from './message-progress.policy.js';

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

const second = (value: number): Date => new Date(Date.UTC(2026, 0, 1, 0, 0, value));
const failed = (at: Date, code: string, afterSending: boolean): ProgressFact => {
  return { type: 'failed', at, code, message: `${code}, as reported`, afterSending };
};
/** Every fact about one message, by name, with times that differ and contradict. */
const FACTS = {
  'our record of the send': { type: 'sent' },
  'our refusal': failed(second(11), '100', false),
  delivered: { type: 'delivered', at: second(20) },
  'delivered, before the send': { type: 'delivered', at: second(5) },
  read: { type: 'read', at: second(15) },
  "the upstream's failure": failed(second(12), '131049', true),
  'the deadline': failed(second(1), OUTCOME_UNKNOWN, false),
} as const satisfies Record<string, ProgressFact>;
type FactName = keyof typeof FACTS;

/** What a set of facts amounts to, said without regard to any order. */
function amountOf(facts: ReadonlySet<FactName>): { status: string; error: string | null; milestones: string[] } {
  const has = (...names: FactName[]): boolean => names.some((name) => facts.has(name));
  const isRead = has('read');
  const isDelivered = isRead || has('delivered', 'delivered, before the send');
  const isSent = isDelivered || has('our record of the send', "the upstream's failure");
  const error = has('our refusal')
    ? '100'
    : has("the upstream's failure")
      ? '131049'
      : has('the deadline')
        ? OUTCOME_UNKNOWN
        : null;
  const failure = error !== null && !isDelivered ? error : null;
  const status = isRead ? 'READ' : isDelivered ? 'DELIVERED' : failure !== null ? 'FAILED' : isSent ? 'SENT' : 'QUEUED';
  const reached = { sent: isSent, delivered: isDelivered, read: isRead, failed: failure !== null };
  return { status, error: failure, milestones: Object.entries(reached).flatMap(([name, is]) => (is ? [name] : [])) };
}

/**
 * The sequences of events that each set of milestones may emit. A failure emitted before the delivery that disproves it
 * cannot be taken back; it is never emitted after.
 */
const SEQUENCES_OF: Readonly<Record<string, readonly string[]>> = {
  '': [''],
  sent: ['sent'],
  failed: ['failed'],
  'sent,failed': ['sent,failed', 'failed,sent'],
  'sent,delivered': ['sent,delivered', 'sent,failed,delivered', 'failed,sent,delivered'],
  'sent,delivered,read': ['sent,delivered,read', 'sent,failed,delivered,read', 'failed,sent,delivered,read'],
};

function* permutations<T>(items: readonly T[]): Generator<T[]> {
  if (items.length === 0) yield [];
  for (const [index, item] of items.entries()) {
    for (const rest of permutations(items.toSpliced(index, 1))) yield [item, ...rest];
  }
}

function* subsets<T>(items: readonly T[]): Generator<T[]> {
  for (let mask = 0; mask < 2 ** items.length; mask++) yield items.filter((_item, index) => mask & (2 ** index));
}

describe('the progress of a message', () => {
  it('is the same for every order of every set of facts, and is what the set amounts to', () => {
    let plays = 0;
    for (const set of subsets(Object.keys(FACTS) as FactName[])) {
      const expected = amountOf(new Set(set));
      const finals = new Set<string>();
      const sequences = new Set<string>();
      for (const order of permutations(set)) {
        const { progress, milestones } = play(order.map((name) => FACTS[name]));
        finals.add(JSON.stringify([progress.status, progress.status === 'FAILED' && progress.errorCode, progress]));
        sequences.add(milestones.join());
        plays++;
      }
      expect(finals.size).toBe(1);
      expect(JSON.parse([...finals][0] ?? '')).toMatchObject([expected.status, expected.error ?? false, {}]);
      for (const sequence of sequences)
        expect([...(SEQUENCES_OF[expected.milestones.join()] ?? [])]).toContain(sequence);
    }
    expect(plays).toBe(13_700);
  });

  it('does not change by a repetition of any fact, at any later place of any order', () => {
    const names = Object.keys(FACTS) as FactName[];
    for (const order of permutations(names)) {
      const once = play(order.map((name) => FACTS[name]));
      for (const [index, name] of order.entries()) {
        for (const place of [index + 1, order.length]) {
          const twice = play(order.toSpliced(place, 0, name).map((one) => FACTS[one]));
          if (JSON.stringify(twice) !== JSON.stringify(once)) expect([order, name, twice]).toEqual([order, name, once]);
        }
      }
    }
  });

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

  it('emits both events when read comes without delivered', () => {
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
