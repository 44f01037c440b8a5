import type { StoredEvent } from '@switchboard/nats';
import { statement, type Queryable } from '@switchboard/postgres';
import { RELAY_CONSUMER } from './dead-letter.js';
import type { OutboxLook } from './published-floor.policy.js';

/** A row of the outbox that is to be published. */
export interface OutboxRow extends StoredEvent {
  /** Grows within an aggregate. */
  readonly position: string;
  readonly aggregateId: string;
}

/** What a turn of the relay writes and reads. */
export interface RelayTurn {
  /** Of the state that the marks belong to. */
  readonly epoch: number;
  /** The highest sequence that the broker has acknowledged. */
  readonly lastSequence: number;
  /** Events that the broker has and that are not marked as published. */
  readonly stored: readonly StoredRow[];
  /** How many of them are marked now, from the first. */
  readonly marks: number;
  /** Aggregates whose events are not read. */
  readonly aside: readonly string[];
  readonly max: number;
  /** Events at or below this position are not read. */
  readonly floor: number;
  /** Whether what changes rarely is read as well. */
  readonly isLook: boolean;
}

/** A row that the broker has. */
export type StoredRow = Pick<OutboxRow, 'id' | 'position'>;

/** What changes rarely. */
export interface RelayLook extends OutboxLook {
  /** Dead letters of the relay are to be driven again. */
  readonly hasLetters: boolean;
  readonly epoch: number;
  readonly lastSequence: number;
  /** Published events are to be made pending again. */
  readonly isReplay: boolean;
}

/** What a turn has read. */
export interface TurnResult {
  /** Events to publish, by position. */
  readonly rows: OutboxRow[];
  /** Null: the stream has no state. Undefined: the turn was no look. */
  readonly look: RelayLook | null | undefined;
}

/** So many marks go with the next read in one statement, which compares each row with each mark. */
const MARKS_WITH_READ_MAX = 200;

const OPEN = 'open.position > $4::bigint AND open.position <> ALL($3::bigint[])';
/**
 * First a row with the look, then the events by position, each from its day. The index of what is pending keeps its dead
 * entries as long as a snapshot is older than they are; the floor passes them by.
 */
const READ = `
  SELECT NULL AS id, NULL::bigint AS position, NULL AS "aggregateId", NULL AS subject, NULL AS payload, NULL AS traceparent,
    CASE WHEN $5::boolean THEN (
      SELECT json_build_object(
        'first', (SELECT position FROM outbox_pending AS open WHERE ${OPEN} ORDER BY position LIMIT 1),
        'writers', ARRAY(
          SELECT virtualtransaction FROM pg_locks WHERE relation = 'outbox'::regclass AND mode = 'RowExclusiveLock'
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            AND pid IS DISTINCT FROM pg_backend_pid()),
        'hasLetters', EXISTS (
          SELECT FROM dead_letter WHERE consumer = '${RELAY_CONSUMER}' AND redrive_requested_at IS NOT NULL),
        'epoch', epoch, 'lastSequence', last_sequence, 'isReplay', replay_from IS NOT NULL)
      FROM relay_state WHERE stream = $6) END AS look
  UNION ALL (
    SELECT open.id, open.position, event.aggregate_id, event.subject, event.payload, event.traceparent, NULL
    FROM outbox_pending AS open CROSS JOIN LATERAL (SELECT * FROM outbox WHERE id = open.id LIMIT 1) AS event
    WHERE ${OPEN} AND event.aggregate_id <> ALL($2::text[]) ORDER BY open.position LIMIT $1)`;

interface Marks {
  readonly stream: string;
  readonly epoch: string;
  readonly sequence: string;
  readonly positions: string;
}

/** The row of the state is locked first: a loss that is recorded meanwhile makes the marks do nothing. */
const marksSql = ({ stream, epoch, sequence, positions }: Marks): string => `
  own AS (
    UPDATE relay_state SET last_sequence = greatest(last_sequence, ${sequence}::bigint)
    WHERE stream = ${stream} AND epoch = ${epoch} RETURNING true),
  marked AS (
    DELETE FROM outbox_pending WHERE position = ANY(${positions}::bigint[]) AND EXISTS (SELECT FROM own))`;

type Found = Omit<OutboxRow, 'id'> & { readonly id: string | null; readonly look: RelayLook | null };
const pending = statement<Found>('outbox.pending', READ);
const mark = statement<{ own: number }>(
  'outbox.mark-published',
  `WITH ${marksSql({ stream: '$1', epoch: '$2', sequence: '$3', positions: '$4' })} SELECT count(*)::int AS own FROM own`,
);
const markAndRead = statement<Found & { own: number }>(
  'outbox.mark-and-read',
  `WITH ${marksSql({ stream: '$6', epoch: '$7', sequence: '$8', positions: '$9' })}
   SELECT found.*, (SELECT count(*)::int FROM own) AS own FROM (${READ}) AS found`,
);

/** Marks events as published. False: nothing was marked, the stream they went to was lost meanwhile. */
export async function markPublished(
  through: Queryable,
  stream: string,
  { epoch, lastSequence, stored, marks }: Pick<RelayTurn, 'epoch' | 'lastSequence' | 'stored' | 'marks'>,
): Promise<boolean> {
  const positions = stored.slice(0, marks).map(({ position }) => position);
  const [row] = await through.query(mark, [stream, epoch, lastSequence, positions]);
  return row?.own === 1;
}

/**
 * Marks what the broker has and reads what is to be published: one statement, and so one commit, where the marks are few.
 *
 * @returns undefined when nothing was marked: the stream that it went to was lost meanwhile
 */
export async function takeTurn(through: Queryable, stream: string, turn: RelayTurn): Promise<TurnResult | undefined> {
  const { epoch, lastSequence, stored, marks, aside, max, floor, isLook } = turn;
  const isOne = marks > 0 && marks <= MARKS_WITH_READ_MAX;
  if (marks > 0 && !isOne && !(await markPublished(through, stream, turn))) return undefined;
  // A statement does not see its own marks.
  const unread = isOne ? stored : stored.slice(marks);
  const values = [max, aside, unread.map(({ position }) => position), floor, isLook, stream];
  if (!isOne) return resultOf(await through.query(pending, values), isLook);
  const marked = stored.slice(0, marks).map(({ position }) => position);
  const found = await through.query(markAndRead, [...values, epoch, lastSequence, marked]);
  return found[0]?.own === 1 ? resultOf(found, isLook) : undefined;
}

function resultOf(found: readonly Found[], isLook: boolean): TurnResult {
  const rows = found.flatMap(({ id, position, aggregateId, subject, payload, traceparent }) =>
    id === null ? [] : [{ id, position, aggregateId, subject, payload, traceparent }],
  );
  return { rows, look: isLook ? found[0]?.look : undefined };
}
