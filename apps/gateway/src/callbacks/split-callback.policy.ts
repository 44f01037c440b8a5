import type { NewEvent } from '@switchboard/outbox';
import {
  changeEvent,
  EVENT_BYTES_MAX,
  messageEvent,
  oddEvent,
  preferenceEvent,
  statusEvent,
} from './callback-event.policy.js';
import {
  isObject,
  isUpstreamId,
  listOf,
  messageOf,
  preferenceOf,
  statusOf,
  textOf,
  type Json,
} from './callback-items.policy.js';

/** What a callback was split into. */
export interface SplitCallback {
  readonly events: readonly NewEvent<unknown>[];
  /** Items that were kept as changes because their shape, or their size, is not what was agreed. */
  readonly oddItems: number;
}

/** Which account a change is of, and when the provider says it was: Unix seconds, or nothing. */
interface ChangeOrigin {
  readonly businessAccountId: string;
  readonly timestamp: string;
}

/** Parts of a change that become events of their own, or belong to one. */
const SPLIT_PARTS: ReadonlySet<string> = new Set([
  'messaging_product',
  'metadata',
  'contacts',
  'statuses',
  'messages',
  'user_preferences',
]);
const FIELD_MAX = 200;
/** The provider's items are 6 deep. Writing JSON of some thousands overflows the stack, in each who would write it. */
const DEPTH_MAX = 100;
/** A callback of so few bytes is not so deep that it matters. */
const SHALLOW_BYTES_MAX = 2_000;

/**
 * Splits a callback into one event per item. Whatever its shape, nothing of it is lost: what is no status, no message and
 * no preference becomes a change, and never takes its neighbours along.
 *
 * @param bytes of the callback: a small one cannot hold an item that is too large
 * Source: provider's "Webhooks": every level is an array whose items are processed one by one.
 */
export function splitCallback(callback: Json, bytes: number, now: Date): SplitCallback {
  const sink = new EventSink(bytes, now);
  for (const entry of listOf(callback.entry)) {
    const account = isObject(entry) ? textOf(entry.id) : '';
    const origin = { businessAccountId: account, timestamp: isObject(entry) ? textOf(entry.time) : '' };
    const changes = isObject(entry) ? listOf(entry.changes) : [];
    if (changes.length === 0) sink.keepOdd(account, 'entry', entry);
    for (const change of changes) splitChange(change, origin, now, sink);
  }
  if (sink.events.length === 0) sink.keepOdd('', 'callback', callback);
  return sink;
}

function splitChange(change: unknown, origin: ChangeOrigin, now: Date, sink: EventSink): void {
  const account = origin.businessAccountId;
  const field = isObject(change) && typeof change.field === 'string' ? change.field.slice(0, FIELD_MAX) : '';
  const value = isObject(change) ? (change.value ?? null) : change;
  if (field !== 'messages' && field !== 'user_preferences') {
    return sink.keep(account, field, changeEvent(origin, field, value, now));
  }
  if (!isObject(value)) return sink.keepOdd(account, field, value);
  const { metadata } = value;
  const named = isObject(metadata) ? metadata.phone_number_id : undefined;
  const phoneNumberId = isUpstreamId(named) ? named : null;
  const contacts = listOf(value.contacts);
  const one = (event: NewEvent<unknown> | null, list: string, item: unknown): void =>
    event ? sink.keep(account, field, event) : sink.keepOdd(account, field, { metadata, [list]: [item] });

  for (const item of listOf(value.statuses)) {
    const status = statusOf(item);
    one(status && phoneNumberId !== null ? statusEvent(phoneNumberId, status, now) : null, 'statuses', item);
  }
  for (const item of listOf(value.messages)) {
    const message = messageOf(item, contacts);
    one(message && phoneNumberId !== null ? messageEvent(phoneNumberId, message, now) : null, 'messages', item);
  }
  for (const item of listOf(value.user_preferences)) {
    const preference = preferenceOf(item, contacts);
    const about = { businessAccountId: account, phoneNumberId };
    one(preference && preferenceEvent({ ...about, ...preference }, now), 'user_preferences', item);
  }
  const rest = Object.entries(value).filter(([name, part]) => !SPLIT_PARTS.has(name) || isUnreadList(name, part));
  if (rest.length === 0) return;
  const kept = { ...Object.fromEntries(rest), metadata };
  if (rest.some(([name]) => SPLIT_PARTS.has(name))) sink.keepOdd(account, field, kept);
  else sink.keep(account, field, changeEvent(origin, field, kept, now));
}

/** Gathers the events of one callback; what no event can hold is summarised. */
class EventSink implements SplitCallback {
  readonly events: NewEvent<unknown>[] = [];
  oddItems = 0;

  constructor(
    /** Of the whole callback. */
    private readonly bytes: number,
    private readonly now: Date,
  ) {}

  keep(account: string, field: string, event: NewEvent<unknown>): void {
    if (!this.push(account, field, event)) this.oddItems++;
  }

  keepOdd(account: string, field: string, value: unknown): void {
    this.oddItems++;
    this.push(account, field, oddEvent(account, field, value ?? null, this.now));
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

/** A part that should have been a list and is something else: it was not split, so it is kept whole. */
function isUnreadList(name: string, part: unknown): boolean {
  return ['statuses', 'messages', 'user_preferences'].includes(name) && !Array.isArray(part);
}
