import { cuidFloor } from '@switchboard/contracts/grammar/cuid';
import type { FoundContact } from '@switchboard/platform';
import { statement, type Queryable, type Transaction } from '@switchboard/postgres';
import { endItems } from '../bulk-lane/lane-item.repository.js';
import type { RecipientKey } from '../bulk-lane/lane.entity.js';
import { lockLane } from '../bulk-lane/lane.repository.js';

type Erased = Pick<FoundContact, 'organizationId' | 'phoneForms' | 'erasedAt'>;

/** A job that was accepted after the erasure speaks of a new contact. */
const lanesSql = statement<{ jobId: string }>(
  'messaging.lane-item.erasure-lanes',
  `SELECT DISTINCT job_id AS "jobId" FROM bulk_item
   WHERE organization_id = $1 AND state = 'WAITING' AND phone = ANY ($2::text[]) AND job_id < $3 ORDER BY job_id`,
);
const waitingSql = statement<RecipientKey>(
  'messaging.lane-item.erasure-waiting',
  `SELECT organization_id AS "organizationId", job_id AS "jobId", recipient_index AS "recipientIndex",
     message_id AS "messageId"
   FROM bulk_item WHERE organization_id = $1 AND job_id = $3 AND state = 'WAITING' AND phone = ANY ($2::text[])
   ORDER BY recipient_index`,
);
const eraseSql = statement(
  'messaging.lane-item.erase',
  `UPDATE bulk_item SET phone = '', content = NULL
   WHERE organization_id = $1 AND phone = ANY ($2::text[]) AND job_id < $3 AND state <> 'WAITING'`,
);

/** Takes the recipients that the contact is out of their lanes: SKIPPED `ERASED`, their quota given back. */
export async function skipItems(tx: Transaction, { organizationId, phoneForms, erasedAt }: Erased): Promise<void> {
  if (phoneForms.length === 0) return;
  const lanes = await tx.query(lanesSql, [organizationId, phoneForms, cuidFloor(erasedAt)]);
  for (const { jobId } of lanes) {
    await lockLane(tx, { organizationId, jobId });
    const waiting = await tx.query(waitingSql, [organizationId, phoneForms, jobId]);
    endItems(
      tx,
      [],
      waiting.map((item) => ({ ...item, reason: 'ERASED' })),
    );
  }
}

/** Overwrites the numbers of recipients that have left their lanes. */
export async function eraseItems(through: Queryable, { organizationId, phoneForms, erasedAt }: Erased): Promise<void> {
  if (phoneForms.length === 0) return;
  await through.query(eraseSql, [organizationId, phoneForms, cuidFloor(erasedAt)]);
}
