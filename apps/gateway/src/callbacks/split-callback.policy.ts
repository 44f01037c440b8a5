import { isUpstreamId } from '@switchboard/contracts/grammar/upstream-id';
import type { NewEvent } from '@switchboard/outbox';
import { changeEvent, messageEvent, preferenceEvent, statusEvent } from './callback-event.policy.js';
import { EventSink, type SplitCallback } from './event-sink.js';
import {
  isObject,
  KnownContacts,
  lineOf,
  listOf,
  messageOf,
  preferenceOf,
  statusOf,
  textOf,
  type Json,
} from './callback-items.policy.js';

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
const ACCOUNT_MAX = 300;
/** A time of the provider's has 10 digits. */
const TIME_MAX = 20;

/**
 * Splits a callback into one event per item. Whatever its shape, nothing of it goes unseen: what is no status, no message and
 * no preference becomes a change, and never takes its neighbours along. Of what belongs to many items each gets the part that
 * it needs, and what is past the bounds of `EventSink` is one change together: a callback makes no more than it brings.
 *
 * @param bytes of the callback: a small one cannot hold an item that is too large
 * Source: provider's "Webhooks": every level is an array whose items are processed one by one.
 */
export function splitCallback(callback: Json, bytes: number, now: Date): SplitCallback {
  const sink = new EventSink(bytes, now);
  for (const entry of listOf(callback.entry)) {
    // Both go into every event of the entry.
    const account = isObject(entry) ? textOf(entry.id).slice(0, ACCOUNT_MAX) : '';
    const origin = {
      businessAccountId: account,
      timestamp: isObject(entry) ? textOf(entry.time).slice(0, TIME_MAX) : '',
    };
    const changes = isObject(entry) ? listOf(entry.changes) : [];
    if (changes.length === 0) sink.keepOdd(account, 'entry', entry);
    for (const change of changes) splitChange(change, origin, now, sink);
  }
  if (sink.events.length === 0) sink.keepOdd('', 'callback', callback);
  sink.keepRest();
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
  const named = isObject(value.metadata) ? value.metadata.phone_number_id : undefined;
  const phoneNumberId = isUpstreamId(named) ? named : null;
  const metadata = lineOf(value.metadata);
  const contacts = new KnownContacts(listOf(value.contacts));
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

/** A part that should have been a list and is something else: it was not split, so it is kept whole. */
function isUnreadList(name: string, part: unknown): boolean {
  return ['statuses', 'messages', 'user_preferences'].includes(name) && !Array.isArray(part);
}
