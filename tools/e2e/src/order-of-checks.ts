import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { OrganizationTerms } from './stack-database.js';

/** One thing that is wrong with a request, and what it alone is refused with. */
export interface Fault {
  readonly name: string;
  readonly status: number;
  readonly code: string;
  /** Distinguishes codes that several faults share. */
  readonly says: RegExp;
  /** Faults that the same request cannot have: it has one body, one recipient. */
  readonly excludes?: readonly string[];
}

/** Who asks and what, before anything is wrong. */
export interface Wrongs {
  readonly key: string;
  /** Of the same organization, without the route's scope. */
  readonly scopelessKey: string;
  readonly optedOutPhone: string;
  readonly phone: string;
  /** An idempotency key under which another body was sent. */
  readonly takenKey: string;
}

/** A request with everything wrong that was asked for, and the state of its organization. */
export interface WrongRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly key: string;
  /** In addition to the key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly terms: OrganizationTerms;
  /** All of the rate is used up beforehand. */
  readonly isLimited: boolean;
  readonly isDisconnected: boolean;
}

/** What can be wrong with `POST /v1/messages`, in the order of checks. Source: docs/api-behaviour.md#errors-order. */
export const sendFaults: readonly Fault[] = [
  { name: 'key', status: 401, code: 'UNAUTHORIZED', says: /Invalid API key/ },
  { name: 'rate', status: 429, code: 'RATE_LIMITED', says: /Too many requests/ },
  { name: 'scope', status: 403, code: 'INSUFFICIENT_SCOPE', says: /messages:send/ },
  { name: 'media type', status: 415, code: 'UNSUPPORTED_MEDIA_TYPE', says: /Content-Type/ },
  { name: 'syntax', status: 400, code: 'MALFORMED_BODY', says: /JSON/ },
  { name: 'header', status: 400, code: 'VALIDATION_FAILED', says: /`Idempotency-Key` must be/ },
  { name: 'key of another', status: 409, code: 'CONFLICT', says: /Idempotency-Key/, excludes: ['header'] },
  { name: 'shape', status: 400, code: 'VALIDATION_FAILED', says: /`text`/, excludes: ['syntax'] },
  { name: 'plan', status: 402, code: 'PAYMENT_REQUIRED', says: /past due/ },
  { name: 'channel', status: 404, code: 'CHANNEL_NOT_FOUND', says: /messagingChannelId/ },
  { name: 'connection', status: 403, code: 'UPSTREAM_NOT_CONNECTED', says: /connected/ },
  { name: 'phone', status: 400, code: 'INVALID_PHONE', says: /phone/ },
  { name: 'opt-out', status: 403, code: 'CONTACT_OPTED_OUT', says: /opted out/, excludes: ['phone'] },
  { name: 'quota', status: 402, code: 'PAYMENT_REQUIRED', says: /monthly quota of 0 messages/ },
];

/** What can be wrong with `GET /v1/conversations`, in the order of checks. */
export const listFaults: readonly Fault[] = [
  { name: 'key', status: 401, code: 'UNAUTHORIZED', says: /Invalid API key/ },
  { name: 'rate', status: 429, code: 'RATE_LIMITED', says: /Too many requests/ },
  { name: 'scope', status: 403, code: 'INSUFFICIENT_SCOPE', says: /conversations:read/ },
  { name: 'shape', status: 400, code: 'VALIDATION_FAILED', says: /`limit`/ },
  { name: 'plan', status: 402, code: 'PAYMENT_REQUIRED', says: /canceled/ },
];

/** Every fault alone, every pair of them that one request can have, and all that go with each other from each one on. */
export function combinations(faults: readonly Fault[]): (readonly Fault[])[] {
  const fits = (some: readonly Fault[], next: Fault): boolean =>
    some.every(({ name, excludes = [] }) => !excludes.includes(next.name) && !(next.excludes ?? []).includes(name));
  const found: (readonly Fault[])[] = [];
  for (const [index, first] of faults.entries()) {
    const later = faults.slice(index + 1);
    found.push([first], ...later.filter((next) => fits([first], next)).map((next) => [first, next]));
    found.push(later.reduce((all, next) => (fits(all, next) ? [...all, next] : all), [first]));
  }
  return found;
}

/** A send with these faults. */
export function wrongSend(faults: ReadonlySet<string>, wrongs: Wrongs): WrongRequest {
  const recipient = faults.has('opt-out') ? wrongs.optedOutPhone : wrongs.phone;
  const body = JSON.stringify({
    to: faults.has('phone') ? 'no number' : recipient,
    text: faults.has('shape') ? '' : 'hello',
    ...(faults.has('channel') ? { messagingChannelId: newCuid() } : {}),
  });
  return {
    ...wrongHead(faults, wrongs),
    method: 'POST',
    path: '/v1/messages',
    headers: {
      'content-type': faults.has('media type') ? 'text/plain' : 'application/json',
      ...(faults.has('header') ? { 'idempotency-key': 'x'.repeat(201) } : {}),
      ...(faults.has('key of another') ? { 'idempotency-key': wrongs.takenKey } : {}),
    },
    body: faults.has('syntax') ? body.slice(0, -1) : body,
    isDisconnected: faults.has('connection'),
  };
}

/** A list with these faults. */
export function wrongList(faults: ReadonlySet<string>, wrongs: Wrongs): WrongRequest {
  const query = new URLSearchParams(faults.has('shape') ? { limit: '0' } : {});
  const { terms, ...head } = wrongHead(faults, wrongs);
  return {
    ...head,
    // A payment that is past due is no fault of a list.
    terms: faults.has('plan') ? { ...terms, status: 'CANCELED' } : terms,
    method: 'GET',
    path: `/v1/conversations?${query}`,
    headers: {},
    body: null,
    isDisconnected: false,
  };
}

function wrongHead(
  faults: ReadonlySet<string>,
  { key, scopelessKey }: Wrongs,
): Pick<WrongRequest, 'key' | 'terms' | 'isLimited'> {
  const own = faults.has('scope') ? scopelessKey : key;
  const isLimited = faults.has('rate');
  return {
    key: faults.has('key') ? `${own.slice(0, -1)}_` : own,
    isLimited,
    terms: {
      ...(faults.has('plan') ? { status: 'PAST_DUE' as const } : {}),
      ...(faults.has('quota') ? { messagesPerMonth: 0 } : {}),
      ...(isLimited ? { requestsPerMinute: 1, burst: 1 } : {}),
    },
  };
}
