import { cuidFloor } from '@switchboard/contracts/grammar/cuid';
import {
  inSlices,
  ownColumns,
  ownPhones,
  type ErasureTarget,
  type FoundContact,
  type OwnName,
  type Slice,
} from '@switchboard/platform';
import { statement, type Queryable, type Transaction } from '@switchboard/postgres';
import { endItems } from '../bulk-lane/lane-item.repository.js';
import type { RecipientKey } from '../bulk-lane/lane.entity.js';
import { lockLane } from '../bulk-lane/lane.repository.js';

type Erased = Pick<FoundContact, 'organizationId' | 'phoneForms' | 'former' | 'erasedAt'>;

/** Recipients that are looked at in one statement. */
const SLICE_MAX = 5_000;

/** A place in the walk through an organization's recipients. */
interface ItemCursor {
  readonly jobId: string;
  readonly index: number;
}

const FIRST: ItemCursor = { jobId: '', index: -1 };
const LAST = `(SELECT json_build_object('jobId', job_id, 'index', recipient_index) FROM slice
       ORDER BY job_id DESC, recipient_index DESC LIMIT 1) AS last`;
/** A job that was accepted after the erasure speaks of a new contact; after a number was given up, of whoever has it since. */
const IS_OWN = `EXISTS (SELECT FROM unnest($1::text[], $2::text[]) AS own(form, until_id)
       WHERE job_id < own.until_id AND phone = own.form)`;
const waitingSlice = (isKnown: string): string =>
  `(SELECT job_id, recipient_index, phone FROM bulk_item
     WHERE organization_id = $3 AND state = 'WAITING' AND ${isKnown}
       AND (job_id, recipient_index) > ($4, $5) AND job_id < $6
     ORDER BY job_id, recipient_index LIMIT ${SLICE_MAX})`;
/** What waits has two indexes, by whether its contact is known, and goes from one to the other: both are read at one moment. */
const waitingSliceSql = statement<Slice<ItemCursor> & { found: string[] | null }>(
  'messaging.lane-item.erasure-slice',
  `WITH slice AS MATERIALIZED (
     ${waitingSlice('is_contact_known')} UNION ALL ${waitingSlice('NOT is_contact_known')}
     ORDER BY job_id, recipient_index LIMIT ${SLICE_MAX})
   SELECT count(*)::int AS rows, ${LAST},
     array_agg(DISTINCT job_id) FILTER (WHERE ${IS_OWN}) AS found FROM slice`,
);
const waitingSql = statement<RecipientKey>(
  'messaging.lane-item.erasure-waiting',
  `SELECT organization_id AS "organizationId", job_id AS "jobId", recipient_index AS "recipientIndex",
     message_id AS "messageId"
   FROM bulk_item WHERE organization_id = $1 AND job_id = $3 AND state = 'WAITING' AND phone = ANY ($2::text[])
   ORDER BY recipient_index`,
);
const eraseSql = statement<Slice<ItemCursor>>(
  'messaging.lane-item.erase',
  `WITH slice AS MATERIALIZED (
     SELECT job_id, recipient_index, state <> 'WAITING' AND ${IS_OWN} AS is_found FROM bulk_item
     WHERE organization_id = $3 AND (job_id, recipient_index) > ($4, $5) AND job_id < $6
     ORDER BY job_id, recipient_index LIMIT ${SLICE_MAX}),
   erased AS (
     UPDATE bulk_item i SET phone = '', content = NULL FROM slice
     WHERE slice.is_found AND i.organization_id = $3 AND i.job_id = slice.job_id
       AND i.recipient_index = slice.recipient_index AND i.state <> 'WAITING')
   SELECT count(*)::int AS rows, ${LAST} FROM slice`,
);

/** Takes recipients of an organization that erased contacts are out of their lanes: SKIPPED `ERASED`, their quota given back. */
export async function skipItems(tx: Transaction, erased: readonly Erased[]): Promise<void> {
  // Lanes are locked in the order of their organizations and jobs.
  const organizations = [...Map.groupBy(erased, (contact) => contact.organizationId)].toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  );
  for (const [organizationId, own] of organizations) {
    // One look for all of them.
    const phones = own.flatMap(ownPhones);
    for (const jobId of await lanesOf(tx, organizationId, phones)) {
      await lockLane(tx, { organizationId, jobId });
      const named = phones.filter(({ until }) => jobId < cuidFloor(until)).map(({ name }) => name);
      const waiting = await tx.query(waitingSql, [organizationId, named, jobId]);
      endItems(
        tx,
        [],
        waiting.map((item) => ({ ...item, reason: 'ERASED' })),
      );
    }
  }
}

/** Jobs with a recipient that waits and has one of these numbers, in the order of their ids. */
async function lanesOf(
  tx: Transaction,
  organizationId: string,
  phones: readonly OwnName[],
): Promise<readonly string[]> {
  if (phones.length === 0) return [];
  const [own, until] = [ownColumns(phones), lastBound(phones)];
  const found = new Set<string>();
  await inSlices(FIRST, SLICE_MAX, async ({ jobId, index }) => {
    const [slice] = await tx.query(waitingSliceSql, [...own, organizationId, jobId, index, until]);
    for (const one of slice?.found ?? []) found.add(one);
    return slice;
  });
  return [...found].toSorted();
}

/** Overwrites the numbers of recipients that have left their lanes. */
export async function eraseItems(through: Queryable, target: Erased & Pick<ErasureTarget, 'keepOn'>): Promise<void> {
  const phones = ownPhones(target);
  if (phones.length === 0) return;
  const [own, until] = [ownColumns(phones), lastBound(phones)];
  await inSlices(FIRST, SLICE_MAX, async ({ jobId, index }) => {
    const [slice] = await through.query(eraseSql, [...own, target.organizationId, jobId, index, until]);
    await target.keepOn();
    return slice;
  });
}

/** No job from there on is looked at. */
function lastBound(phones: readonly OwnName[]): string {
  return cuidFloor(new Date(Math.max(...phones.map(({ until }) => until.getTime()))));
}
