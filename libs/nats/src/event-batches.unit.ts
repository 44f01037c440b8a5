import { setTimeout as wait } from 'node:timers/promises';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { JsMsg } from '@nats-io/jetstream';
import { EventBatches } from './event-batches.js';
import type { DeliveredEvent } from './delivered-event.js';
import type { Disposition, PullConsumerOptions } from './pull-consumer-options.js';

/** Longer than any test may take: what begins is not begun by time. */
const NEVER_MS = 2 ** 30;
const ACK = { ack: true } as const;

let handled: { readonly names: string[]; readonly end: PromiseWithResolvers<readonly Disposition[]> }[];
let givenBack: [name: string, afterMs: number][];
beforeEach(() => {
  [handled, givenBack] = [[], []];
});

/** Of each initial a batch at a time, of one event that is due. What is named `idle` has time. */
function batchesOf(options: Partial<PullConsumerOptions> = {}): EventBatches {
  const batches = new EventBatches({
    consumer: {},
    batchMax: 100,
    batchesMax: 2,
    unhurried: { includes: ({ envelope }) => envelope.id.startsWith('idle'), gatherMs: NEVER_MS },
    nextOf: (events, underWay, isDue) =>
      events
        .filter(isDue)
        .filter(({ envelope }) => !underWay.some((other) => other.envelope.id[0] === envelope.id[0]))
        .slice(0, 1),
    handle: (events) => {
      const end = Promise.withResolvers<readonly Disposition[]>();
      handled.push({ names: events.map(({ envelope }) => envelope.id), end });
      return end.promise;
    },
    onMalformed: () => undefined,
    onError: () => undefined,
    ...options,
  } as PullConsumerOptions);
  batches.pullBegins();
  return batches;
}

async function add(batches: EventBatches, ...names: string[]): Promise<void> {
  for (const name of names) {
    const nak = (afterMs: number): number => givenBack.push([name, afterMs]);
    const message = { ack: () => undefined, nak, working: () => undefined, data: new Uint8Array(1) };
    const envelope = { id: name, aggregateId: name[0], sequence: Number(name.slice(1)) };
    batches.add({ message: message as unknown as JsMsg, event: { envelope } as DeliveredEvent });
  }
  await settled();
}

/** Until all that follows without time has happened. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
}

async function end(batch: number, outcome: 'kept' | 'failed'): Promise<void> {
  if (outcome === 'kept') handled[batch]?.end.resolve([ACK]);
  else handled[batch]?.end.reject(new Error('away'));
  await settled();
}

const begun = (): string[][] => handled.map(({ names }) => names);

describe('batches next to each other', () => {
  it('that fail leave nothing behind: what waits is given back when the last one has ended, and then others begin', async () => {
    const batches = batchesOf();
    await add(batches, 'a1', 'a2', 'b1', 'b2');
    await end(0, 'failed');
    expect([begun(), givenBack.map(([name]) => name)]).toEqual([[['a1'], ['b1']], ['a1']]);
    await add(batches, 'c1');
    await end(1, 'kept');
    expect(givenBack.map(([name]) => name)).toEqual(['a1', 'a2', 'b2', 'c1']);
    expect(new Set(givenBack.slice(1).map(([, afterMs]) => afterMs)).size).toBe(1);
    await add(batches, 'a1');
    expect(begun()).toEqual([['a1'], ['b1'], ['a1']]);
    await end(2, 'kept');
    await batches.allHandled();
  });

  it('end when the one under way fails while events that have time are gathered', async () => {
    const batches = batchesOf();
    await add(batches, 'a1');
    await add(batches, 'idle');
    await end(0, 'failed');
    await batches.allHandled();
    expect(givenBack.map(([name]) => name)).toEqual(['a1', 'idle']);
  });

  it('that fail alone give back nothing that comes later', async () => {
    const batches = batchesOf();
    await add(batches, 'a1');
    await end(0, 'failed');
    await add(batches, 'a1', 'a2');
    await end(1, 'kept');
    expect([begun(), givenBack.length]).toEqual([[['a1'], ['a1'], ['a2']], 1]);
    await end(2, 'kept');
    await batches.allHandled();
  });

  it('do not wait for events that have time, and do not hurry them', async () => {
    const batches = batchesOf();
    await add(batches, 'idle');
    await add(batches, 'idle too', 'a1');
    await add(batches, 'b1', 'idle as well');
    await end(1, 'kept');
    // The first of them after a quiet time begins at once.
    expect(begun()).toEqual([['idle'], ['a1'], ['b1']]);
    for (const batch of [0, 2]) await end(batch, 'kept');
    batches.pullEnds(5);
    await settled();
    expect(begun().slice(3)).toEqual([['idle too']]);
    await end(3, 'kept');
    await end(4, 'kept');
    await batches.allHandled();
    expect(begun().slice(3)).toEqual([['idle too'], ['idle as well']]);
  });

  it('begin for no event that precedes another, after a quiet time either, and take it along', async () => {
    const batches = batchesOf({
      unhurried: {
        includes: ({ envelope }) => envelope.id.startsWith('idle'),
        precedes: ({ envelope }) => envelope.id === 'idle first',
        gatherMs: NEVER_MS,
      },
      nextOf: undefined,
    });
    await add(batches, 'idle first');
    expect(begun()).toEqual([]);
    await add(batches, 'idle second');
    expect(begun()).toEqual([['idle first', 'idle second']]);
    await end(0, 'kept');
    await batches.allHandled();
  });

  it('take what was due along when it was left behind, whatever the pace', async () => {
    const batches = batchesOf({ gatherMs: NEVER_MS, batchesMax: 1 });
    await add(batches, 'a1', 'b1', 'c1', 'd1', 'e1');
    for (let batch = 0; batch < 5; batch++) await end(batch, 'kept');
    expect(begun().flat()).toEqual(['a1', 'b1', 'c1', 'd1', 'e1']);
    await batches.allHandled();
  });

  it.each(Array.from({ length: 12 }, (_, n) => n + 1))(
    'forget no event that is due while they are chosen (%i)',
    async (gatherMs) => {
      let nowMs = 0;
      const clock = jest.spyOn(performance, 'now').mockImplementation(() => nowMs++);
      const batches = batchesOf({ gatherMs, unhurried: { includes: () => false, gatherMs } });
      for (let n = 0; n < 8; n++) {
        await add(batches, `a${n}`);
        for (let turn = 0; begun().length <= n && turn < 3_000; turn++) await wait(1);
        await end(n, 'kept');
      }
      clock.mockRestore();
      await batches.allHandled();
      expect(begun()).toHaveLength(8);
    },
  );

  it('know of an event by now that it has time, or that it has none', async () => {
    let hasTime = false;
    const unhurried = { includes: () => hasTime, gatherMs: NEVER_MS };
    const batches = batchesOf({ unhurried, batchesMax: 1 });
    await add(batches, 'a1');
    await add(batches, 'a2');
    hasTime = true;
    await end(0, 'kept');
    expect(begun()).toEqual([['a1']]);
    hasTime = false;
    await add(batches, 'a3');
    expect(begun()).toEqual([['a1'], ['a2']]);
    await end(1, 'kept');
    await end(2, 'kept');
    await batches.allHandled();
  });

  it('that stop give back what waits and what is still on its way, in order', async () => {
    const batches = batchesOf();
    await add(batches, 'a1', 'a2');
    batches.stop();
    await end(0, 'kept');
    await add(batches, 'a3');
    await batches.allHandled();
    expect([begun(), givenBack]).toEqual([
      [['a1']],
      [
        ['a2', 0],
        ['a3', 0],
      ],
    ]);
  });

  it('that keep their order are worked on again before what waits, and given back with it by a consumer that stops', async () => {
    const batches = batchesOf({ nextOf: undefined, batchesMax: 1, keepsOrder: true });
    await add(batches, 'a1', 'b1');
    await add(batches, 'a2');
    await end(0, 'failed');
    while (begun().length < 2) await wait(1);
    await add(batches, 'b2');
    expect([begun(), givenBack]).toEqual([
      [
        ['a1', 'b1'],
        ['a1', 'b1', 'a2'],
      ],
      [],
    ]);
    await end(1, 'failed');
    batches.stop();
    await batches.allHandled();
    expect(givenBack).toEqual(['a1', 'b1', 'a2', 'b2'].map((name) => [name, 0]));
  });

  it('give back an event of which nothing is said', async () => {
    const batches = batchesOf();
    await add(batches, 'a1');
    handled[0]?.end.resolve([]);
    await batches.allHandled();
    expect(givenBack.map(([name]) => name)).toEqual(['a1']);
  });

  it('take all when none is chosen and nothing is under way', async () => {
    const batches = batchesOf({ nextOf: () => [] });
    await add(batches, 'a1', 'b1');
    expect(begun()).toEqual([['a1', 'b1']]);
    await end(0, 'kept');
    await batches.allHandled();
  });
});

describe('an event that is parked', () => {
  const PARK = { retryAfterMs: 1, parkMs: NEVER_MS };
  const together = { unhurried: undefined, nextOf: undefined, batchesMax: 1 } as Partial<PullConsumerOptions>;

  async function ends(batch: number, ...dispositions: Disposition[]): Promise<void> {
    handled[batch]?.end.resolve(dispositions);
    await settled();
  }

  it('holds up no pull, and is handed over again, in order, when one of its aggregate is acknowledged', async () => {
    const batches = batchesOf(together);
    await add(batches, 'a4', 'a3', 'b7');
    await ends(0, PARK, PARK, PARK);
    await batches.allHandled();
    await add(batches, 'a2', 'c1');
    await ends(1, ACK, ACK);
    expect([begun(), givenBack]).toEqual([
      [
        ['a4', 'a3', 'b7'],
        ['a2', 'c1'],
        ['a3', 'a4'],
      ],
      [],
    ]);
    await ends(2, ACK, ACK);
    await batches.allHandled();
    batches.stop();
    expect(givenBack).toEqual([['b7', 0]]);
  });

  it('is handed over again with the others of its aggregate when it has waited for long', async () => {
    const batches = batchesOf(together);
    await add(batches, 'a4', 'a3', 'b7');
    await ends(0, { ...PARK, parkMs: 5 }, PARK, PARK);
    while (begun().length < 2) await wait(1);
    expect(begun().slice(1)).toEqual([['a3', 'a4']]);
    await ends(1, ACK, ACK);
    await batches.allHandled();
    batches.stop();
    expect(givenBack).toEqual([['b7', 0]]);
  });

  it('is given back where the consumer stops, or more wait than are kept', async () => {
    const batches = batchesOf({ ...together, batchMax: 2_000 });
    const names = Array.from({ length: 1_001 }, (_, n) => `a${n}`);
    await add(batches, ...names);
    await ends(0, ...names.map(() => PARK));
    expect(givenBack).toEqual([['a1000', 1]]);
    batches.stop();
    expect(givenBack).toHaveLength(1_001);
    await add(batches, 'a1');
    await ends(1, PARK);
    expect(givenBack).toHaveLength(1_002);
    await batches.allHandled();
  });

  it('that is delivered again takes its own place', async () => {
    const batches = batchesOf(together);
    await add(batches, 'a3');
    await ends(0, PARK);
    await add(batches, 'a3');
    await ends(1, PARK);
    batches.stop();
    expect(givenBack).toEqual([['a3', 0]]);
  });
});
