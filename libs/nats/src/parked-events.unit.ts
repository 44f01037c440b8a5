import { expect, it, jest } from '@jest/globals';
import type { JsMsg } from '@nats-io/jetstream';
import type { DeliveredEvent, Pulled } from './delivered-event.js';
import { ParkedEvents } from './parked-events.js';

const MIB = 1024 * 1024;

function pulled(id: string, bytes: number): Pulled {
  const envelope = { id, aggregateId: id[0], sequence: Number(id.slice(1)) };
  const message = { data: { length: bytes } };
  return { message: message as unknown as JsMsg, event: { envelope } as DeliveredEvent };
}

it('events that are parked have 4 MiB at most, which are free again for others when they are taken out', () => {
  jest.useFakeTimers();
  const parked = new ParkedEvents(() => undefined);
  for (let round = 0; round < 3; round++) {
    parked.put(pulled('a1', 3 * MIB), 60_000);
    expect([MIB, MIB + 1].map((bytes) => parked.hasRoom(pulled('b1', bytes)))).toEqual([true, false]);
    // Delivered again it takes the place of its former delivery.
    parked.put(pulled('a1', 3 * MIB), 60_000);
    parked.put(pulled('b1', MIB), 60_000);
    expect(parked.hasRoom(pulled('c1', 1))).toBe(false);
    expect(parked.take(new Set(['a']))).toHaveLength(1);
    expect(parked.takeAll()).toHaveLength(1);
  }
});
