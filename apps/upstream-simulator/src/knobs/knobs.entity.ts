import { ControlRefusal } from '../control/control-refusal.js';
import { asObject, asText, type JsonObject } from '../json/json-value.js';
import { PROVIDER_ERROR_CODES } from '../provider-error/provider-error.entity.js';

/** The pseudo code of `errorRate` that stands for HTTP 500 without a body. */
export const FAULT_CODE = '5xx';

/** The statuses that follow an acceptance of their own accord. */
export type TimedStatus = 'sent' | 'delivered' | 'read';

/** How the simulated provider misbehaves. */
export interface Knobs {
  /** Milliseconds between a request to send and its answer. */
  readonly latencyMs: number;
  /** Share of requests (0 to 1) refused with a code; the shares add up to at most 1. `5xx` is HTTP 500 without a body. */
  readonly errorRate: Readonly<Record<string, number>>;
  /** Milliseconds from the acceptance to each status callback; null means that the status never comes. */
  readonly callbackDelayMs: Readonly<Record<TimedStatus, number | null>>;
  /** Share of statuses (0 to 1) that come a second time. */
  readonly duplicateRate: number;
  /** Whether the statuses of a message come in random order. */
  readonly reorder: boolean;
  /** Share of requests (0 to 1) that are accepted while the connection is cut instead of an answer. */
  readonly dropAnswerRate: number;
  /** Whether refusals quote the request, recipient and text included, in their details. */
  readonly quoteRequest: boolean;
  /** Whether the provider takes no requests at all: none is read, logged or answered. */
  readonly down: boolean;
  /**
   * Requests that a connection of the TLS door takes before it is closed in order: by GOAWAY over HTTP/2, by
   * `Connection: close` over HTTP/1.1; null is no limit.
   */
  readonly goawayAfter: number | null;
  readonly limits: {
    /** Throughput of one phone number, 130429 beyond it; null is no limit. */
    readonly messagesPerSecond: number | null;
    /** One message per 6 s to the same recipient with a burst of 45, 131056 beyond it. */
    readonly pairRate: boolean;
    /** Whether free text needs an inbound message of the recipient within 24 hours, 131047 without one. */
    readonly window24h: boolean;
  };
  /** A text that every recipient sends back, `delayMs` after the acceptance; null for none. */
  readonly autoReply: { readonly text: string; readonly delayMs: number } | null;
}

/** The well-behaved provider: answers at once, `sent` after 20 ms, `delivered` after 60 ms, `read` never. */
export const DEFAULT_KNOBS: Knobs = {
  latencyMs: 0,
  errorRate: {},
  callbackDelayMs: { sent: 20, delivered: 60, read: null },
  duplicateRate: 0,
  reorder: false,
  dropAnswerRate: 0,
  quoteRequest: false,
  down: false,
  goawayAfter: null,
  limits: { messagesPerSecond: null, pairRate: false, window24h: false },
  autoReply: null,
};

const DELAY_MS_MAX = 86_400_000;

/**
 * The knobs with those of `patch` changed. `callbackDelayMs` and `limits` merge by key, `errorRate` and `autoReply` are replaced.
 *
 * @throws ControlRefusal naming the first knob that is unknown or out of range; nothing is changed then.
 */
export function changeKnobs(knobs: Knobs, patch: unknown): Knobs {
  const changes = asObject(patch);
  if (!changes) throw new ControlRefusal('body', 'must be an object of knobs');
  onlyKeys(changes, Object.keys(DEFAULT_KNOBS), '');
  return {
    latencyMs: changed(changes, 'latencyMs', knobs.latencyMs, delayMs),
    errorRate: changed(changes, 'errorRate', knobs.errorRate, errorRate),
    callbackDelayMs: changed(changes, 'callbackDelayMs', knobs.callbackDelayMs, (value, field) => {
      const delays = fieldsOf(value, field, ['sent', 'delivered', 'read']);
      return {
        sent: changed(delays, 'sent', knobs.callbackDelayMs.sent, orNull(delayMs), field),
        delivered: changed(delays, 'delivered', knobs.callbackDelayMs.delivered, orNull(delayMs), field),
        read: changed(delays, 'read', knobs.callbackDelayMs.read, orNull(delayMs), field),
      };
    }),
    duplicateRate: changed(changes, 'duplicateRate', knobs.duplicateRate, share),
    reorder: changed(changes, 'reorder', knobs.reorder, flag),
    dropAnswerRate: changed(changes, 'dropAnswerRate', knobs.dropAnswerRate, share),
    quoteRequest: changed(changes, 'quoteRequest', knobs.quoteRequest, flag),
    down: changed(changes, 'down', knobs.down, flag),
    goawayAfter: changed(changes, 'goawayAfter', knobs.goawayAfter, orNull(count)),
    limits: changed(changes, 'limits', knobs.limits, (value, field) => {
      const limits = fieldsOf(value, field, ['messagesPerSecond', 'pairRate', 'window24h']);
      return {
        messagesPerSecond: changed(limits, 'messagesPerSecond', knobs.limits.messagesPerSecond, orNull(pace), field),
        pairRate: changed(limits, 'pairRate', knobs.limits.pairRate, flag, field),
        window24h: changed(limits, 'window24h', knobs.limits.window24h, flag, field),
      };
    }),
    autoReply: changed(changes, 'autoReply', knobs.autoReply, orNull(autoReply)),
  };
}

type Parse<T> = (value: unknown, field: string) => T;

function changed<T>(from: JsonObject, key: string, current: T, parse: Parse<T>, parent = ''): T {
  if (from[key] === undefined) return current;
  return parse(from[key], parent === '' ? key : `${parent}.${key}`);
}

function orNull<T>(parse: Parse<T>): Parse<T | null> {
  return (value, field) => (value === null ? null : parse(value, field));
}

function delayMs(value: unknown, field: string): number {
  if (typeof value === 'number' && value >= 0 && value <= DELAY_MS_MAX) return value;
  throw new ControlRefusal(field, `must be a number of milliseconds, 0 to ${DELAY_MS_MAX}`);
}

function share(value: unknown, field: string): number {
  if (typeof value === 'number' && value >= 0 && value <= 1) return value;
  throw new ControlRefusal(field, 'must be a number from 0 to 1');
}

function pace(value: unknown, field: string): number {
  if (typeof value === 'number' && value > 0 && value <= 1_000_000) return value;
  throw new ControlRefusal(field, 'must be a number above 0, or null for no limit');
}

function count(value: unknown, field: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 1_000_000) return value;
  throw new ControlRefusal(field, 'must be a whole number from 1 to 1000000, or null for no limit');
}

function flag(value: unknown, field: string): boolean {
  if (typeof value === 'boolean') return value;
  throw new ControlRefusal(field, 'must be true or false');
}

function autoReply(value: unknown, field: string): { text: string; delayMs: number } | null {
  if (value === false) return null;
  const reply = value === true ? {} : fieldsOf(value, field, ['text', 'delayMs']);
  return {
    text: asText(reply['text']) ?? 'Thanks, got it.',
    delayMs: changed(reply, 'delayMs', 200, delayMs, field),
  };
}

function errorRate(value: unknown, field: string): Readonly<Record<string, number>> {
  const rates = asObject(value);
  if (!rates) throw new ControlRefusal(field, 'must be an object of shares by code');
  let sum = 0;
  const entries = Object.entries(rates).map(([code, rate]) => {
    if (code !== FAULT_CODE && !PROVIDER_ERROR_CODES.has(Number(code))) {
      throw new ControlRefusal(`${field}.${code}`, `must be a code of the provider or "${FAULT_CODE}"`);
    }
    const parsed = share(rate, `${field}.${code}`);
    sum += parsed;
    return [code, parsed] as const;
  });
  if (sum > 1) throw new ControlRefusal(field, 'must add up to at most 1');
  return Object.fromEntries(entries);
}

function fieldsOf(value: unknown, field: string, keys: readonly string[]): JsonObject {
  const fields = asObject(value);
  if (!fields) throw new ControlRefusal(field, 'must be an object');
  onlyKeys(fields, keys, `${field}.`);
  return fields;
}

function onlyKeys(fields: JsonObject, keys: readonly string[], prefix: string): void {
  for (const key of Object.keys(fields)) {
    if (!keys.includes(key)) throw new ControlRefusal(`${prefix}${key}`, `is not a knob; there are ${keys.join(', ')}`);
  }
}
