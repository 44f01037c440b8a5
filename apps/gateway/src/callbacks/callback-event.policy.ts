import {
  callbackChange,
  callbackMessage,
  callbackPreference,
  callbackStatus,
  type CallbackPreference,
  type UpstreamMessageItem,
  type UpstreamStatusItem,
} from '@switchboard/contracts/gateway/events';
import type { NewEvent } from '@switchboard/outbox';

/** NATS takes messages of 1 MiB at most; the envelope and its headers need their share. */
export const EVENT_BYTES_MAX = 900_000;
/** An id longer than this is no id of the provider's; an index entry has its limits as well. */
const AGGREGATE_ID_MAX = 300;
/** The provider's clock may be so far ahead of ours. */
const CLOCKS_APART_MAX_MS = 5 * 60_000;

/** One `statuses[]` item as an event. */
export function statusEvent(phoneNumberId: string, item: UpstreamStatusItem, now: Date): NewEvent<unknown> {
  return { ...eventOf(item.id, occurredAt(item.timestamp, now)), event: callbackStatus, data: { phoneNumberId, item } };
}

/** One `messages[]` item, with the profile of its sender, as an event. */
export function messageEvent(phoneNumberId: string, item: UpstreamMessageItem, now: Date): NewEvent<unknown> {
  const aggregateId = `${phoneNumberId}:${item.message.from || (item.userId ?? '')}`;
  const when = occurredAt(item.message.timestamp, now);
  return { ...eventOf(aggregateId, when), event: callbackMessage, data: { phoneNumberId, item } };
}

/** One `user_preferences[]` item as an event. */
export function preferenceEvent(preference: CallbackPreference, now: Date): NewEvent<unknown> {
  const { phoneNumberId, businessAccountId, item } = preference;
  const aggregateId = `${phoneNumberId ?? businessAccountId}:${item.wa_id ?? item.user_id ?? ''}`;
  return { ...eventOf(aggregateId, occurredAt(item.timestamp, now)), event: callbackPreference, data: preference };
}

/** Anything else as an event. @param value as it came @param timestamp of its entry, Unix seconds */
export function changeEvent(
  { businessAccountId, timestamp }: { readonly businessAccountId: string; readonly timestamp: string },
  field: string,
  value: unknown,
  now: Date,
): NewEvent<unknown> {
  const when = occurredAt(timestamp, now);
  return { ...eventOf(businessAccountId, when), event: callbackChange, data: { businessAccountId, field, value } };
}

/** What should have been another event, and is none. @param value as it came; of what no event can hold, a summary */
export function oddEvent(businessAccountId: string, field: string, value: unknown, now: Date): NewEvent<unknown> {
  const data = { businessAccountId, field, value, isOdd: true };
  return { ...eventOf(businessAccountId, now), event: callbackChange, data };
}

function eventOf(
  aggregateId: string,
  when: Date,
): Pick<NewEvent<unknown>, 'organizationId' | 'aggregateId' | 'sequence' | 'occurredAt'> {
  // The database takes neither NUL nor endless keys; what is cut off only makes two aggregates one.
  const clean = aggregateId.replaceAll('\u0000', '').slice(0, AGGREGATE_ID_MAX);
  return { organizationId: null, aggregateId: clean, sequence: null, occurredAt: when };
}

/**
 * @param timestamp text of Unix seconds; what is none, or lies in the future, reads as now: of what a person says the
 * last holds, and one that seems to have been said next year would hold until then
 */
function occurredAt(timestamp: string, now: Date): Date {
  const reportedMs = /^\d{9,10}$/.test(timestamp) ? Number(timestamp) * 1_000 : Number.NaN;
  return reportedMs <= now.getTime() + CLOCKS_APART_MAX_MS ? new Date(reportedMs) : now;
}
