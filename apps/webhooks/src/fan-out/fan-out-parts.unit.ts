import { expect, test } from '@jest/globals';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { FanOutParts } from './fan-out-parts.js';

interface Event {
  readonly envelope: EventEnvelope;
}
const eventsOf = (organizationId: string, count: number): Event[] =>
  Array.from({ length: count }, (_, n) => ({
    envelope: { organizationId, id: `${organizationId}-${n}` } as EventEnvelope,
  }));
const partsOf = (countOf?: (envelope: EventEnvelope) => number): FanOutParts =>
  new FanOutParts(countOf ?? (({ organizationId }) => (organizationId?.startsWith('loud') ? 20 : 1)));
const idsOf = (events: readonly Event[]): string[] => events.map(({ envelope }) => envelope.id);

test('the organization with the fewest deliveries comes first, light ones before all others, and no part has more than it may', () => {
  const loud = [...eventsOf('loud-a', 3), ...eventsOf('loud-b', 2)];
  expect(idsOf(partsOf().next(loud, []))).toEqual(['loud-b-0', 'loud-b-1']);
  expect(idsOf(partsOf().next([...loud, ...eventsOf('quiet', 2)], []))).toEqual(['quiet-0', 'quiet-1']);
});

test('part by part all are taken, those of an organization in their order', () => {
  const parts = partsOf();
  const events = Array.from({ length: 40 }, (_, n) => [
    ...eventsOf(`loud-${n % 3}`, 1),
    ...eventsOf('quiet', 1),
  ]).flat();
  const taken: Event[] = [];
  for (let waiting: readonly Event[] = events; waiting.length > 0;) {
    const part = parts.next(waiting, []);
    taken.push(...part);
    waiting = waiting.filter((event) => !part.includes(event));
  }
  expect(taken).toHaveLength(events.length);
  for (const organizationId of ['loud-0', 'loud-1', 'loud-2', 'quiet']) {
    const own = (list: readonly Event[]): Event[] =>
      list.filter(({ envelope }) => envelope.organizationId === organizationId);
    expect(own(taken)).toEqual(own(events));
  }
});

test('an event with more deliveries than a part may have is one by itself', () => {
  expect(idsOf(partsOf(() => 300).next(eventsOf('loud', 2), []))).toEqual(['loud-0']);
});

test('many events that no webhook takes share a transaction', () => {
  expect(partsOf(() => 0).next(eventsOf('none', 200), [])).toHaveLength(200);
});

test('an organization that alone has events shares larger ones', () => {
  expect(partsOf().next(eventsOf('loud', 30), [])).toHaveLength(10);
  expect(partsOf().next([...eventsOf('loud', 30), ...eventsOf('loud-b', 30)], [])).toHaveLength(2);
});

test('a light organization does not wait for the transaction of another that is not, nor that one for it', () => {
  const parts = partsOf();
  const [quiet, loud] = [eventsOf('quiet', 2), eventsOf('loud-a', 1)];
  expect(parts.next([...loud, ...quiet], [])).toEqual(quiet);
  expect(parts.next(loud, quiet)).toEqual(loud);
  expect(parts.next(eventsOf('quiet-b', 1), loud)).toHaveLength(1);
});

test('there is one transaction of light organizations at a time, and one of others', () => {
  const parts = partsOf();
  const [quiet, loud] = [eventsOf('quiet-a', 1), eventsOf('loud-a', 1)].map((events) => parts.next(events, []));
  expect(parts.next(eventsOf('quiet-b', 1), quiet ?? [])).toEqual([]);
  expect(parts.next(eventsOf('loud-b', 1), loud ?? [])).toEqual([]);
});

test('an organization stays of the sort that it was chosen for until its transaction ends', () => {
  // Of both 40 deliveries are stored together: few of the second one.
  const parts = partsOf(() => 1);
  const heavy = parts.next([...eventsOf('a', 32), ...eventsOf('b', 60)], []);
  expect(heavy).toHaveLength(40);
  expect(parts.next(eventsOf('quiet', 1), heavy)).toHaveLength(1);
});

test('an organization waits for its own transaction, whatever it is now', () => {
  const parts = partsOf(({ id }) => (id === 'a-0' ? 20 : 1));
  const [first, ...next] = eventsOf('a', 3);
  expect(parts.next(next, first ? parts.next([first], []) : [])).toEqual([]);
});

test('events that have time go along with those of their sort that are due, after them, and begin no part', () => {
  const [idle, quiet, loud] = [eventsOf('idle', 2), eventsOf('quiet', 2), eventsOf('loud', 1)];
  const parts = partsOf(({ organizationId }) => ({ idle: 0, quiet: 1 })[organizationId ?? ''] ?? 20);
  const isDue = ({ envelope }: Event): boolean => envelope.organizationId !== 'idle';
  expect(parts.next([...idle, ...quiet, ...loud], [], isDue)).toEqual([...quiet, ...idle]);
  expect(parts.next([...idle, ...loud], [], isDue)).toEqual(loud);
  expect(parts.next(idle, [], isDue)).toEqual([]);
});

test('an organization with an event that is due goes whole, in its order', () => {
  const own = eventsOf('a', 3);
  expect(partsOf().next(own, [], (event) => event === own[2])).toEqual(own);
});

test('of what has time a few deliveries go along, so that what is due does not wait for their rows', () => {
  const [due, idle] = [eventsOf('due', 2), eventsOf('idle', 9)];
  const others = Array.from({ length: 5 }, (_, n) => eventsOf(`idle-${n}`, 3)).flat();
  const isDue = ({ envelope }: Event): boolean => envelope.organizationId === 'due';
  const part = partsOf().next([...idle, ...others, ...due], [], isDue);
  expect(part.slice(0, 2)).toEqual(due);
  expect(part).toHaveLength(12);
  expect(partsOf().next([...idle, ...others], [])).toHaveLength(24);
});
