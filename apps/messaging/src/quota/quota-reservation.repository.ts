import { statement, type Database, type Queryable, type Transaction, unnestColumns } from '@switchboard/postgres';

/** What a job sets apart. */
export interface QuotaReservation {
  readonly organizationId: string;
  readonly jobId: string;
  /** `YYYY-MM`. */
  readonly month: string;
  readonly count: number;
}

/** A reservation of which it is not known whether its job is there. */
export interface UnconfirmedReservation {
  readonly organizationId: string;
  readonly jobId: string;
}

const insertSql = statement<{ count: number }>(
  'messaging.reservation.insert',
  `INSERT INTO quota_reservation (organization_id, job_id, month, count) VALUES ($1, $2, $3, $4)
   ON CONFLICT DO NOTHING RETURNING count`,
);
/** One that was given back stays so: the job's id is not used again. */
const standingSql = statement<{ isOpen: boolean; used: number }>(
  'messaging.reservation.standing',
  `SELECT r.closed_at IS NULL AS "isOpen", coalesce(q.used, 0)::float8 AS used
   FROM quota_reservation r LEFT JOIN quota q ON q.organization_id = r.organization_id AND q.month = r.month
   WHERE r.organization_id = $1 AND r.job_id = $2`,
);
/** The row is locked from here to COMMIT, for every send of the organization. */
const takeSql = statement<{ used: number }>(
  'messaging.reservation.take',
  `INSERT INTO quota AS q (organization_id, month, used) VALUES ($1, $2, $3)
   ON CONFLICT (organization_id, month) DO UPDATE SET used = q.used + excluded.used
   WHERE $4::bigint IS NULL OR q.used + excluded.used <= $4
   RETURNING used::float8 AS used`,
);
const usedSql = statement<{ used: number }>(
  'messaging.reservation.used',
  `SELECT used::float8 AS used FROM quota WHERE organization_id = $1 AND month = $2`,
);
const releaseSql = statement<{ released: number }>(
  'messaging.reservation.release',
  `SELECT release_quota(array_fill($1::text, ARRAY[cardinality($3::int[])]),
     array_fill($2::text, ARRAY[cardinality($3::int[])]), $3)::float8 AS released`,
);
const closeSql = statement<{ month: string; rest: number }>(
  'messaging.reservation.close',
  `UPDATE quota_reservation r SET closed_at = now(), released = r.count
   FROM (SELECT organization_id, job_id, count - released AS rest FROM quota_reservation
     WHERE organization_id = $1 AND job_id = $2 AND confirmed_at IS NULL AND closed_at IS NULL FOR UPDATE) AS before
   WHERE r.organization_id = before.organization_id AND r.job_id = before.job_id
   RETURNING r.month, before.rest::float8 AS rest`,
);
const giveBackSql = statement(
  'messaging.reservation.give-back',
  'UPDATE quota SET used = used - $3 WHERE organization_id = $1 AND month = $2',
);
const confirmSql = statement(
  'messaging.reservation.confirm',
  `UPDATE quota_reservation r SET confirmed_at = now() FROM unnest($1::text[], $2::text[]) AS g(organization_id, job_id)
   WHERE r.organization_id = g.organization_id AND r.job_id = g.job_id AND r.confirmed_at IS NULL`,
);
const unconfirmedSql = statement<UnconfirmedReservation>(
  'messaging.reservation.unconfirmed',
  `SELECT organization_id AS "organizationId", job_id AS "jobId" FROM quota_reservation
   WHERE confirmed_at IS NULL AND closed_at IS NULL AND created_at < now() - make_interval(secs => $1)
     AND NOT organization_id = ANY ($3::text[])
   ORDER BY created_at LIMIT $2`,
);

/**
 * Sets a job's messages apart, all or none. Idempotent by job: a twin waits for the first.
 *
 * @param limit what the organization may use of the month; null: counted only
 * @returns what is used of the month afterwards, and whether it was had
 */
export async function reserve(
  tx: Transaction,
  { organizationId, jobId, month, count }: QuotaReservation,
  limit: number | null,
): Promise<{ readonly isReserved: boolean; readonly used: number }> {
  const [made] = await tx.query(insertSql, [organizationId, jobId, month, count]);
  if (!made) {
    const [standing] = await tx.query(standingSql, [organizationId, jobId]);
    return { isReserved: standing?.isOpen === true, used: standing?.used ?? 0 };
  }
  // A month without a row has no other to be compared with.
  const taken = limit === null || count <= limit ? await tx.query(takeSql, [organizationId, month, count, limit]) : [];
  if (taken[0]) return { isReserved: true, used: taken[0].used };
  const [found] = await tx.query(usedSql, [organizationId, month]);
  return { isReserved: false, used: found?.used ?? 0 };
}

/** Gives the parts of recipients back, each once. @returns how many were given back now */
export async function releaseRecipients(
  through: Queryable,
  { organizationId, jobId }: UnconfirmedReservation,
  recipients: readonly number[],
): Promise<number> {
  if (recipients.length === 0) return 0;
  const [row] = await through.query(releaseSql, [organizationId, jobId, recipients]);
  return row?.released ?? 0;
}

/** Gives all of a reservation back whose job was never there. A confirmed one stays. @returns how many were given back */
export async function closeReservation(
  tx: Transaction,
  { organizationId, jobId }: UnconfirmedReservation,
): Promise<number> {
  const [closed] = await tx.query(closeSql, [organizationId, jobId]);
  if (!closed) return 0;
  tx.atCommit(giveBackSql, [organizationId, closed.month, closed.rest]);
  return closed.rest;
}

/** Notes that jobs are there. Travels with COMMIT. */
export function confirmReservations(tx: Transaction, reservations: readonly UnconfirmedReservation[]): void {
  if (reservations.length === 0) return;
  tx.atCommit(confirmSql, unnestColumns(reservations, ['organizationId', 'jobId']));
}

/** At most `max` reservations that are older and not confirmed, the oldest first. @param without organizations that are left alone */
export async function unconfirmedReservations(
  database: Database,
  olderThanMs: number,
  max: number,
  without: readonly string[],
): Promise<UnconfirmedReservation[]> {
  return database.query(unconfirmedSql, [olderThanMs / 1_000, max, without]);
}
