import { cuidFloor } from '@switchboard/contracts/grammar/cuid';
import type { ListWebhookAttemptsRequest } from '@switchboard/contracts/webhooks/rpc';
import { keysetPage, statement, type KeysetPage, type Queryable } from '@switchboard/postgres';
import { ATTEMPT_COLUMNS, type AttemptRow } from '../attempt/attempt.repository.js';

/** Attempts that a page with filters looks at: what a filter wants may be as rare as once in all that is kept. */
const WALK_MAX = 10_000;

/** Newest first, by the primary key. */
const listSql = statement<AttemptRow>(
  'webhooks.attempt.list',
  `SELECT ${ATTEMPT_COLUMNS} FROM attempt a WHERE a.webhook_id = $1 AND a.id < $2 ORDER BY a.id DESC LIMIT $3`,
);

interface Walk {
  /** Of these attempts, those that the filters want. */
  readonly list: ReturnType<typeof filteredSql>;
  /** The last attempt that `list` looks at; no row: it looks at all that there are. */
  readonly end: ReturnType<typeof endSql>;
}

const all: Walk = { list: filteredSql('list-filtered', 'true'), end: endSql('list-end', 'true') };
/** By index `attempt_failed`. */
const failed: Walk = {
  list: filteredSql('list-failed', `a.outcome = 'FAILED'`),
  end: endSql('list-failed-end', `a.outcome = 'FAILED'`),
};

/** An attempt's id has the time of its mark, a little before its request begins; that of a test send another replica's clock. */
const CLOCK_MARGIN_MS = 60_000;
/** Sorts after every id. */
const FIRST_PAGE = 'd';
/** Sorts before every id. */
const LAST_PAGE = 'c';

/**
 * A page of the attempts of a webhook, newest first. With filters it looks at 10,000 attempts at most and may be short, or empty, before
 * the end: `nextCursor` goes on behind what it has looked at.
 */
export async function readAttempts(
  on: Queryable,
  request: ListWebhookAttemptsRequest,
): Promise<KeysetPage<AttemptRow>> {
  const { webhookId, limit, event, outcome } = request;
  const { before, after } = boundsOf(request);
  // As dates: the server knows no year 0, which is BC there.
  const filters = [event, outcome, dateOf(request.from), dateOf(request.to)];
  if (filters.every((filter) => filter === null)) {
    return pageOf(await on.query(listSql, [webhookId, before, limit + 1]), limit);
  }
  const walk = outcome === 'FAILED' ? failed : all;
  const rows = await on.query(walk.list, [webhookId, before, after, ...filters, limit + 1]);
  if (rows.length > limit) return pageOf(rows, limit);
  const [end] = await on.query(walk.end, [webhookId, before, after]);
  if (!end) return { items: rows };
  // What was recorded between the two statements moves the end: nothing of this page is shown a second time.
  const last = rows.at(-1)?.id ?? end.id;
  return { items: rows, nextCursor: last < end.id ? last : end.id };
}

function pageOf(rows: readonly AttemptRow[], limit: number): KeysetPage<AttemptRow> {
  return keysetPage(
    rows,
    limit,
    ({ id }) => id,
    (row) => row,
  );
}

function dateOf(time: string | null): Date | null {
  return time === null ? null : new Date(time);
}

/** A time is a bound of the id as well, so that only its days are read. */
function boundsOf({ cursor, from, to }: ListWebhookAttemptsRequest): {
  readonly before: string;
  readonly after: string;
} {
  const upper = to === null ? FIRST_PAGE : cuidFloor(new Date(Date.parse(to) + CLOCK_MARGIN_MS));
  const before = cursor !== null && cursor < upper ? cursor : upper;
  return { before, after: from === null ? LAST_PAGE : cuidFloor(new Date(Date.parse(from) - CLOCK_MARGIN_MS)) };
}

/** LIMIT keeps the filters out of the walk, which ends as soon as the page is full. */
function filteredSql(name: string, condition: string) {
  return statement<AttemptRow>(
    `webhooks.attempt.${name}`,
    `SELECT ${ATTEMPT_COLUMNS} FROM (
       SELECT * FROM attempt a WHERE a.webhook_id = $1 AND a.id < $2 AND a.id >= $3 AND ${condition}
       ORDER BY a.id DESC LIMIT ${WALK_MAX}) a
     WHERE ($4::text IS NULL OR a.type = $4) AND ($5::text IS NULL OR a.outcome = $5)
       AND ($6::timestamptz IS NULL OR a.began_at >= $6) AND ($7::timestamptz IS NULL OR a.began_at < $7)
     ORDER BY a.id DESC LIMIT $8`,
  );
}

function endSql(name: string, condition: string) {
  return statement<{ id: string }>(
    `webhooks.attempt.${name}`,
    `SELECT a.id FROM attempt a WHERE a.webhook_id = $1 AND a.id < $2 AND a.id >= $3 AND ${condition}
     ORDER BY a.id DESC OFFSET ${WALK_MAX - 1} LIMIT 1`,
  );
}
