import { setImmediate } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Log } from '@switchboard/platform';
import { FakeClock, testServers } from '@switchboard/testing';
import type { DispatchJournal } from '../src/dispatch/dispatch-journal.js';
import type { Attempt } from '../src/dispatch/dispatch.entity.js';
import type { Dispatcher } from '../src/dispatch/dispatcher.js';
import type { ReleasedLeases } from '../src/dispatch/released-leases.js';
import { RetrySignal } from '../src/dispatch/retry-signal.js';
import { RetryDispatchWorker } from '../src/retry-dispatch/retry-dispatch.worker.js';
import type { UpstreamOutcome } from '../src/upstream/upstream.js';
import { MessagingStore, settlementOf, taken, type Sender } from './messaging-store.js';

const servers = testServers();
const MANY = 20;
const EACH_ROUND = 16;
const notBegun = { state: 'not-taken', code: 'UPSTREAM_UNREACHABLE', message: 'm', retry: 'not-begun' } as const;
const log: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A round at a time. */
class Rounds extends RetryDispatchWorker {
  next(): ReturnType<RetryDispatchWorker['round']> {
    return this.round();
  }
}

describe('retries of an organization whose share of the connections is in use', () => {
  let store: MessagingStore;
  const clock = new FakeClock();

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
  });

  /** So many messages that are due again, each to another contact. */
  async function due(count: number): Promise<Sender> {
    const sender = await store.sender(count);
    for (let contact = 0; contact < count; contact++) {
      const attempt = await store.attempt(sender, contact);
      await store.settle(settlementOf(attempt, notBegun));
      await store.letTimePass(attempt);
    }
    return sender;
  }

  /** A worker, and the attempts that it has made. */
  function workerOf(outcomeOf: (attempt: Attempt) => UpstreamOutcome): { worker: Rounds; made: Attempt[] } {
    const made: Attempt[] = [];
    const attempt = async (one: Attempt): Promise<UpstreamOutcome> => {
      made.push(one);
      const outcome = outcomeOf(one);
      // Behind all that were taken: the last ends decide how many may follow.
      if (outcome.state === 'not-taken') await setImmediate();
      return outcome;
    };
    const worker = new Rounds(
      store.database,
      { attempt } as unknown as Dispatcher,
      { newLease: newCuid } as unknown as DispatchJournal,
      { giveBack: () => undefined } as unknown as ReleasedLeases,
      clock,
      new AbortController().signal,
      log,
      new RetrySignal(),
    );
    return { worker, made };
  }

  it('slow down none of another, and are left out for a moment', async () => {
    const [full, other] = [await due(MANY), await due(MANY)];
    const { worker, made } = workerOf((attempt) =>
      attempt.organizationId === full.organizationId ? { ...notBegun, isShareFull: true } : taken(attempt),
    );
    const counts = (): number[] =>
      [full, other].map(({ organizationId }) => made.filter((one) => one.organizationId === organizationId).length);
    await worker.next();
    expect(counts()).toEqual([EACH_ROUND, EACH_ROUND]);
    await worker.next();
    expect(counts()[1]).toBe(MANY);
    expect(counts()[0]).toBe(EACH_ROUND);
    clock.advance(1_000);
    await worker.next();
    expect(counts()).toEqual([EACH_ROUND + 1, MANY]);
  });
});
