import { ROOT_CONTEXT, type Context } from '@opentelemetry/api';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import type { JsMsg } from '@nats-io/jetstream';
import { contextOfHeaders } from './trace-headers.js';

/** An event as it was delivered. */
export interface DeliveredEvent {
  readonly envelope: EventEnvelope;
  /** 1 on the first delivery. */
  readonly deliveries: number;
  /** The trace that published it. */
  readonly context: Context;
}

/** An event that was delivered, and its message. */
export interface Pulled {
  readonly message: JsMsg;
  readonly event: DeliveredEvent;
}

/** Reads what the broker has delivered. @throws SyntaxError or TypeError when it is no event */
export function deliveredEventOf(message: JsMsg): DeliveredEvent {
  const envelope = message.json<EventEnvelope>();
  if (!isEnvelope(envelope)) throw new TypeError('not an event envelope');
  const deliveries = message.info.deliveryCount;
  return { envelope, deliveries, context: contextOfHeaders(message.headers, ROOT_CONTEXT) };
}

/** Whether the inbox can know it and a dead letter can hold it. */
function isEnvelope(value: unknown): value is EventEnvelope {
  if (typeof value !== 'object' || value === null || !('id' in value) || !('subject' in value)) return false;
  return typeof value.id === 'string' && value.id !== '' && typeof value.subject === 'string';
}
