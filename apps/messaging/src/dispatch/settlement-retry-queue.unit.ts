import { describe, expect, it } from '@jest/globals';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { Log } from '@switchboard/platform';
import type { Attempt } from './dispatch.entity.js';
import { SettlementRetryQueue } from './settlement-retry-queue.js';
import type { Settlement } from './settle-dispatch.batch.js';

const away = (): Error => new AppError(serviceErrors.SERVICE_UNAVAILABLE);

describe('an outcome that cannot be recorded', () => {
  it('is kept through an outage of any length, tried in growing pauses of at most 10 s that differ, and recorded once', async () => {
    const { later, pauses, logged, recorded, recovers } = outage(500);
    later.keep(settlementOf('a'));
    later.keep(settlementOf('b'));
    await recovers;
    expect(recorded.sort()).toEqual(['a', 'b']);
    expect(logged).not.toContain('dispatch.outcome-forgotten');
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(150);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(10_000);
    expect(Math.max(...pauses.slice(0, 2))).toBeLessThanOrEqual(500);
    expect(new Set(pauses).size).toBeGreaterThan(pauses.length / 2);
  });

  it('is taken up again when the next one comes after a recovery', async () => {
    const { later, recorded, recovers, again } = outage(3);
    later.keep(settlementOf('a'));
    await recovers;
    const second = again(2);
    later.keep(settlementOf('b'));
    await second;
    expect(recorded).toEqual(['a', 'b']);
  });

  it('that comes in whatever moment in which the last of the others was recorded is recorded too', async () => {
    for (let turns = 0; turns < 20; turns++) {
      const recorded: string[] = [];
      const execute = async ({ attempt: { messageId } }: Settlement): Promise<void> => {
        recorded.push(messageId);
        if (messageId === 'a') void keepAfter(later, 'b', turns);
      };
      const later = new SettlementRetryQueue({ execute }, logOf([]), async () => undefined);
      later.keep(settlementOf('a'));
      await new Promise(setImmediate);
      expect([turns, recorded]).toEqual([turns, ['a', 'b']]);
    }
  });

  it('that fails by itself, with the database at work, is given up after 12 tries and does not hold up another', async () => {
    const recorded: string[] = [];
    let tries = 0;
    const forgotten = Promise.withResolvers<string>();
    const execute = async ({ attempt: { messageId } }: Settlement): Promise<void> => {
      if (messageId === 'good') return void recorded.push(messageId);
      tries++;
      throw new TypeError('a defect');
    };
    const later = new SettlementRetryQueue({ execute }, logOf([], forgotten.resolve), async () => undefined);
    later.keep(settlementOf('bad'));
    later.keep(settlementOf('good'));
    expect(await forgotten.promise).toBe('bad');
    expect([tries, recorded]).toEqual([12, ['good']]);
  });

  it('is tried once more when the process stops, and then forgotten aloud', async () => {
    const { later, logged, recorded } = outage(Infinity);
    later.keep(settlementOf('a'));
    expect(await later.stop()).toBe(false);
    later.keep(settlementOf('b'));
    expect([logged, recorded]).toEqual([['dispatch.outcome-forgotten', 'dispatch.outcome-forgotten'], []]);
    const recovered = outage(0);
    recovered.later.keep(settlementOf('a'));
    expect(await recovered.later.stop()).toBe(true);
    expect([recovered.logged, recovered.recorded]).toEqual([[], ['a']]);
  });

  it('that is locked holds up no other, while the process runs and when it stops, however many they are', async () => {
    const recorded = new Set<string>();
    const isAllThere = Promise.withResolvers<void>();
    const execute = async ({ attempt: { messageId } }: Settlement): Promise<void> => {
      if (messageId.startsWith('locked')) throw away();
      recorded.add(messageId);
      if (recorded.size === 50) isAllThere.resolve();
    };
    const keepIn = (later: SettlementRetryQueue, names: readonly string[]): void => {
      for (const name of names) later.keep(settlementOf(name));
    };
    const locked = Array.from({ length: 200 }, (_none, n) => `locked ${n}`);
    const running = new SettlementRetryQueue({ execute }, logOf([]), async () => undefined);
    keepIn(running, [...locked, ...Array.from({ length: 50 }, (_none, n) => `free ${n}`)]);
    await isAllThere.promise;
    await running.stop();
    recorded.clear();
    const stopping = new SettlementRetryQueue({ execute }, logOf([]));
    const free = Array.from({ length: 450 }, (_none, n) => `free ${n}`);
    keepIn(stopping, [...locked, ...free]);
    expect(await stopping.stop()).toBe(false);
    expect(recorded.size).toBe(450);
  });

  it('is forgotten aloud when 10,000 others wait', () => {
    const { later, logged } = outage(Infinity, () => new Promise(() => undefined));
    for (let n = 0; n < 10_000; n++) later.keep(settlementOf(String(n)));
    expect(logged).toEqual([]);
    later.keep(settlementOf('one too many'));
    expect(logged).toEqual(['dispatch.outcome-forgotten']);
  });
});

/** A database that refuses so many tries; `recovers` resolves when everything that was kept is recorded. */
function outage(refusals: number, wait: () => Promise<void> = async () => undefined) {
  const [pauses, logged, recorded]: [number[], string[], string[]] = [[], [], []];
  let left = refusals;
  let kept = 0;
  let recovery = Promise.withResolvers<void>();
  const execute = async ({ attempt }: Settlement): Promise<void> => {
    if (left-- > 0) throw away();
    recorded.push(attempt.messageId);
    if (recorded.length === kept) recovery.resolve();
  };
  const paused = async (durationMs: number): Promise<void> => {
    pauses.push(durationMs);
    await wait();
  };
  const later = new SettlementRetryQueue({ execute }, logOf(logged), paused);
  const keep = later.keep.bind(later);
  later.keep = (settlement) => {
    kept++;
    keep(settlement);
  };
  const again = (more: number): Promise<void> => {
    left = more;
    recovery = Promise.withResolvers<void>();
    return recovery.promise;
  };
  return { later, pauses, logged, recorded, recovers: recovery.promise, again };
}

/** Keeps an outcome after so many turns of the queue of promises. */
async function keepAfter(later: SettlementRetryQueue, messageId: string, turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await undefined;
  later.keep(settlementOf(messageId));
}

function settlementOf(messageId: string): Settlement {
  const attempt = { messageId } as Attempt;
  const outcome = { state: 'accepted', upstreamMessageId: 'wamid', messagingId: null } as const;
  return { attempt, outcome, knownAt: new Date(0), traceparent: null };
}

function logOf(logged: string[], onForgotten: (messageId: string) => void = () => undefined): Log {
  return {
    info: () => undefined,
    warn: (event, fields) => {
      logged.push(event);
      if (event === 'dispatch.outcome-forgotten') onForgotten(String(fields?.['messageId']));
    },
    error: () => undefined,
  };
}
