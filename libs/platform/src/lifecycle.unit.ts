import { describe, expect, it } from '@jest/globals';
import { defineEvent } from '@switchboard/contracts/grammar/define-event';
import type { DeliveredEvent } from '@switchboard/nats';
import type { Transaction } from '@switchboard/postgres';
import { WakeSignal } from '@switchboard/timing';
import {
  createLog,
  PollingWorker,
  ProjectionConsumer,
  type ConsumerPlatform,
  type Log,
  type ProjectedEvent,
} from './index.js';

const silent = createLog('test', { write: () => undefined });

/** A worker whose rounds the test ends, by their result or an error. */
class TestWorker extends PollingWorker {
  readonly begun: PromiseWithResolvers<boolean | number>[] = [];
  private onRound = Promise.withResolvers<void>();

  constructor(log: Log = silent, signal = new WakeSignal()) {
    super({ log, idleMs: 2 ** 30, signal, failureEvent: 'test.round-failed' });
  }

  async untilRounds(count: number): Promise<void> {
    while (this.begun.length < count) await this.onRound.promise;
  }

  protected round(): Promise<boolean | number> {
    const round = Promise.withResolvers<boolean | number>();
    this.begun.push(round);
    this.onRound.resolve();
    this.onRound = Promise.withResolvers<void>();
    return round.promise;
  }
}

describe('a polling worker', () => {
  it('begins with the application, goes on at once while there is more, and ends with the round under way', async () => {
    const worker = new TestWorker();
    expect(worker.begun).toHaveLength(0);
    worker.onApplicationBootstrap();
    worker.begun[0]?.resolve(true);
    await worker.untilRounds(2);
    let isStopped = false;
    const stopped = worker.onModuleDestroy().then(() => (isStopped = true));
    await new Promise(setImmediate);
    expect(isStopped).toBe(false);
    worker.begun[1]?.resolve(true);
    await stopped;
    expect(worker.begun).toHaveLength(2);
  });

  it('is woken from its pause, by a wake-up during its round as well, and looks when the next work is due', async () => {
    const signal = new WakeSignal();
    const worker = new TestWorker(silent, signal);
    worker.onApplicationBootstrap();
    signal.wake();
    worker.begun[0]?.resolve(false);
    await worker.untilRounds(2);
    worker.begun[1]?.resolve(false);
    await new Promise(setImmediate);
    expect(worker.begun).toHaveLength(2);
    signal.wake();
    await worker.untilRounds(3);
    worker.begun[2]?.resolve(1);
    await worker.untilRounds(4);
    worker.begun[3]?.resolve(false);
    await worker.onModuleDestroy();
    expect(worker.begun).toHaveLength(4);
  });

  it('logs a round that throws, and a stop does not wait for its pause', async () => {
    const errors: [string, unknown][] = [];
    const failed = Promise.withResolvers<void>();
    const worker = new TestWorker({
      ...silent,
      error: (event, error) => {
        errors.push([event, error]);
        failed.resolve();
      },
    });
    worker.onApplicationBootstrap();
    const cause = new Error('broken');
    worker.begun[0]?.reject(cause);
    await failed.promise;
    await worker.onModuleDestroy();
    expect([errors, worker.begun.length]).toEqual([[['test.round-failed', cause]], 1]);
  });
});

describe('a projection', () => {
  const renamed = defineEvent<{ readonly name: string }>('test', 'thing.renamed', 1);
  const other = defineEvent<{ readonly name: string }>('test', 'thing.removed', 1);

  class TestProjection extends ProjectionConsumer<{ readonly name: string }> {
    readonly projected: ProjectedEvent<{ readonly name: string }>[] = [];

    protected async project(_tx: Transaction, events: typeof this.projected): Promise<void> {
      this.projected.push(...events);
    }
  }

  it('takes the events of its kind that have an organization, in order, and lets none wait', async () => {
    const platform = { log: silent } as unknown as ConsumerPlatform;
    const consumer = { name: 'test', stream: 'TEST' } as never;
    const projection = new TestProjection(platform, renamed, { consumer, batchMax: 1 });
    const eventOf = (id: string, { subject }: typeof renamed, organizationId: string | null): DeliveredEvent =>
      ({ envelope: { id, subject, organizationId, data: { name: `of ${id}` } } }) as unknown as DeliveredEvent;
    const events = [
      eventOf('b', renamed, 'o1'),
      eventOf('x', other, 'o1'),
      eventOf('y', renamed, null),
      eventOf('a', renamed, 'o2'),
    ];
    expect(await projection.apply(null as unknown as Transaction, events)).toEqual(new Set());
    expect(projection.projected).toEqual([
      { eventId: 'b', organizationId: 'o1', data: { name: 'of b' } },
      { eventId: 'a', organizationId: 'o2', data: { name: 'of a' } },
    ]);
  });
});
