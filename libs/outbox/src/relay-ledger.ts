import type { StreamState } from '@switchboard/nats';
import { statement, type Queryable } from '@switchboard/postgres';
import { RELAY_CONSUMER } from './dead-letter.js';
import { markPublished, takeTurn, type OutboxRow, type RelayTurn, type TurnResult } from './relay-turn.js';

/** What a service has recorded of the stream that it publishes to. */
export interface RelayState {
  readonly created: string;
  /** The highest sequence that the broker has acknowledged. */
  readonly lastSequence: number;
  /** Grows with every loss; marks of a relay that has not noticed it yet are refused. */
  readonly epoch: number;
  /** Published events after this id are to be made pending again; null when none are. */
  readonly replayFrom: string | null;
}

const load = statement<{ created: string; lastSequence: string; epoch: number; replayFrom: string | null }>(
  'relay-state.load',
  `SELECT created, last_sequence AS "lastSequence", epoch, replay_from AS "replayFrom" FROM relay_state WHERE stream = $1`,
);
const begin = statement(
  'relay-state.begin',
  'INSERT INTO relay_state (stream, created, last_sequence) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
);
const lose = statement(
  'relay-state.lose',
  `UPDATE relay_state SET created = $3, last_sequence = $4, epoch = epoch + 1, replay_from = ''
   WHERE stream = $1 AND epoch = $2`,
);
/** A keeper that compares a disowned row finds an older one than the broker has, whichever it was. */
const disown = statement<{ found: boolean }>(
  'relay-state.disown',
  `WITH caught AS (
     UPDATE relay_state SET last_sequence = $4 WHERE stream = $1 AND epoch = $2 AND last_sequence = $3::bigint RETURNING true),
   disowned AS (
     UPDATE incarnation SET number = number - 1, token = 'disowned', previous_token = NULL, server_started_at = '-infinity'
     WHERE id = 1 AND EXISTS (SELECT FROM caught))
   SELECT EXISTS (SELECT FROM caught) AS found`,
);
/**
 * One snapshot: what is marked and how far the stream was acknowledged change in one statement. Counting ends above the gap. What the
 * stream holds is accounted for when what is pending explains it: the next process that is killed is judged by its own copies.
 */
const forgotten = statement<{ count: number }>(
  'relay-state.forgotten',
  `WITH found AS (
     SELECT greatest(0, $2::bigint - last_sequence
       - (SELECT count(*) FROM (
            SELECT FROM outbox_pending LIMIT greatest(0, $2::bigint - last_sequence)) AS pending))::int AS count
     FROM relay_state WHERE stream = $1 AND epoch = $3 AND last_sequence = $4::bigint),
   accounted AS (
     UPDATE relay_state SET last_sequence = $2
     WHERE stream = $1 AND epoch = $3 AND last_sequence = $4::bigint AND $2::bigint > last_sequence
       AND EXISTS (SELECT FROM found WHERE count = 0))
   SELECT count FROM found`,
);
const rename = statement('relay-state.rename', 'UPDATE relay_state SET created = $3 WHERE stream = $1 AND epoch = $2');
/** What was published and is to go again: not what is pending, nor what `bury` has given up. */
const IS_PUBLISHED = `NOT EXISTS (SELECT FROM outbox_pending AS open WHERE open.position = event.position)
  AND NOT EXISTS (SELECT FROM dead_letter WHERE event_id = event.id AND consumer = '${RELAY_CONSUMER}')`;
const replayNewest = statement<{ marked: number; first: string | null }>(
  'outbox.replay-newest',
  `WITH own AS (SELECT FROM relay_state WHERE stream = $1 AND epoch = $2 AND replay_from = '' FOR UPDATE),
   newest AS MATERIALIZED (
     SELECT id, position FROM outbox AS event WHERE ${IS_PUBLISHED} AND EXISTS (SELECT FROM own) ORDER BY id DESC LIMIT $3),
   marked AS (
     INSERT INTO outbox_pending (position, id) SELECT position, id FROM newest ON CONFLICT DO NOTHING RETURNING true)
   SELECT (SELECT count(*)::int FROM marked) AS marked, (SELECT min(id) FROM newest) AS first`,
);
/** By id, day after day: what was written before is pending before. Another relay's step makes it do nothing. */
const replayChunk = statement<{ marked: number; next: string | null }>(
  'outbox.replay-chunk',
  `WITH chunk AS MATERIALIZED (
     SELECT id, position FROM outbox WHERE id > $2 AND id < $4 ORDER BY id LIMIT $3),
   moved AS (
     UPDATE relay_state SET replay_from = (SELECT max(id) FROM chunk HAVING count(*) = $3) WHERE stream = $1 AND replay_from = $2
     RETURNING replay_from),
   marked AS (
     INSERT INTO outbox_pending (position, id)
     SELECT position, id FROM chunk AS event WHERE ${IS_PUBLISHED} AND EXISTS (SELECT FROM moved)
     ON CONFLICT DO NOTHING RETURNING true)
   SELECT (SELECT count(*)::int FROM marked) AS marked, (SELECT replay_from FROM moved) AS next`,
);
const bury = statement(
  'outbox.bury',
  `WITH given_up AS (DELETE FROM outbox_pending WHERE position = $6)
   INSERT INTO dead_letter AS letter (event_id, consumer, subject, envelope, error, deliveries)
   VALUES ($1, $2, $3, $4, $5, 1)
   ON CONFLICT (event_id, consumer) DO UPDATE
   SET error = excluded.error, deliveries = letter.deliveries + 1, died_at = now(), redrive_requested_at = NULL`,
);
/**
 * With new positions: the floor may have passed the former ones, and newer events of their aggregates have gone.
 *
 * An event whose day is dropped is written anew from its letter, under an id of now: outbox and inboxes have no day for the
 * former one, and no consumer has ever seen it.
 */
const redrive = statement<{ count: number }>(
  'outbox.redrive',
  `WITH own AS (
     SELECT event_id, subject, envelope FROM dead_letter WHERE consumer = $1 AND redrive_requested_at IS NOT NULL
     ORDER BY event_id LIMIT 100 FOR UPDATE SKIP LOCKED),
   gone AS (DELETE FROM dead_letter AS letter USING own WHERE letter.event_id = own.event_id AND letter.consumer = $1),
   placed AS MATERIALIZED (
     SELECT found.id, nextval('outbox_position') AS position FROM (
       SELECT o.id FROM own JOIN outbox AS o ON o.id = own.event_id ORDER BY o.position) AS found),
   again AS (UPDATE outbox SET position = placed.position FROM placed WHERE outbox.id = placed.id),
   pending AS (INSERT INTO outbox_pending (position, id) SELECT position, id FROM placed),
   anew AS (
     INSERT INTO outbox (id, aggregate_id, subject, payload)
     SELECT renamed.id, coalesce(substring(envelope FROM '"aggregateId":"([^"]*)"'), event_id), subject,
       replace(envelope, format('"id":"%s"', event_id), format('"id":"%s"', renamed.id))
     FROM own CROSS JOIN LATERAL (SELECT cuid_floor(now()) || substr(event_id, 10) AS id) AS renamed
     WHERE NOT EXISTS (SELECT FROM outbox AS o WHERE o.id = own.event_id) ORDER BY event_id)
   SELECT count(*)::int AS count FROM own`,
);

/** What a relay reads and writes of its service's outbox. Every method but `turn` is one statement, and so one transaction. */
export class RelayLedger {
  constructor(
    private readonly through: Queryable,
    private readonly stream: string,
  ) {}

  /** See `takeTurn`. */
  turn(turn: RelayTurn): Promise<TurnResult | undefined> {
    return takeTurn(this.through, this.stream, turn);
  }

  /** See `markPublished`. */
  mark(marks: Parameters<typeof markPublished>[2]): Promise<boolean> {
    return markPublished(this.through, this.stream, marks);
  }

  /** The state; the stream as found becomes the first one recorded. */
  async state(found: StreamState): Promise<RelayState> {
    for (;;) {
      const [row] = await this.through.query(load, [this.stream]);
      if (row) return { ...row, lastSequence: Number(row.lastSequence) };
      await this.through.query(begin, [this.stream, found.created, found.lastSequence]);
    }
  }

  /** Records that the stream was lost, unless somebody has already: the found one counts, all that is kept goes again. */
  async lose({ epoch }: RelayState, { created, lastSequence }: StreamState): Promise<void> {
    await this.through.query(lose, [this.stream, epoch, created, lastSequence]);
  }

  /** Records what the same stream is called now. */
  async rename({ epoch }: RelayState, { created }: StreamState): Promise<void> {
    await this.through.query(rename, [this.stream, epoch, created]);
  }

  /**
   * How many events, at least, the stream holds that the outbox has no record of. What was published and not marked, as by a process
   * that was killed, is pending: more in the stream than that was in a database that is not this one any more. When there are none,
   * records how far the stream goes.
   *
   * @param found the stream, as it was before the record was read
   * @returns 0 as well when the record is another one by now
   */
  async forgotten({ epoch, lastSequence }: RelayState, found: StreamState): Promise<number> {
    const [row] = await this.through.query(forgotten, [this.stream, found.lastSequence, epoch, lastSequence]);
    return row?.count ?? 0;
  }

  /**
   * Records how far the stream goes, whoever published what it holds, and that the database is older than the broker.
   *
   * Once is enough; and a stream that ends before this later is a lost one.
   *
   * @returns false when the record is another one by now: somebody else has found the same
   */
  async disown({ epoch, lastSequence }: RelayState, found: StreamState): Promise<boolean> {
    const [row] = await this.through.query(disown, [this.stream, epoch, lastSequence, found.lastSequence]);
    return row?.found === true;
  }

  /** Makes the newest published events pending again. @returns how many, and the first of them */
  async replayNewest(
    { epoch }: RelayState,
    max: number,
  ): Promise<{ readonly marked: number; readonly first: string | null }> {
    const [row] = await this.through.query(replayNewest, [this.stream, epoch, max]);
    return row ?? { marked: 0, first: null };
  }

  /**
   * Makes the next published events between two ids, both exclusive, pending again.
   *
   * @returns how many, and the id to go on after: null when there are no more, and when another relay has gone on
   */
  async replayChunk(
    { after, before }: { readonly after: string; readonly before: string },
    max: number,
  ): Promise<{ readonly marked: number; readonly next: string | null }> {
    const [row] = await this.through.query(replayChunk, [this.stream, after, max, before]);
    return row ?? { marked: 0, next: null };
  }

  /** Gives an event up that no broker would store. */
  async bury({ id, position, subject, payload }: OutboxRow, reason: string): Promise<void> {
    await this.through.query(bury, [id, RELAY_CONSUMER, subject, payload, reason, position]);
  }

  /** Makes given up events that an operator wants tried again pending. @returns how many */
  async redrive(): Promise<number> {
    const [row] = await this.through.query(redrive, [RELAY_CONSUMER]);
    return row?.count ?? 0;
  }
}
