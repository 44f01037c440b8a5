import { IS_COMPARED } from '@switchboard/outbox';
import { type Database, isAbove, statement, unnestColumns } from '@switchboard/postgres';
import { systemClock } from '@switchboard/platform';
import { isErased } from '../erase-messages/erasure.policy.js';
import { inAnyMonth, lockFreeMessages, type MessageKey } from '../message/lock-messages.js';
import { LEASE_MS, type Attempt, type AttemptRefusal } from './dispatch.entity.js';
import { floorOfDispatches } from './dispatch-floor.sql.js';
import { IN_ORDER, isStillDue, LINE, OF_LINE, WAITED_FOR } from './retry-order.js';
import { SETTLE_DEADLINE_MS } from './retry.policy.js';

/** A claimed attempt; `refusal` says why it must not be made. */
export interface ClaimedAttempt extends Attempt {
  readonly refusal: AttemptRefusal | null;
}

/** An organization's channel that has messages to be sent again. */
export interface RetryLine {
  readonly organizationId: string;
  readonly channelId: string;
}

/** What a look along the lines found. */
export interface RetryLook {
  readonly lines: readonly RetryLine[];
  /** No message that is to be sent again is due before, by the database's clock: see `LookFloor`. */
  readonly floorMs: number;
}

/** How much may be claimed. */
export interface ClaimBounds {
  readonly limit: number;
  /** Attempts that one organization may have under way. */
  readonly organizationMax: number;
  /** Attempts that organizations have under way now. */
  readonly underway: ReadonlyMap<string, number>;
  /** The contact behind whom the conversations of a channel are looked through; the first by default. */
  readonly behind?: ReadonlyMap<string, string>;
  /** Of the last look (`retryLines`); minus infinity by default. */
  readonly floorMs?: number;
}

/** The oldest that are due, whosesoever: as long as these are all, every one that is due is seen in every round. */
const OLDEST_MAX = 256;

/**
 * A walk from line to line along `dispatch_line`: one probe each, whatever waits in them. Its last row is of no line: there is a floor
 * where nothing waits.
 */
const linesSql = statement<RetryLine & { readonly floorMs: number | null }>(
  'messaging.dispatch.retry-lines',
  `WITH RECURSIVE line AS (
     (SELECT d.organization_id, d.channel_id, 1 AS n FROM dispatch d
      WHERE ${OF_LINE} AND ${LINE} > $1 || ' ' || $2 AND ${isAbove('$4', 'd.due_at')} ORDER BY ${LINE} LIMIT 1)
     UNION ALL
     SELECT next.organization_id, next.channel_id, line.n + 1
     FROM line CROSS JOIN LATERAL (
       SELECT d.organization_id, d.channel_id FROM dispatch d
       WHERE ${OF_LINE} AND ${LINE} > line.organization_id || ' ' || line.channel_id AND ${isAbove('$4', 'd.due_at')}
       ORDER BY ${LINE} LIMIT 1) AS next
     WHERE line.n < $3
   )
   SELECT organization_id AS "organizationId", channel_id AS "channelId", NULL::float8 AS "floorMs", n FROM line
   UNION ALL
   SELECT '', '', ${floorOfDispatches('RETRY', '$4')}, $3 + 1
   ORDER BY n`,
);

/** Attempts under way: a mark whose lease ended longer ago is of no holder. The index keeps dead entries behind an old snapshot. */
const UNDERWAY = `d.state = 'DISPATCHING' AND d.due_at > now() - interval '1 minute'`;
/** As a value of its own: the order by which it is looked for is kept. */
const IS_DUE = `d.due_at <= now() AND ${isAbove('$9', 'd.due_at')} AND d.message_id >= (SELECT young_enough FROM since)`;
const COLUMNS = 'd.organization_id, d.channel_id, d.contact_id, d.recipient_phone, d.message_id, d.due_at';
const FIRST = 'ORDER BY d.contact_id, d.message_id LIMIT 1';

/**
 * Marks attempts: organizations take turns, in an organization its channels, in a channel the oldest first.
 *
 * What comes into question is the oldest of all (index `dispatch_due`), the oldest of the lines given (`dispatch_line`) and
 * the first messages of conversations of these lines (`dispatch_order`), from the contact given on and then from the
 * beginning, where more is due of a line than its oldest: where much waits in few conversations these may all be behind others, and to
 * look through them would cost more with each that waits. Claimed is of these what has no earlier message of its conversation that is
 * still to be sent, or being sent: an order that holds over all replicas.
 *
 * Nothing is claimed of a database that may be from a backup.
 *
 * Where many were sent again the indexes keep their entries behind an old snapshot: those are passed by below the floor.
 *
 * Every step is bound to its index, and the choice is made once (MATERIALIZED) and then looked up by keys: the state of a row is asked
 * for again in a way that fits no index, else a server that expects no retry goes through the rows that are due and chooses anew
 * for each. Source: docs/adr/0022-planner.md
 *
 * Locks contact, recipient's phone, message and dispatch and waits for none: a row that another transaction holds is that one's,
 * or comes later. A phone that was sent to has a row for ever.
 */
const markSql = statement<MessageKey>(
  'messaging.dispatch.claim',
  `WITH RECURSIVE since AS MATERIALIZED (
     SELECT cuid_floor(now() - make_interval(secs => ${SETTLE_DEADLINE_MS / 1_000})) AS young_enough,
       ${WAITED_FOR} AS waited_for
   ), line AS MATERIALIZED (
     SELECT organization_id, channel_id, organization_id || ' ' || channel_id COLLATE "C" AS key, behind COLLATE "C" AS behind
     FROM unnest($3::text[], $4::text[], $8::text[]) AS given(organization_id, channel_id, behind)
   ), busy AS MATERIALIZED (
     SELECT d.organization_id, d.channel_id, d.contact_id, min(d.message_id) AS first FROM since CROSS JOIN dispatch d
     WHERE ${UNDERWAY} AND d.job_id IS NULL AND d.message_id >= since.waited_for GROUP BY 1, 2, 3
   ), of_line AS MATERIALIZED (
     SELECT line.key, line.behind, oldest.* FROM line CROSS JOIN LATERAL (
       SELECT ${COLUMNS} FROM dispatch d
       WHERE ${OF_LINE} AND ${LINE} = line.key AND ${IS_DUE} ORDER BY d.due_at LIMIT 2 * $5) AS oldest
   ), walk AS (
     SELECT key, behind AS contact_id, 0 AS n FROM of_line GROUP BY key, behind HAVING count(*) = 2 * $5
     UNION ALL
     SELECT walk.key, next.contact_id, walk.n + 1
     FROM walk CROSS JOIN LATERAL (
       (SELECT d.contact_id FROM dispatch d
        WHERE ${IN_ORDER} AND ${LINE} = walk.key AND d.contact_id > walk.contact_id ${FIRST})
       UNION ALL
       (SELECT d.contact_id FROM dispatch d WHERE ${IN_ORDER} AND ${LINE} = walk.key ${FIRST})
       LIMIT 1) AS next
     WHERE walk.n < 2 * $5
   ), seen AS (
     (SELECT ${COLUMNS} FROM dispatch d WHERE d.state = 'RETRY' AND ${IS_DUE} ORDER BY d.due_at LIMIT ${OLDEST_MAX})
     UNION
     SELECT organization_id, channel_id, contact_id, recipient_phone, message_id, due_at FROM of_line
     UNION
     SELECT first.* FROM since CROSS JOIN walk CROSS JOIN LATERAL (
       SELECT ${COLUMNS} FROM dispatch d
       WHERE ${IN_ORDER} AND ${LINE} = walk.key AND d.contact_id = walk.contact_id AND d.message_id >= since.waited_for
       ${FIRST}) AS first
     WHERE first.due_at <= now()
   ), due AS (
     SELECT s.* FROM since CROSS JOIN seen s
     WHERE s.message_id <= coalesce((SELECT d.message_id FROM dispatch d
         WHERE ${IN_ORDER} AND ${LINE} = s.organization_id || ' ' || s.channel_id AND d.contact_id = s.contact_id
           AND d.message_id >= since.waited_for ${FIRST}), s.message_id)
       AND NOT EXISTS (SELECT FROM busy b WHERE b.organization_id = s.organization_id AND b.channel_id = s.channel_id
         AND b.contact_id = s.contact_id AND b.first < s.message_id)
   ), placed AS (
     SELECT due.*, row_number() OVER (PARTITION BY organization_id, channel_id ORDER BY due_at, message_id) AS place
     FROM due
   ), next AS MATERIALIZED (
     SELECT placed.*, row_number() OVER (PARTITION BY organization_id ORDER BY place, due_at, message_id) AS turn
     FROM placed
   ), held AS (
     SELECT d.organization_id, d.message_id
     FROM next
     LEFT JOIN unnest($6::text[], $7::int[]) AS busy(organization_id, underway)
       ON busy.organization_id = next.organization_id
     JOIN contact p ON p.organization_id = next.organization_id AND p.id = next.contact_id
     JOIN contact_phone f
       ON f.organization_id = next.organization_id AND f.phone = next.recipient_phone COLLATE "C"
     JOIN message m ON m.organization_id = next.organization_id AND m.id = ${inAnyMonth('next.message_id')}
     JOIN dispatch d ON d.organization_id = next.organization_id AND d.message_id = next.message_id
     WHERE next.turn + coalesce(busy.underway, 0) <= $5 AND ${isStillDue('RETRY')} AND ${IS_COMPARED}
     ORDER BY next.turn + coalesce(busy.underway, 0), next.due_at LIMIT $1
     FOR KEY SHARE OF p, f SKIP LOCKED FOR UPDATE OF m, d SKIP LOCKED
   ), marked AS (
     UPDATE dispatch d SET state = 'DISPATCHING', is_repeat = true, attempts = d.attempts + 1, lease = $2,
       due_at = now() + make_interval(secs => ${LEASE_MS / 1_000})
     FROM held WHERE d.organization_id = held.organization_id AND d.message_id = held.message_id
     RETURNING d.organization_id, d.message_id
   )
   UPDATE message m SET attempted_at = now() FROM marked
   WHERE m.organization_id = marked.organization_id AND m.id = ${inAnyMonth('marked.message_id')}
   RETURNING m.organization_id AS "organizationId", m.id AS "messageId"`,
);

/** Of a contact `p` that was merged: some contact by which it goes on is found by this look. */
const goesOnAs = (look: string): string => `p.merged_into IS NOT NULL AND EXISTS (
         WITH RECURSIVE goes_on AS (
           SELECT p.merged_into AS id
           UNION
           SELECT n.merged_into FROM goes_on
           CROSS JOIN LATERAL (SELECT c.merged_into FROM contact c
             WHERE c.organization_id = d.organization_id AND c.id = goes_on.id LIMIT 1) n
           WHERE n.merged_into IS NOT NULL)
         SELECT FROM goes_on CROSS JOIN LATERAL (${look} LIMIT 1) AS one)`;

/**
 * Under the locks of contacts and phones, in a look of its own: it sees every suppression that was committed before they
 * were had. The number may have become another contact's since the message was accepted, and the contact may have been merged into another;
 * the opt-outs of all of them count; of a number that is free contacts is asked (`Dispatcher`). Who was merged is erased with the one
 * that goes on, and not with one in between.
 */
export const judgeAttemptsSql = statement<Omit<ClaimedAttempt, 'markedMs' | 'lane'>>(
  'messaging.dispatch.judge',
  `SELECT d.organization_id AS "organizationId", d.message_id AS "messageId", d.channel_id AS "channelId",
     d.contact_id AS "contactId", d.recipient_phone AS "recipientPhone", d.attempts, d.lease, m.text,
     CASE WHEN m.type = 'TEMPLATE' THEN jsonb_build_object('name', m.template->>'name',
       'language', m.template->>'language', 'parameters', d.template_parameters) END AS template,
     ch.phone_number_id AS "phoneNumberId", ch.access_token_sealed AS "accessTokenSealed",
     p.messaging_id AS "contactMessagingId", o.id IS NULL AS "hasNoOwner",
     CASE WHEN ${isErased('p')} OR ${goesOnAs(`SELECT FROM contact c
           WHERE c.organization_id = d.organization_id AND c.id = goes_on.id AND c.merged_into IS NULL AND ${isErased('c')}`)} THEN 'erased'
       WHEN ch.status <> 'CONNECTED' THEN 'disconnected'
       WHEN EXISTS (SELECT FROM suppression s WHERE s.organization_id = d.organization_id
         AND s.contact_id IN (d.contact_id, o.id) AND s.channel_id IN (d.channel_id, '*')) THEN 'opted-out'
       WHEN ${goesOnAs(`SELECT FROM suppression s WHERE s.organization_id = d.organization_id
           AND s.contact_id = goes_on.id AND s.channel_id IN (d.channel_id, '*')`)} THEN 'opted-out' END AS refusal
   FROM unnest($1::text[], $2::text[]) AS mine(organization_id, message_id)
   JOIN dispatch d ON d.organization_id = mine.organization_id AND d.message_id = mine.message_id
   JOIN message m ON m.organization_id = d.organization_id AND m.id = d.message_id
   JOIN channel ch ON ch.organization_id = d.organization_id AND ch.id = d.channel_id
   JOIN contact p ON p.organization_id = d.organization_id AND p.id = d.contact_id
   LEFT JOIN contact_phone f ON f.organization_id = d.organization_id AND f.phone = d.recipient_phone COLLATE "C"
   LEFT JOIN contact o ON o.organization_id = f.organization_id AND o.id = f.contact_id AND o.version = f.version`,
);

const leasedSql = statement<MessageKey & { lease: string }>(
  'messaging.dispatch.leased',
  `SELECT organization_id AS "organizationId", message_id AS "messageId", lease FROM dispatch
   WHERE state IN ('DISPATCHING', 'UNKNOWN') AND lease = ANY($1::text[])`,
);
const unclaimSql = statement(
  'messaging.dispatch.unclaim',
  `UPDATE dispatch d SET state = CASE WHEN d.job_id IS NULL THEN 'RETRY' ELSE 'PACED' END, attempts = d.attempts - 1, due_at = now()
   FROM unnest($1::text[], $2::text[], $3::text[]) AS own(organization_id, message_id, lease)
   WHERE d.organization_id = own.organization_id AND d.message_id = own.message_id AND d.lease = own.lease
     AND d.state IN ('DISPATCHING', 'UNKNOWN')`,
);

/**
 * At most `max` lines behind the one given, in the order of their ids; null stands for the first.
 *
 * @param floorMs of the look before; minus infinity: all are looked for
 */
export async function retryLines(
  database: Database,
  behind: RetryLine | null,
  max: number,
  floorMs = -Infinity,
): Promise<RetryLook> {
  const rows = await database.query(linesSql, [behind?.organizationId ?? '', behind?.channelId ?? '', max, floorMs]);
  return {
    lines: rows
      .filter((row) => row.floorMs === null)
      .map(({ organizationId, channelId }) => ({ organizationId, channelId })),
    floorMs: rows.at(-1)?.floorMs ?? floorMs,
  };
}

/**
 * Claims due retries, marking each as an attempt under `lease`. Replicas never claim the same one. Opt-outs and channels
 * are judged in the transaction that marks.
 *
 * @param lines whose turn it is, in addition to the oldest of all
 * @throws when the answer is lost: what was marked must be given back (`ReleasedLeases`)
 */
export async function claimRetries(
  database: Database,
  lines: readonly RetryLine[],
  { limit, organizationMax, underway, behind = new Map(), floorMs = -Infinity }: ClaimBounds,
  lease: string,
): Promise<ClaimedAttempt[]> {
  return database.transaction(async (tx) => {
    const markedMs = systemClock.monotonic();
    const marked = await tx.query(markSql, [
      limit,
      lease,
      ...unnestColumns(lines, ['organizationId', 'channelId']),
      organizationMax,
      [...underway.keys()],
      [...underway.values()],
      lines.map(({ channelId }) => behind.get(channelId) ?? ''),
      floorMs,
    ]);
    if (marked.length === 0) return [];
    const claimed = await tx.query(judgeAttemptsSql, unnestColumns(marked, ['organizationId', 'messageId']));
    return claimed.map((attempt) => ({ ...attempt, lane: null, markedMs }));
  });
}

/**
 * Gives back what was marked under leases and never begun, whenever that turns out. Safe to repeat; waits for no lock.
 *
 * @returns leases of which something is left: another transaction holds its message
 */
export async function unclaim(database: Database, leases: readonly string[]): Promise<ReadonlySet<string>> {
  return database.transaction(async (tx) => {
    const leased = await tx.query(leasedSql, [leases]);
    const free = new Set(await lockFreeMessages(tx, leased));
    if (free.size > 0) tx.atCommit(unclaimSql, unnestColumns([...free], ['organizationId', 'messageId', 'lease']));
    return new Set(leased.filter((row) => !free.has(row)).map(({ lease }) => lease));
  });
}
