import { IS_COMPARED } from '@switchboard/outbox';
import { statement, type Queryable } from '@switchboard/postgres';

/** An event of the feed. */
export interface FeedRow {
  readonly position: number;
  readonly body: string;
}

const lastSql = statement<{ last: number }>(
  'webhooks.feed.last',
  'SELECT last_position::float8 AS last FROM feed WHERE organization_id = $1',
);
/** In every day that is kept. The order is by the column, which has an index: a bare `position` would be the number of the answer. */
const boundsSql = statement<{ first: number | null; last: number | null }>(
  'webhooks.feed.bounds',
  `SELECT (SELECT position::float8 FROM event WHERE organization_id = $1 ORDER BY event.position LIMIT 1) AS first,
     (SELECT last_position::float8 FROM feed WHERE organization_id = $1) AS last`,
);
/** The time of storing grows with the position, unless the clock steps back: both are drawn under the organization's lock. */
const storedSql = statement<{ isBefore: boolean }>(
  'webhooks.feed.stored',
  `SELECT stored_at < $3::timestamptz AS "isBefore" FROM event
   WHERE organization_id = $1 AND position >= $2 ORDER BY event.position LIMIT 1`,
);
const occurredSql = statement<{ position: number }>(
  'webhooks.feed.occurred',
  `SELECT position::float8 AS position FROM event
   WHERE organization_id = $1 AND position > $2 AND position <= $3 AND occurred_at >= $4::timestamptz
   ORDER BY event.position LIMIT 1`,
);
/** The length of a body is known without reading it. */
const pageSql = statement<FeedRow>(
  'webhooks.feed.page',
  `SELECT position::float8 AS position, body FROM (
     SELECT event.position, body, sum(octet_length(body)) OVER (ORDER BY event.position) - octet_length(body) AS bytes_before
     FROM event
     WHERE organization_id = $1 AND event.position > $2 AND event.position <= $3 AND ($4::text[] IS NULL OR type = ANY ($4))
     ORDER BY event.position LIMIT $5) AS page
   WHERE bytes_before < $6 ORDER BY page.position`,
);

/**
 * Of an organization without a feed the first position is drawn from above the base. A database that may be a restored one has forgotten
 * what it gave: its feeds are raised before it is called compared.
 */
const aheadSql = statement<{ isAhead: boolean }>(
  'webhooks.feed.ahead',
  `SELECT $2::bigint > coalesce((SELECT last_position FROM feed WHERE organization_id = $1), (SELECT position_base FROM beginning))
     AND ${IS_COMPARED} AS "isAhead"`,
);
const nextSql = statement<{ position: number | null }>(
  'webhooks.feed.next',
  'SELECT min(position)::float8 AS position FROM event WHERE organization_id = $1 AND position > $2',
);

/** Positions that one statement looks at: all that is kept may be millions. */
const SLICE_POSITIONS = 20_000;
/**
 * An event may be stored by a clock that is behind the one that it occurred by, as the database's is after a step back. Neither that nor the
 * step itself, where times of storing go back along the positions, hides an event up to an hour. It costs an hour's events to look at, a
 * second and more at 300 a second.
 */
const CLOCK_MARGIN_MS = 3_600_000;

/** The position of the last event that is committed, and with it all before; 0 when there is none. */
export async function lastPosition(on: Queryable, organizationId: string): Promise<number> {
  const [feed] = await on.query(lastSql, [organizationId]);
  return feed?.last ?? 0;
}

/** Whether a position is known to lie ahead of all that the feed of an organization has ever given. */
export async function isAhead(on: Queryable, organizationId: string, position: number): Promise<boolean> {
  const [found] = await on.query(aheadSql, [organizationId, position]);
  return found?.isAhead === true;
}

/**
 * The position after which events that occurred at a time, or later, are found: none of them is at it or before.
 *
 * @param floor a position up to which none is known to be
 */
export async function positionBefore(on: Queryable, organizationId: string, from: Date, floor = 0): Promise<number> {
  const [bounds] = await on.query(boundsSql, [organizationId]);
  const last = bounds?.last ?? 0;
  let low = Math.max(bounds?.first ?? last + 1, floor + 1);
  let high = last + 1;
  const storedFrom = new Date(from.getTime() - CLOCK_MARGIN_MS);
  // Twenty looks for a million events, in place of an index by time that every event would pay for.
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [found] = await on.query(storedSql, [organizationId, middle, storedFrom]);
    if (found?.isBefore) low = middle + 1;
    else high = middle;
  }
  for await (const slice of slicesOf(on, { organizationId, after: low - 1, upTo: last })) {
    const [first] = await on.query(occurredSql, [organizationId, slice.after, slice.upTo, from]);
    if (first) return first.position - 1;
  }
  return last;
}

/** Positions of an organization; the first one exclusive. */
export interface Positions {
  readonly organizationId: string;
  readonly after: number;
  readonly upTo: number;
}

/** Slices of positions that one statement may look at, one after another. @param max positions of a slice */
export async function* slicesOf(on: Queryable, positions: Positions, max = SLICE_POSITIONS): AsyncGenerator<Positions> {
  const { organizationId, upTo } = positions;
  for (let { after } = positions; after < upTo;) {
    const slice = await firstSlice(on, { organizationId, after, upTo }, max);
    yield slice;
    after = slice.upTo;
  }
}

/**
 * The first positions, as many as one statement may look at. They have gaps, of a state that was restored and of what is no longer
 * kept: those are walked over at once.
 */
export async function firstSlice(on: Queryable, positions: Positions, max = SLICE_POSITIONS): Promise<Positions> {
  const { organizationId, after, upTo } = positions;
  if (upTo - after <= max) return { organizationId, after, upTo };
  const [next] = await on.query(nextSql, [organizationId, after]);
  const before = (next?.position ?? upTo + 1) - 1;
  return { organizationId, after: Math.min(before, upTo), upTo: Math.min(before + max, upTo) };
}

/**
 * Events between two positions (the first one exclusive), oldest first; of none no day that is kept is looked at.
 *
 * @param limits how many, and the bytes of UTF-8 with which no further one begins
 */
export async function readFeed(
  on: Queryable,
  organizationId: string,
  range: { readonly after: number; readonly upTo: number; readonly types: readonly string[] | null },
  limits: { readonly events: number; readonly bytes: number },
): Promise<FeedRow[]> {
  if (range.upTo <= range.after) return [];
  return on.query(pageSql, [organizationId, range.after, range.upTo, range.types, limits.events, limits.bytes]);
}
