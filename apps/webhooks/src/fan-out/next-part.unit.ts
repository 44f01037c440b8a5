import { expect, test } from '@jest/globals';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { nextPart } from './next-part.policy.js';

interface Event {
  readonly envelope: EventEnvelope;
}
const eventsOf = (organizationId: string, count: number): Event[] =>
  Array.from({ length: count }, (_, n) => ({
    envelope: { organizationId, id: `${organizationId}-${n}` } as EventEnvelope,
  }));
const deliveries = ({ organizationId }: EventEnvelope): number => (organizationId?.startsWith('loud') ? 20 : 1);
const idsOf = (events: readonly Event[]): string[] => events.map(({ envelope }) => envelope.id);

test('the organization with the fewest deliveries comes first, and no part has more than it may', () => {
  const events = [...eventsOf('loud-a', 3), ...eventsOf('loud-b', 2), ...eventsOf('quiet', 2)];
  expect(idsOf(nextPart(events, deliveries, { max: 60 }))).toEqual(['quiet-0', 'quiet-1', 'loud-b-0', 'loud-b-1']);
});

test('part by part all are taken, those of an organization in their order', () => {
  const events = Array.from({ length: 40 }, (_, n) => [
    ...eventsOf(`loud-${n % 3}`, 1),
    ...eventsOf('quiet', 1),
  ]).flat();
  const taken: Event[] = [];
  for (let waiting: readonly Event[] = events; waiting.length > 0;) {
    const part = nextPart(waiting, deliveries);
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
  expect(idsOf(nextPart(eventsOf('loud', 2), deliveries, { aloneMax: 5 }))).toEqual(['loud-0']);
});

test('many events that no webhook takes share a transaction', () => {
  expect(nextPart(eventsOf('none', 200), () => 0)).toHaveLength(200);
});

test('an organization that alone has events shares larger ones', () => {
  expect(nextPart(eventsOf('loud', 30), deliveries)).toHaveLength(10);
  expect(nextPart([...eventsOf('loud', 30), ...eventsOf('quiet', 1)], deliveries)).toHaveLength(2);
});
