import {
  callbackChange,
  callbackMessage,
  callbackStatus,
  type UpstreamMessageItem,
  type UpstreamStatusItem,
} from '@switchboard/contracts/gateway/events';
import type { NewEvent } from '@switchboard/outbox';

/** NATS takes messages of 1 MiB at most; the envelope and its headers need their share. */
export const EVENT_BYTES_MAX = 900_000;
/** An id longer than this is no id of the provider's; an index entry has its limits as well. */
const AGGREGATE_ID_MAX = 300;

/** One `statuses[]` item as an event. */
export function statusEvent(phoneNumberId: string, item: UpstreamStatusItem, now: Date): NewEvent<unknown> {
  return { ...eventOf(item.id, occurredAt(item.timestamp, now)), event: callbackStatus, data: { phoneNumberId, item } };
}

/** One `messages[]` item, with the profile of its sender, as an event. */
export function messageEvent(phoneNumberId: string, item: UpstreamMessageItem, now: Date): NewEvent<unknown> {
  const aggregateId = `${phoneNumberId}:${item.message.from}`;
  const when = occurredAt(item.message.timestamp, now);
  return { ...eventOf(aggregateId, when), event: callbackMessage, data: { phoneNumberId, item } };
}

/** Anything else as an event. @param value as it came; instead of what no event can hold, `{ summarised, bytes }` */
export function changeEvent(businessAccountId: string, field: string, value: unknown, now: Date): NewEvent<unknown> {
  return { ...eventOf(businessAccountId, now), event: callbackChange, data: { businessAccountId, field, value } };
}

function eventOf(
  aggregateId: string,
  when: Date,
): Pick<NewEvent<unknown>, 'organizationId' | 'aggregateId' | 'sequence' | 'occurredAt'> {
  // The database takes neither NUL nor endless keys; what is cut off only makes two aggregates one.
  const clean = aggregateId.replaceAll('\u0000', '').slice(0, AGGREGATE_ID_MAX);
  return { organizationId: null, aggregateId: clean, sequence: null, occurredAt: when };
}

/** @param timestamp text of Unix seconds; what is none, or is no time of this century, reads as now */
function occurredAt(timestamp: string, now: Date): Date {
  const seconds = /^\d{9,10}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  return Number.isNaN(seconds) ? now : new Date(seconds * 1_000);
}
