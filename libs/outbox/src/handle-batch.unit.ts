import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { DeliveredEvent } from '@switchboard/nats';
import { eventOf, LockedLinesWorld } from '../test/locked-lines-world.js';

const AGAIN = { retryAfterMs: expect.any(Number) };
const DONE = { ack: true };
const isLocked = ({ envelope }: DeliveredEvent): boolean => envelope.organizationId?.startsWith('locked') ?? false;
/** Two that are locked are found, and `free` passes. */
const inTrouble = async (world: LockedLinesWorld): Promise<void> => {
  await world.handle(...['locked 1', 'locked 2', 'free'].map((line) => eventOf(line)));
  world.runs.length = 0;
};
type Arrival = readonly [number, DeliveredEvent];
const waitsOf = (taken: ReadonlyMap<string, number>, events: readonly Arrival[]): number[] =>
  events.map(([atMs, { envelope }]) => (taken.get(envelope.id) ?? Infinity) - atMs);

afterEach(() => void jest.restoreAllMocks());

describe('a batch of events next to rows that are locked for long', () => {
  it('buries an event that always times out, though others of its line are right behind it', async () => {
    const world = new LockedLinesWorld(({ envelope }) => (envelope.id === 'poison' ? Infinity : 0));
    for (let round = 0; round <= 8 && world.dead.length === 0; round++) {
      const batch = [eventOf('line', 'poison'), eventOf('line'), eventOf('free')];
      expect((await world.handle(...batch)).slice(1)).toEqual([DONE, DONE]);
      world.nowMs += 60_000;
    }
    expect(world.dead).toEqual(['poison']);
  });

  it('keeps a line apart of which a duplicate alone has passed', async () => {
    const world = new LockedLinesWorld((event) => (isLocked(event) ? Infinity : 0));
    await world.handle(eventOf('locked'), eventOf('free'));
    world.nowMs += 60_000;
    world.inbox.add('duplicate');
    expect(await world.handle(eventOf('locked', 'duplicate'))).toEqual([DONE]);
    world.runs.length = 0;
    await world.handle(eventOf('locked'), eventOf('free'));
    expect(world.runs).toEqual([['free'], ['locked']]);
  });

  it('leaves the one line alone for which something is away, and throws when it is away for all', async () => {
    const world = new LockedLinesWorld((event) => (isLocked(event) ? Infinity : 0));
    await inTrouble(world);
    const away = new Set(['away']);
    const unavailable = Object.assign(new Error('too many connections'), { code: '53300', severity: 'FATAL' });
    world.handler.prepare = async (events) => {
      if (events.some(({ envelope }) => away.has(envelope.organizationId ?? ''))) throw unavailable;
    };
    expect(await world.handle(eventOf('away'), eventOf('new'))).toEqual([AGAIN, DONE]);
    expect(world.away).toEqual([['away', unavailable]]);
    world.runs.length = 0;
    // And for a while.
    away.clear();
    expect(await world.handle(eventOf('away'), eventOf('new'))).toEqual([AGAIN, DONE]);
    ['other', 'another'].forEach((line) => away.add(line));
    await expect(world.handle(eventOf('other'), eventOf('another'))).rejects.toThrow('too many connections');
  });
});

describe('batches of events while the rows of many are locked', () => {
  it('try one of them each, once, the one whose pause was over first', async () => {
    const world = new LockedLinesWorld((event) => (isLocked(event) ? Infinity : 0));
    jest.spyOn(Math, 'random').mockReturnValue(0.5);
    await inTrouble(world);
    const batch = (): DeliveredEvent[] => ['locked 3', 'locked 3', 'locked 4', 'free'].map((line) => eventOf(line));
    const atMs = world.nowMs;
    await world.handle(...batch());
    expect(world.runs).toEqual([['free'], ['locked 3']]);
    // Given up early, and not looked for by halves.
    expect(world.nowMs - atMs).toBeLessThan(150);
    await world.handle(...batch());
    expect(world.runs.slice(2)).toEqual([['free'], ['locked 4']]);
    world.nowMs += 4_000;
    world.runs.length = 0;
    await world.handle(...batch());
    expect(world.runs).toEqual([['free'], ['locked 3']]);
  });

  /** Events of so many lines, each line one in so many milliseconds, for as long. */
  const every = (name: string, lines: number, eachMs: number, forMs: number): Arrival[] =>
    Array.from({ length: (forMs / eachMs) * lines }, (_, index) => [
      (index * eachMs) / lines,
      eventOf(`${name} ${index % lines}`),
    ]);

  it.each([20_000, 120_000])('have others wait for short once the many are found, for %d ms', async (lockedMs) => {
    const world = new LockedLinesWorld((event, sinceMs) => (isLocked(event) && sinceMs < lockedMs ? Infinity : 0));
    const [locked, free] = [every('locked', 50, 4_000, lockedMs), every('free', 150, 4_000, lockedMs)];
    const taken = await world.deliver([...locked, ...free], lockedMs + 100_000);
    const late = free.filter(([atMs]) => atMs > 10_000);
    const waits = waitsOf(taken, late).toSorted((a, b) => a - b);
    expect(waits.at(Math.floor(waits.length / 2))).toBeLessThan(300);
    expect(waits.at(Math.floor(waits.length * 0.95))).toBeLessThan(1_000);
    expect([taken.size, world.dead]).toEqual([locked.length + free.length, []]);
  });

  it('take what is free of each of them, of which one conversation is locked', async () => {
    const lockedMs = 120_000;
    const isHeld = ({ envelope }: DeliveredEvent): boolean => envelope.aggregateId === 'held';
    const world = new LockedLinesWorld((event, sinceMs) => (isHeld(event) && sinceMs < lockedMs ? Infinity : 0));
    const events = every('locked', 50, 2_000, lockedMs).map(([atMs, event], index): Arrival => {
      const aggregateId = index % 500 < 50 ? 'held' : `free ${index % 500}`;
      return [atMs, { ...event, envelope: { ...event.envelope, aggregateId } }];
    });
    const taken = await world.deliver(events, lockedMs);
    const free = events.filter(([, event]) => !isHeld(event));
    const missing = free.filter(([, { envelope }]) => !taken.has(envelope.id));
    expect(missing.length / free.length).toBeLessThan(0.5);
  });

  it('end although each lock takes 200 ms by then, which is no failure', async () => {
    // Everything stood still for 3 s, and is slow from then on.
    const world = new LockedLinesWorld((_event, sinceMs) => (sinceMs < 3_000 ? Infinity : 200));
    const events = Array.from({ length: 600 }, (_, index) => [index * 200, eventOf(`line ${index % 60}`)] as const);
    const taken = await world.deliver(events, 240_000);
    const late = events.filter(([atMs]) => atMs > 60_000);
    expect(Math.max(...waitsOf(taken, late))).toBeLessThan(10_000);
    expect([world.failures.size, taken.size]).toEqual([0, events.length]);
  });

  it('bury in the end what always times out, be it of fifty', async () => {
    const world = new LockedLinesWorld((event) => (isLocked(event) ? Infinity : 0));
    const locked = Array.from({ length: 50 }, (_, index) => [index * 10, eventOf(`locked ${index}`)] as const);
    const free = Array.from({ length: 3_600 }, (_, index) => [index * 2_000, eventOf(`free ${index % 20}`)] as const);
    await world.deliver([...locked, ...free], 7_200_000);
    expect(world.dead).toHaveLength(50);
  });
});
