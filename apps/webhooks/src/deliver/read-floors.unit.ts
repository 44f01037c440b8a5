import { describe, expect, it } from '@jest/globals';
import type { MarkedAttempt, PendingDeliveries, PendingDelivery } from '../delivery/delivery.entity.js';
import { floorOf, ReadFloors } from './read-floors.js';

const NOTHING: PendingDeliveries = { firsts: [], retries: [], marked: [], moreFirsts: false, moreRetries: false };
const ALL = { firsts: 0, replays: 0, retries: -Infinity, marked: -Infinity };

function delivery(more: Partial<PendingDelivery>): PendingDelivery {
  const of = { webhookId: 'w', organizationId: 'o', eventId: 'e', type: 'message.received', line: '' } as const;
  return { ...of, id: 'd', position: 1, bodyBytes: 1, kind: 'AUTOMATIC', attempts: 0, tries: 0, dueAtMs: 0, ...more };
}

/** After a reading, one second after the process began. */
function floorsBehind(read: Partial<PendingDeliveries>): ReadFloors {
  const floors = new ReadFloors();
  floors.begin(1_000);
  floors.end({ ...NOTHING, ...read });
  return floors;
}

describe('where what is pending is read from', () => {
  it('is the beginning at first and once a minute, and else what the last reading found first', () => {
    const marked: MarkedAttempt = { delivery: delivery({}), id: 'a', beganAtMs: 1, leaseUntilMs: 70 };
    const firsts = [delivery({ position: 5 }), delivery({ position: 9 }), delivery({ position: 2, kind: 'REPLAY' })];
    expect(new ReadFloors().current).toEqual(ALL);
    const floors = floorsBehind({ firsts, retries: [delivery({ tries: 1, dueAtMs: 40 })], marked: [marked] });
    floors.begin(60_999);
    expect(floors.current).toEqual({ firsts: 5, replays: 2, retries: 40, marked: 70 });
    floors.begin(61_000);
    expect(floors.current).toEqual(ALL);
  });

  it('is above all new events that were seen, where none is pending', () => {
    const floors = floorsBehind({ firsts: [delivery({ position: 9 }), delivery({ position: 99, kind: 'REPLAY' })] });
    floors.end(NOTHING);
    expect(floors.current.firsts).toBe(10);
  });

  it('is no new event that was seen before a doubt: of a database that was restored, positions are lower', () => {
    const floors = floorsBehind({ firsts: [delivery({ position: 1_000 })] });
    floors.forget();
    floors.begin(2_000);
    floors.end({ ...NOTHING, firsts: [delivery({ position: 900 })] });
    floors.begin(3_000);
    floors.end(NOTHING);
    expect(floors.current.firsts).toBe(901);
  });

  it('stays for replays where a reading was full before it came to them', () => {
    const floors = floorsBehind({ firsts: [delivery({ position: 3, kind: 'REPLAY' })] });
    floors.end({ ...NOTHING, firsts: [delivery({ position: 9 })], moreFirsts: true });
    expect(floors.current).toMatchObject({ firsts: 9, replays: 3 });
  });

  it('is as low as what becomes pending again, also while it is read', () => {
    const floors = floorsBehind({ firsts: [delivery({ position: 9 })] });
    floors.lower(floorOf(delivery({ position: 4, kind: 'MANUAL' })));
    expect(floors.current.firsts).toBe(4);
    floors.begin(2_000);
    floors.lower(floorOf(delivery({ position: 3, kind: 'REPLAY' })));
    floors.lower(floorOf(delivery({ position: 1, tries: 2, dueAtMs: 50 })));
    floors.end(NOTHING);
    expect(floors.current).toMatchObject({ firsts: 10, replays: 3, retries: 50 });
    floors.begin(3_000);
    floors.forget();
    floors.end(NOTHING);
    expect(floors.current).toEqual(ALL);
  });
});
