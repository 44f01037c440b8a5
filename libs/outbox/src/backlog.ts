import { cuidTime } from '@switchboard/contracts/grammar/cuid';
import { statement, type Queryable } from '@switchboard/postgres';

/** Committed events that are still pending; a row goes within 2 s of its publication. */
export interface OutboxBacklog {
  /** Events not published; counted up to `BACKLOG_COUNT_MAX`. */
  readonly pending: number;
  /** Seconds since the next event to go was written, 0 when none is pending; days while a lost stream is replayed. */
  readonly oldestAgeSeconds: number;
  /** What is kept is made pending again, as the stream was lost: its age says nothing of the relay. */
  readonly isReplaying: boolean;
}

/** Where counting ends: more is reported as this number, so that counting has a bounded cost. */
const BACKLOG_COUNT_MAX = 10_001;

/** The oldest is the first by position. */
const backlog = statement<{ pending: number; oldest: string | null; isReplaying: boolean }>(
  'outbox.backlog',
  `SELECT (SELECT count(*)::int FROM (SELECT FROM outbox_pending LIMIT $1) AS counted) AS pending,
     (SELECT id FROM outbox_pending ORDER BY position LIMIT 1) AS oldest,
     EXISTS (SELECT FROM relay_state WHERE replay_from IS NOT NULL) AS "isReplaying"`,
);
const deadLetters = statement<{ consumer: string; count: number }>(
  'dead-letter.count',
  `SELECT consumer, count(*)::int AS count FROM (SELECT consumer FROM dead_letter ORDER BY event_id DESC LIMIT $1) AS newest
   GROUP BY consumer ORDER BY consumer`,
);

/**
 * How far the relay is behind; cheap enough to be asked every few seconds.
 *
 * @param nowMs milliseconds since the Unix epoch, by the clock that ids are drawn from
 */
export async function outboxBacklog(database: Queryable, nowMs: number = Date.now()): Promise<OutboxBacklog> {
  const [row] = await database.query(backlog, [BACKLOG_COUNT_MAX]);
  const oldest = row?.oldest;
  const ageMs = oldest ? nowMs - cuidTime(oldest).getTime() : 0;
  return {
    pending: row?.pending ?? 0,
    oldestAgeSeconds: Math.max(0, ageMs) / 1_000,
    isReplaying: row?.isReplaying === true,
  };
}

/**
 * Dead letters of each consumer that has any, by its name; `relay` are those that could never be published. Of the newest
 * `BACKLOG_COUNT_MAX` of the service, so that a flood of them is not counted through at each scrape.
 */
export async function deadLetterCounts(database: Queryable): Promise<ReadonlyMap<string, number>> {
  const rows = await database.query(deadLetters, [BACKLOG_COUNT_MAX]);
  return new Map(rows.map(({ consumer, count }) => [consumer, count]));
}
