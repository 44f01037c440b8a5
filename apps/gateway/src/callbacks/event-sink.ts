import type { NewEvent } from '@switchboard/outbox';
import { EVENT_BYTES_MAX, oddEvent } from './callback-event.policy.js';

/** What a callback was split into. */
export interface SplitCallback {
  readonly events: readonly NewEvent<unknown>[];
  /** Items that were kept as changes because their shape, or their size, is not what was agreed. */
  readonly oddItems: number;
}

/** The provider's items are 6 deep. Writing JSON of some thousands overflows the stack, in each who would write it. */
const DEPTH_MAX = 100;
/** A callback of so few bytes is not so deep that it matters. */
const SHALLOW_BYTES_MAX = 2_000;
const FIELD_MAX = 200;
/**
 * Events of one callback at most, the last one excepted. The provider speaks of 1,000 items in one, and of 3 MB: these hold fewer of
 * its shortest statuses. What is past the bound is answered 200 all the same, and lost.
 */
const EVENTS_MAX = 25_000;
/** Of these, changes that become dead letters; and bytes of what is kept of the rest. */
const ODD_EVENTS_MAX = 20;
const REST_BYTES_MAX = 100_000;

/**
 * Gathers the events of one callback. What no event can hold is summarised, and what is past the bounds becomes one event at
 * the end, which says how much it was and holds its beginning.
 */
export class EventSink implements SplitCallback {
  readonly events: NewEvent<unknown>[] = [];
  oddItems = 0;
  private oddEvents = 0;
  private readonly rest: { items: number; bytes: number; readonly first: unknown[] } = {
    items: 0,
    bytes: 0,
    first: [],
  };

  constructor(
    /** Of the whole callback. */
    private readonly bytes: number,
    private readonly now: Date,
  ) {}

  keep(account: string, field: string, event: NewEvent<unknown>): void {
    if (this.events.length >= EVENTS_MAX) return this.leave(event.data);
    if (!this.push(account, field, event)) this.oddItems++;
  }

  keepOdd(account: string, field: string, value: unknown): void {
    if (this.oddEvents >= ODD_EVENTS_MAX || this.events.length >= EVENTS_MAX) return this.leave(value ?? null);
    this.oddItems++;
    this.oddEvents++;
    this.push(account, field, oddEvent(account, field, value ?? null, this.now));
  }

  /** Keeps what was past the bounds, if anything was, as one change. */
  keepRest(): void {
    const { items, first } = this.rest;
    if (items === 0) return;
    this.oddItems += items;
    const value = { summarised: true, items, first };
    this.events.push(oddEvent('', 'callback', value, this.now));
  }

  private leave(value: unknown): void {
    this.rest.items++;
    if (this.rest.bytes >= REST_BYTES_MAX || isDeeperThan(DEPTH_MAX, value)) return;
    this.rest.bytes += JSON.stringify(value).length;
    if (this.rest.bytes <= REST_BYTES_MAX) this.rest.first.push(value);
  }

  /** @returns false when a summary was kept instead */
  private push(account: string, field: string, event: NewEvent<unknown>): boolean {
    const isTooDeep = this.bytes > SHALLOW_BYTES_MAX && isDeeperThan(DEPTH_MAX, event.data);
    const size = !isTooDeep && this.bytes > EVENT_BYTES_MAX ? Buffer.byteLength(JSON.stringify(event.data)) : 0;
    const isKept = !isTooDeep && size <= EVENT_BYTES_MAX;
    const why = isTooDeep ? { isTooDeep } : { bytes: size };
    const summary = { summarised: true, subject: event.event.subject, ...why };
    this.events.push(isKept ? event : oddEvent(account.slice(0, FIELD_MAX), field, summary, this.now));
    return isKept;
  }
}

/** Level by level, because going down by calls is what would overflow. */
function isDeeperThan(levels: number, value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth <= levels; depth++) {
    level = level.flatMap((part) => (typeof part === 'object' && part !== null ? Object.values(part) : []));
    if (level.length === 0) return false;
  }
  return true;
}
