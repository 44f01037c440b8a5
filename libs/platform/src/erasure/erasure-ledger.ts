import { statement, unnestColumns, type Queryable } from '@switchboard/postgres';

/** A contact that is to be erased in a service. */
export interface PendingErasure {
  readonly organizationId: string;
  readonly contactId: string;
  readonly erasedAt: Date;
  /** Passes that have ended. */
  readonly passes: number;
}

/** Another replica takes over after so long without a sign of life. */
const LEASE_SECONDS = 10;

const insertSql = statement(
  'erasure.insert',
  `INSERT INTO erasure (organization_id, contact_id, erased_at, due_at)
   SELECT organization_id, contact_id, erased_at, now()
   FROM unnest($1::text[], $2::text[], $3::timestamptz[]) AS given(organization_id, contact_id, erased_at)
   ORDER BY 1, 2
   ON CONFLICT (organization_id, contact_id) DO UPDATE SET due_at = now(), erased_at = greatest(erasure.erased_at, excluded.erased_at),
     passes = CASE WHEN excluded.erased_at > erasure.erased_at THEN 0 ELSE erasure.passes END
   WHERE erasure.due_at IS NULL OR excluded.erased_at > erasure.erased_at`,
);
/**
 * Of the next organization that has any, in the order of their ids and from the first one on again: one that erases thousands delays
 * another's contact by one pass, which is of many. Of an organization the longest due. Each look goes along `erasure_turn` to the first row that is due.
 */
const takeSql = statement<PendingErasure>(
  'erasure.take',
  `WITH behind AS (
     SELECT organization_id, contact_id FROM erasure WHERE organization_id > $1 AND due_at <= now()
     ORDER BY organization_id, due_at LIMIT 1 FOR UPDATE SKIP LOCKED
   ), again AS (
     SELECT organization_id, contact_id FROM erasure
     WHERE organization_id <= $1 AND due_at <= now() AND NOT EXISTS (SELECT FROM behind)
     ORDER BY organization_id, due_at LIMIT 1 FOR UPDATE SKIP LOCKED
   ), due AS (SELECT * FROM behind UNION ALL SELECT * FROM again)
   UPDATE erasure e SET due_at = now() + interval '${LEASE_SECONDS} seconds' FROM due
   WHERE e.organization_id = due.organization_id AND e.contact_id = due.contact_id
   RETURNING e.organization_id AS "organizationId", e.contact_id AS "contactId", e.erased_at AS "erasedAt", e.passes`,
);
const keepSql = statement(
  'erasure.keep',
  `UPDATE erasure e SET due_at = now() + interval '${LEASE_SECONDS} seconds'
   FROM unnest($1::text[], $2::text[]) AS taken(organization_id, contact_id)
   WHERE e.organization_id = taken.organization_id AND e.contact_id = taken.contact_id AND e.due_at IS NOT NULL`,
);
const leaveSql = statement(
  'erasure.leave',
  `UPDATE erasure SET passes = passes + $3::int, due_at = now() + make_interval(secs => $4::float8)
   WHERE organization_id = $1 AND contact_id = $2 AND erased_at = $5 AND due_at IS NOT NULL`,
);
const endSql = statement(
  'erasure.end',
  `UPDATE erasure SET passes = passes + 1, due_at = NULL
   WHERE organization_id = $1 AND contact_id = $2 AND erased_at = $3`,
);
const nextSql = statement<{ inMs: number }>(
  'erasure.next',
  `SELECT (extract(epoch FROM due_at - now()) * 1000)::float8 AS "inMs" FROM erasure
   WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1`,
);
const countSql = statement<{ count: number; oldestSeconds: number }>(
  'erasure.count',
  `SELECT count(*)::int AS count, coalesce(extract(epoch FROM now() - min(erased_at)), 0)::float8 AS "oldestSeconds"
   FROM erasure WHERE due_at IS NOT NULL`,
);
const erasedSql = statement<{ organizationId: string; contactId: string }>(
  'erasure.among',
  `SELECT e.organization_id AS "organizationId", e.contact_id AS "contactId"
   FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::text[]) AS given(organization_id, contact_id)) given
   JOIN erasure e ON e.organization_id = given.organization_id AND e.contact_id = given.contact_id`,
);

/**
 * Notes contacts that are to be erased; one that is noted stays as it is, and when it has ended is confirmed once more. One that is
 * erased again, as it came back with a restored backup, is begun anew.
 */
export async function noteErasures(
  through: Queryable,
  erasures: readonly Pick<PendingErasure, 'organizationId' | 'contactId' | 'erasedAt'>[],
): Promise<void> {
  await through.query(insertSql, unnestColumns(erasures, ['organizationId', 'contactId', 'erasedAt']));
}

/**
 * One that is due, for this replica; null when none is.
 *
 * @param behind the organization whose turn was last; empty: none
 */
export async function takeErasure(through: Queryable, behind: string): Promise<PendingErasure | null> {
  const [taken] = await through.query(takeSql, [behind]);
  return taken ?? null;
}

/** Shows that the replica that took them is at work still; to be repeated within 10 s. */
export async function keepErasures(through: Queryable, taken: readonly PendingErasure[]): Promise<void> {
  await through.query(keepSql, unnestColumns(taken, ['organizationId', 'contactId']));
}

/** Leaves it until later. @param passes that have ended with this one: 0 or 1 */
export async function leaveErasure(through: Queryable, of: PendingErasure, passes: 0 | 1, inMs: number): Promise<void> {
  await through.query(leaveSql, [of.organizationId, of.contactId, passes, inMs / 1_000, of.erasedAt]);
}

/** Nothing is left of the contact here. */
export async function endErasure(through: Queryable, of: PendingErasure): Promise<void> {
  await through.query(endSql, [of.organizationId, of.contactId, of.erasedAt]);
}

/** Milliseconds until the next is due; null when none waits. */
export async function nextErasureMs(through: Queryable): Promise<number | null> {
  const [next] = await through.query(nextSql, []);
  return next?.inMs ?? null;
}

/** How many are not done, and the age of the oldest in seconds. */
export async function pendingErasures(
  through: Queryable,
): Promise<{ readonly count: number; readonly oldestSeconds: number }> {
  const [pending] = await through.query(countSql, []);
  return pending ?? { count: 0, oldestSeconds: 0 };
}

/** Those of the contacts that are erased, or are being erased. Read behind a transaction's first write. */
export async function erasedAmong(
  through: Queryable,
  contacts: readonly { readonly organizationId: string; readonly contactId: string }[],
): Promise<ReadonlySet<string>> {
  if (contacts.length === 0) return new Set();
  const rows = await through.query(erasedSql, unnestColumns(contacts, ['organizationId', 'contactId']));
  return new Set(rows.map(({ contactId }) => contactId));
}
