import type { UpstreamMessageItem, UpstreamStatusItem } from '@switchboard/contracts/gateway/events';
import type { NewEvent } from '@switchboard/outbox';
import { changeEvent, EVENT_BYTES_MAX, messageEvent, statusEvent } from './callback-event.policy.js';

type Json = Readonly<Record<string, unknown>>;

/** What a callback was split into. */
export interface SplitCallback {
  readonly events: readonly NewEvent<unknown>[];
  /** Items that were kept as changes because their shape, or their size, is not what was agreed. */
  readonly oddItems: number;
}

/** Parts of a `messages` change that become events of their own, or belong to one. */
const SPLIT_PARTS: ReadonlySet<string> = new Set(['messaging_product', 'metadata', 'contacts', 'statuses', 'messages']);

/**
 * Splits a callback into one event per item. Whatever its shape, nothing of it is lost: what is no status and no message
 * becomes a change, and never takes its neighbours along.
 *
 * @param bytes of the callback: a small one cannot hold an item that is too large
 * Source: provider's "Webhooks": every level is an array whose items are processed one by one.
 */
export function splitCallback(callback: Json, bytes: number, now: Date): SplitCallback {
  const events: NewEvent<unknown>[] = [];
  let oddItems = 0;
  const keep = (account: string, field: string, event: NewEvent<unknown>): void => {
    const size = bytes > EVENT_BYTES_MAX ? Buffer.byteLength(JSON.stringify(event.data)) : 0;
    if (size <= EVENT_BYTES_MAX) return void events.push(event);
    oddItems++;
    events.push(changeEvent(account, field, { summarised: true, subject: event.event.subject, bytes: size }, now));
  };
  const keepOdd = (account: string, field: string, value: unknown): void => {
    oddItems++;
    keep(account, field, changeEvent(account, field, value, now));
  };

  for (const entry of listOf(callback.entry)) {
    const account = isObject(entry) && typeof entry.id === 'string' ? entry.id : '';
    const changes = isObject(entry) ? listOf(entry.changes) : [];
    if (changes.length === 0) keepOdd(account, 'entry', entry);
    for (const change of changes) {
      const field = isObject(change) && typeof change.field === 'string' ? change.field.slice(0, 200) : '';
      const value = isObject(change) ? change.value : change;
      const phoneNumberId = isObject(value) && isObject(value.metadata) ? value.metadata.phone_number_id : undefined;
      if (field !== 'messages' || !isObject(value) || typeof phoneNumberId !== 'string') {
        keep(account, field, changeEvent(account, field, value ?? null, now));
        continue;
      }
      for (const item of listOf(value.statuses)) {
        if (isStatus(item)) keep(account, field, statusEvent(phoneNumberId, item, now));
        else keepOdd(account, field, { metadata: value.metadata, statuses: [item] });
      }
      for (const item of listOf(value.messages)) {
        const message = messageOf(item, listOf(value.contacts));
        if (message) keep(account, field, messageEvent(phoneNumberId, message, now));
        else keepOdd(account, field, { metadata: value.metadata, messages: [item] });
      }
      const rest = Object.entries(value).filter(([name, part]) => !SPLIT_PARTS.has(name) || isUnreadList(name, part));
      if (rest.length > 0) {
        const kept = { ...Object.fromEntries(rest), metadata: value.metadata };
        keep(account, field, changeEvent(account, field, kept, now));
      }
    }
  }
  if (events.length === 0) keepOdd('', 'callback', callback);
  return { events, oddItems };
}

function isStatus(item: unknown): item is UpstreamStatusItem {
  return (
    isObject(item) &&
    typeof item.id === 'string' &&
    typeof item.status === 'string' &&
    typeof item.timestamp === 'string'
  );
}

/** A message with its sender's profile; a sender may be known by the upstream's user id alone, then `from` is empty. */
function messageOf(item: unknown, contacts: readonly unknown[]): UpstreamMessageItem | null {
  if (!isObject(item)) return null;
  const { id, from = '', timestamp, type } = item;
  if (![id, from, timestamp, type].every((part) => typeof part === 'string')) return null;
  const own = contacts.find((contact) => isObject(contact) && contact.wa_id === from);
  const profile = isObject(own) && isObject(own.profile) ? own.profile : {};
  const message = { ...item, from } as UpstreamMessageItem['message'];
  return { message, profileName: typeof profile.name === 'string' ? profile.name : null };
}

/** A part that should have been a list and is something else: it was not split, so it is kept whole. */
function isUnreadList(name: string, part: unknown): boolean {
  return (name === 'statuses' || name === 'messages') && !Array.isArray(part);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
