import { describe, expect, it } from '@jest/globals';
import { SeededRandom } from '@switchboard/testing/seeded-random';
import type { MarkedAttempt, PendingDeliveries, PendingDelivery } from '../delivery/delivery.entity.js';
import { newLane } from '../lane/lane.policy.js';
import { OpenLane } from './open-lane.js';

const NOW_MS = 1_000_000;

/** A lane of which deliveries are stored, begin and end, read as the database would give them. */
class Deliveries {
  readonly lane = new OpenLane('webhook', 'organization');
  readonly begun: PendingDelivery[] = [];
  private stored: PendingDelivery[] = [];
  private marked: MarkedAttempt[] = [];
  private position = 0;
  private made = 0;

  constructor(private readonly random: SeededRandom) {
    this.lane.state = { ...newLane, windowMax: 4 };
  }

  get isEmpty(): boolean {
    return this.stored.length + this.marked.length === 0;
  }

  /** Those that wait while none of their conversation is under way. */
  get free(): readonly PendingDelivery[] {
    return this.stored.filter(
      (one) => one.line === '' || !this.marked.some(({ delivery }) => isOfOneLine(one, delivery)),
    );
  }

  event(line: string): void {
    this.store(line, ++this.position, 'AUTOMATIC');
    this.lane.woken();
  }

  replay(line: string): void {
    const position = this.random.integer(1, this.position + 1);
    this.store(line, position, 'REPLAY');
    this.lane.wokenBelow({ replays: position });
  }

  readAll(): void {
    for (let reading = 0; this.lane.mustRead(NOW_MS); reading++) {
      if (reading > 100) throw new Error('reads without an end');
      this.lane.beginReading();
      this.lane.refill(this.read());
    }
  }

  begin(): void {
    const delivery = this.lane.slots(NOW_MS) > 0 ? this.lane.next(NOW_MS) : null;
    if (!delivery) return;
    const attempt = { delivery, id: `a-${delivery.id}`, beganAtMs: NOW_MS, leaseUntilMs: NOW_MS + 15_000 };
    this.lane.begin(attempt);
    this.stored = this.stored.filter(({ id }) => id !== delivery.id);
    this.marked.push(attempt);
    this.begun.push(delivery);
  }

  end(): void {
    const [attempt] = this.marked.splice(this.random.integer(0, this.marked.length), 1);
    if (attempt) this.lane.ended(attempt.id, null);
  }

  private store(line: string, position: number, kind: 'AUTOMATIC' | 'REPLAY'): void {
    const of = {
      webhookId: 'webhook',
      organizationId: 'organization',
      eventId: 'event',
      type: 'message.received',
    } as const;
    const state = { bodyBytes: 1, attempts: 0, tries: 0, dueAtMs: 0 };
    this.stored.push({ ...of, ...state, id: `d-${++this.made}`, line, position, kind });
  }

  /** As `readPending`. */
  private read(): PendingDeliveries {
    const { floors, readMax, looks } = this.lane;
    const isReplay = ({ kind }: PendingDelivery): boolean => kind === 'REPLAY';
    const looked = this.stored
      .filter((one) => one.position >= (isReplay(one) ? floors.replays : floors.firsts))
      .sort((one, other) => Number(isReplay(one)) - Number(isReplay(other)) || one.position - other.position)
      .slice(0, looks.lookMax);
    const counts = new Map<string, number>();
    const given = looked.filter((one) => {
      const count = (counts.get(`${one.kind} ${one.line}`) ?? 0) + 1;
      counts.set(`${one.kind} ${one.line}`, count);
      return one.line === '' || count <= looks.ofLineMax;
    });
    const firsts = given.slice(0, readMax);
    const isCut = firsts.length === readMax;
    const upTo = isCut ? firsts : looked;
    const lastOf = (replays: boolean): number | null =>
      upTo.findLast((one) => isReplay(one) === replays)?.position ?? null;
    const lookedTo = { firsts: lastOf(false), replays: lastOf(true) };
    const moreFirsts = isCut || looked.length === looks.lookMax;
    return { firsts, lookedTo, retries: [], marked: this.marked, moreFirsts, moreRetries: false };
  }
}

function isOfOneLine(one: PendingDelivery, other: PendingDelivery): boolean {
  return one.line === other.line && one.kind === other.kind;
}

describe('first attempts, over any number of readings', () => {
  it.each([1, 2, 3, 4, 5, 6])('keep the order of each conversation, and hold up no other one: seed %i', (seed) => {
    const random = new SeededRandom(seed);
    const deliveries = new Deliveries(random);
    for (let event = 0; event < 600; event++) deliveries.event('long');
    for (let step = 0; step < 3_000; step++) {
      const line = random.chance(0.6) ? 'long' : random.chance(0.2) ? '' : `line-${random.integer(0, 6)}`;
      const act = random.next();
      if (act < 0.35) deliveries.event(line);
      else if (act < 0.37) deliveries.replay(line);
      else if (act < 0.7) deliveries.begin();
      else deliveries.end();
      deliveries.readAll();
      if (deliveries.lane.slots(NOW_MS) > 0 && deliveries.lane.next(NOW_MS) === null)
        expect(deliveries.free).toEqual([]);
    }
    for (let round = 0; !deliveries.isEmpty; round++) {
      if (round > 10_000) throw new Error('some are never begun');
      deliveries.begin();
      deliveries.end();
      deliveries.readAll();
    }
    for (const own of Map.groupBy(deliveries.begun, ({ kind, line }) => `${kind} ${line}`).values()) {
      const positions = own
        .filter(({ kind, line }) => kind === 'AUTOMATIC' && line !== '')
        .map(({ position }) => position);
      expect(positions).toEqual(positions.toSorted((one, other) => one - other));
    }
    expect(new Set(deliveries.begun.map(({ id }) => id)).size).toBe(deliveries.begun.length);
  });
});
