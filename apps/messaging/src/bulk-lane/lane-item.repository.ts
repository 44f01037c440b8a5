import { bulkItemSkipped } from '@switchboard/contracts/messaging/bulk-events';
import type { EventDataOf } from '@switchboard/contracts/grammar/define-event';
import { appendEvents } from '@switchboard/outbox';
import { statement, type Transaction, unnestColumns } from '@switchboard/postgres';
import type { ItemKey, LaneItem, LaneKey, RecipientKey } from './lane.entity.js';

/** Why a recipient gets no message. */
export type SkipReason = 'OPTED_OUT' | 'JOB_CANCELED' | 'EXPIRED' | 'ERASED' | 'UNFIT';

/** A message that is there already began before, whatever became of the row since. */
const insertSql = statement(
  'messaging.lane-item.insert',
  `INSERT INTO bulk_item (organization_id, job_id, recipient_index, message_id, phone, content, expires_at,
     is_contact_known)
   SELECT $1, $2, i.recipient_index, i.message_id, i.phone, i.content, i.expires_at,
     EXISTS (SELECT FROM contact_phone f JOIN contact c ON c.organization_id = f.organization_id AND c.id = f.contact_id
       AND c.version = f.version WHERE f.organization_id = $1 AND f.phone = i.phone COLLATE "C")
   FROM unnest($3::int[], $4::text[], $5::text[], $6::jsonb[], $7::timestamptz[])
     AS i(recipient_index, message_id, phone, content, expires_at)
   WHERE NOT EXISTS (SELECT FROM message m WHERE m.organization_id = $1 AND m.id = i.message_id COLLATE "C")
   ORDER BY i.recipient_index ON CONFLICT DO NOTHING`,
);
/** The row keeps a batch that comes later from bringing the recipient. */
const skipSql = statement<RecipientKey>(
  'messaging.lane-item.skip',
  `INSERT INTO bulk_item AS b (organization_id, job_id, recipient_index, message_id, phone, state, is_contact_known)
   SELECT $1, $2, i.recipient_index, i.message_id, '', 'SKIPPED', true
   FROM unnest($3::int[], $4::text[]) AS i(recipient_index, message_id)
   WHERE NOT EXISTS (SELECT FROM message m WHERE m.organization_id = $1 AND m.id = i.message_id COLLATE "C")
   ORDER BY i.recipient_index ON CONFLICT DO NOTHING
   RETURNING b.organization_id AS "organizationId", b.job_id AS "jobId", b.recipient_index AS "recipientIndex",
     b.message_id AS "messageId"`,
);
const withdrawSql = statement<RecipientKey>(
  'messaging.lane-item.withdraw',
  `UPDATE bulk_item i SET state = 'SKIPPED', content = NULL
   FROM (SELECT recipient_index FROM bulk_item
     WHERE organization_id = $1 AND job_id = $2 AND state = 'WAITING' ORDER BY recipient_index LIMIT $3) AS w
   WHERE i.organization_id = $1 AND i.job_id = $2 AND i.recipient_index = w.recipient_index AND i.state = 'WAITING'
   RETURNING i.organization_id AS "organizationId", i.job_id AS "jobId", i.recipient_index AS "recipientIndex",
     i.message_id AS "messageId"`,
);
const endSql = statement(
  'messaging.lane-item.end',
  `UPDATE bulk_item i SET state = g.state, content = NULL, message_id = g.message_id
   FROM unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::text[])
     AS g(organization_id, job_id, recipient_index, message_id, state)
   WHERE i.organization_id = g.organization_id AND i.job_id = g.job_id AND i.recipient_index = g.recipient_index`,
);
const contactKnownSql = statement(
  'messaging.lane-item.contact-known',
  `UPDATE bulk_item i SET is_contact_known = g.is_known
   FROM unnest($1::text[], $2::text[], $3::int[], $4::bool[]) AS g(organization_id, job_id, recipient_index, is_known)
   WHERE i.organization_id = g.organization_id AND i.job_id = g.job_id AND i.recipient_index = g.recipient_index
     AND i.state = 'WAITING'`,
);
const releaseSql = statement(
  'messaging.quota.release',
  'SELECT release_quota($1::text[], $2::text[], $3::int[])::float8 AS released',
);

/** Stores what is not stored yet. The transaction holds the lane (`openLane`). Travels with COMMIT. */
export function insertItems(tx: Transaction, lane: LaneKey, items: readonly Omit<LaneItem, keyof LaneKey>[]): void {
  tx.atCommit(insertSql, [
    lane.organizationId,
    lane.jobId,
    ...unnestColumns(items, ['recipientIndex', 'messageId', 'phone', 'content', 'expiresAt']),
  ]);
}

/** Skips what no batch has brought; each is announced and given back. The transaction holds the lane (`openLane`). */
export async function skipUnfit(
  tx: Transaction,
  lane: LaneKey,
  recipients: readonly Pick<RecipientKey, 'recipientIndex' | 'messageId'>[],
): Promise<RecipientKey[]> {
  const columns = unnestColumns(recipients, ['recipientIndex', 'messageId']);
  const skipped = await tx.query(skipSql, [lane.organizationId, lane.jobId, ...columns]);
  announceSkips(
    tx,
    skipped.map((item) => ({ ...item, reason: 'UNFIT' })),
  );
  return skipped;
}

/** Takes at most `max` recipients out of a lane that the transaction has locked; each is announced and given back. */
export async function withdrawItems(tx: Transaction, lane: LaneKey, max: number): Promise<RecipientKey[]> {
  const withdrawn = await tx.query(withdrawSql, [lane.organizationId, lane.jobId, max]);
  announceSkips(
    tx,
    withdrawn.map((item) => ({ ...item, reason: 'JOB_CANCELED' })),
  );
  return withdrawn;
}

/** Notes what became of claimed recipients; those that are skipped are announced and given back. Travels with COMMIT. */
export function endItems(
  tx: Transaction,
  begun: readonly RecipientKey[],
  skipped: readonly (RecipientKey & { readonly reason: SkipReason })[],
): void {
  const ended = [
    ...begun.map((item) => ({ ...item, state: 'BEGUN' })),
    ...skipped.map((item) => ({ ...item, state: 'SKIPPED' })),
  ];
  if (ended.length === 0) return;
  tx.atCommit(endSql, unnestColumns(ended, ['organizationId', 'jobId', 'recipientIndex', 'messageId', 'state']));
  announceSkips(tx, skipped);
}

/** Notes whose contacts are known by now, or are not any more. Travels with COMMIT. */
export function noteContacts(tx: Transaction, are: 'known' | 'unknown', items: readonly ItemKey[]): void {
  if (items.length === 0) return;
  const isKnown = are === 'known';
  tx.atCommit(contactKnownSql, unnestColumns(items, ['organizationId', 'jobId', 'recipientIndex', () => isKnown]));
}

/** Last in its transaction: counters of quotas are locked from here on. */
function announceSkips(tx: Transaction, skipped: readonly (RecipientKey & { readonly reason: SkipReason })[]): void {
  if (skipped.length === 0) return;
  const occurredAt = new Date();
  appendEvents(
    tx,
    skipped.map(({ organizationId, jobId, recipientIndex, messageId, reason }) => ({
      event: bulkItemSkipped,
      organizationId,
      aggregateId: jobId,
      sequence: null,
      occurredAt,
      data: { jobId, recipientIndex, messageId, ...announcedReason(reason) },
      traceparent: null,
    })),
  );
  tx.atCommit(releaseSql, unnestColumns(skipped, ['organizationId', 'jobId', 'recipientIndex']));
}

/** Within a version a reason cannot become another: see ADR 0009. */
function announcedReason(
  reason: SkipReason,
): Pick<EventDataOf<typeof bulkItemSkipped>, 'reason' | 'isErased' | 'isUnfit'> {
  if (reason === 'UNFIT') return { reason: 'JOB_CANCELED', isUnfit: true };
  return reason === 'ERASED' ? { reason: 'JOB_CANCELED', isErased: true } : { reason };
}
