import { isAbove, statement, type Transaction, unnestColumns } from '@switchboard/postgres';
import { inAnyMonth, type MessageKey } from '../message/lock-messages.js';
import { LEASE_MS } from './dispatch.entity.js';
import { judgeAttemptsSql, type ClaimedAttempt } from './retry-claim.repository.js';
import { hasEarlierRetry, isStillDue } from './retry-order.js';
import { SETTLE_DEADLINE_MS } from './retry.policy.js';

/** A claimed repetition of a bulk message, before it has its slot. */
export interface PacedAttempt extends Omit<ClaimedAttempt, 'lane' | 'markedMs'> {
  readonly jobId: string;
}

/** How many repetitions of a lane are claimed. */
export interface RepeatCount {
  readonly organizationId: string;
  readonly channelId: string;
  readonly jobId: string;
  readonly count: number;
}

const OF_DISPATCH = {
  organizationId: 'd.organization_id',
  channelId: 'd.channel_id',
  contactId: 'd.contact_id',
  messageId: 'd.message_id',
};

/** Of a repetition `d` that is due: it is not too old, and no interactive message of its conversation goes before it. */
export const MAY_REPEAT = `d.message_id >= cuid_floor(now() - make_interval(secs => ${SETTLE_DEADLINE_MS / 1_000}))
  AND NOT ${hasEarlierRetry(OF_DISPATCH)}`;

/**
 * As the claim of retries (`claimRetries`), bound to its indexes as that one: locks contact, phone, message and dispatch and waits
 * for none. One behind an interactive message of its conversation that is still to be sent stays where it is.
 */
const markSql = statement<MessageKey & { readonly jobId: string }>(
  'messaging.dispatch.claim-paced',
  `WITH next AS MATERIALIZED (
     SELECT n.* FROM unnest($2::text[], $3::text[], $4::text[], $5::int[]) AS g(organization_id, channel_id, job_id, count)
     CROSS JOIN LATERAL (
       SELECT d.organization_id, d.channel_id, d.contact_id, d.recipient_phone, d.message_id, d.due_at FROM dispatch d
       WHERE d.state = 'PACED' AND d.organization_id = g.organization_id AND d.channel_id = g.channel_id
         AND d.job_id = g.job_id AND d.due_at <= now() AND ${isAbove('$6', 'd.due_at')} AND ${MAY_REPEAT}
       ORDER BY d.due_at LIMIT g.count) AS n
   ), held AS (
     SELECT d.organization_id, d.message_id
     FROM next
     JOIN contact p ON p.organization_id = next.organization_id AND p.id = next.contact_id
     JOIN contact_phone f
       ON f.organization_id = next.organization_id AND f.phone = next.recipient_phone COLLATE "C"
     JOIN message m ON m.organization_id = next.organization_id AND m.id = ${inAnyMonth('next.message_id')}
     JOIN dispatch d ON d.organization_id = next.organization_id AND d.message_id = next.message_id
     WHERE ${isStillDue('PACED')}
     FOR KEY SHARE OF p, f SKIP LOCKED FOR UPDATE OF m, d SKIP LOCKED
   ), marked AS (
     UPDATE dispatch d SET state = 'DISPATCHING', attempts = d.attempts + 1, lease = $1,
       due_at = now() + make_interval(secs => ${LEASE_MS / 1_000})
     FROM held WHERE d.organization_id = held.organization_id AND d.message_id = held.message_id
     RETURNING d.organization_id, d.message_id
   )
   UPDATE message m SET attempted_at = now() FROM marked
   WHERE m.organization_id = marked.organization_id AND m.id = ${inAnyMonth('marked.message_id')}
   RETURNING m.organization_id AS "organizationId", m.id AS "messageId", m.job_id AS "jobId"`,
);

/**
 * Marks repetitions of lanes under a lease and judges them, in the transaction that has locked the lanes.
 *
 * @param repeatsFromMs see `LaneFloors`
 */
export async function claimPaced(
  tx: Transaction,
  counts: readonly RepeatCount[],
  lease: string,
  repeatsFromMs: number,
): Promise<PacedAttempt[]> {
  if (counts.length === 0) return [];
  const columns = unnestColumns(counts, ['organizationId', 'channelId', 'jobId', 'count']);
  const marked = await tx.query(markSql, [lease, ...columns, repeatsFromMs]);
  if (marked.length === 0) return [];
  const jobOf = new Map(marked.map(({ messageId, jobId }) => [messageId, jobId]));
  const judged = await tx.query(judgeAttemptsSql, unnestColumns(marked, ['organizationId', 'messageId']));
  return judged.map((attempt) => ({ ...attempt, jobId: jobOf.get(attempt.messageId) ?? '' }));
}
