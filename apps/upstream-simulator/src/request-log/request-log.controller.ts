import type { FastifyInstance } from 'fastify';
import { ControlRefusal } from '../control/control-refusal.js';
import { asObject, asText } from '../json/json-value.js';
import type { OpenRequests } from './open-requests.js';
import type { LoggedRequest, RequestLog } from './request-log.repository.js';

const PAGE_SIZE = 100;
const PAGE_SIZE_MAX = 1000;

/**
 * `GET /_sim/requests?reference&to&since&limit&cursor` → `{ items, total, nextCursor? }`, oldest first; `total` counts all
 * that match, not only the page. `GET /_sim/requests/open` → `{ open, highWater }`. `DELETE /_sim/requests` forgets
 * everything, what was taken of their statuses included, and lets the high-water mark begin again.
 */
export function requestLogRoutes(
  app: FastifyInstance,
  log: RequestLog,
  open: OpenRequests,
  forgetStatuses: () => void,
): void {
  app.get('/_sim/requests', (request) => page(log, asObject(request.query) ?? {}));
  app.get('/_sim/requests/open', () => open.snapshot());
  app.delete('/_sim/requests', () => {
    const forgotten = log.size;
    log.clear();
    forgetStatuses();
    open.reset();
    return { forgotten };
  });
}

function page(log: RequestLog, query: Readonly<Record<string, unknown>>): object {
  const limit = Math.min(integer(query['limit'], 'limit', PAGE_SIZE), PAGE_SIZE_MAX);
  const from = Math.max(integer(query['cursor'], 'cursor', 0), log.firstSince(instant(query['since'])));
  const reference = asText(query['reference']);
  const to = asText(query['to']);

  const numbers = matching(log, reference, to)?.filter((number) => number >= log.firstSince(instant(query['since'])));
  const total = numbers?.length ?? log.size - log.firstSince(instant(query['since']));
  const items: LoggedRequest[] = [];
  let last = from - 1;
  for (const number of numbers?.filter((candidate) => candidate >= from) ?? range(from, log.size)) {
    if (items.length === limit) return { items, total, nextCursor: String(last + 1) };
    items.push(log.read(number));
    last = number;
  }
  return { items, total };
}

function matching(
  log: RequestLog,
  reference: string | undefined,
  to: string | undefined,
): readonly number[] | undefined {
  const byReference = reference === undefined ? undefined : log.numbersByReference(reference);
  const byRecipient = to === undefined ? undefined : log.numbersByRecipient(to);
  if (!byReference || !byRecipient) return byReference ?? byRecipient;
  const recipients = new Set(byRecipient);
  return byReference.filter((number) => recipients.has(number));
}

function* range(from: number, end: number): Generator<number> {
  for (let number = from; number < end; number += 1) yield number;
}

function integer(value: unknown, field: string, fallback: number): number {
  if (value === undefined) return fallback;
  if (typeof value === 'string' && /^\d{1,12}$/.test(value)) return Number(value);
  throw new ControlRefusal(field, 'must be a whole number');
}

function instant(value: unknown): number {
  if (value === undefined) return -Infinity;
  const text = String(value);
  const atMs = /^\d+$/.test(text) ? Number(text) : Date.parse(text);
  if (Number.isNaN(atMs)) throw new ControlRefusal('since', 'must be an ISO 8601 time or milliseconds since 1970');
  return atMs;
}
