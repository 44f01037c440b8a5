import { statement, unnestColumns, type Queryable } from '@switchboard/postgres';

/** What an organization pays for, by an event of the gateway. */
export interface ProjectedOrganization {
  readonly organizationId: string;
  readonly subscription: 'ACTIVE' | 'PAST_DUE' | 'CANCELED';
  readonly messagesPerMonth: number;
  readonly sourceEventId: string;
}

/** An organization with what it may send in a month. */
export interface QuotaOwner {
  readonly organizationId: string;
  readonly messagesPerMonth: number;
}

/** Only a newer event changes a row, so order and repetition do not matter. Sorted against deadlocks. */
const projectSql = statement(
  'templates.organization.project',
  `INSERT INTO organization AS o (organization_id, subscription, messages_per_month, last_event_id)
   SELECT DISTINCT ON (organization_id) *
   FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[])
     AS changed (organization_id, subscription, messages_per_month, last_event_id)
   ORDER BY organization_id, last_event_id COLLATE "C" DESC
   ON CONFLICT (organization_id) DO UPDATE SET subscription = excluded.subscription,
     messages_per_month = excluded.messages_per_month, is_over_quota = NULL, last_event_id = excluded.last_event_id
   WHERE o.last_event_id < excluded.last_event_id`,
);
/** Of those with active jobs, by their index: never asked, or over it and asked long enough ago. */
const toAskSql = statement<QuotaOwner>(
  'templates.organization.to-ask',
  `SELECT o.organization_id AS "organizationId", o.messages_per_month::float8 AS "messagesPerMonth"
   FROM (SELECT DISTINCT organization_id FROM job WHERE state = 'ACTIVE') AS active
   JOIN organization o ON o.organization_id = active.organization_id
   WHERE o.is_over_quota IS NULL OR (o.is_over_quota AND o.asked_at < now() - make_interval(secs => $1))
   ORDER BY o.organization_id LIMIT $2`,
);
/** An answer about another number than the row's is too late. */
const answerSql = statement(
  'templates.organization.answer',
  `UPDATE organization SET is_over_quota = $3, asked_at = now() WHERE organization_id = $1 AND messages_per_month = $2`,
);

/** Stores what organizations pay for. */
export async function projectOrganizations(
  through: Queryable,
  organizations: readonly ProjectedOrganization[],
): Promise<void> {
  const columns = ['organizationId', 'subscription', 'messagesPerMonth', 'sourceEventId'] as const;
  if (organizations.length > 0) await through.query(projectSql, unnestColumns(organizations, [...columns]));
}

/** Organizations of which messaging is to be asked what they have used. */
export async function organizationsToAsk(
  through: Queryable,
  againSeconds: number,
  limit: number,
): Promise<QuotaOwner[]> {
  return through.query(toAskSql, [againSeconds, limit]);
}

/** Records whether more is used and reserved than the number allows. */
export async function recordQuotaUse(
  through: Queryable,
  organizationId: string,
  messagesPerMonth: number,
  isOver: boolean,
): Promise<void> {
  await through.query(answerSql, [organizationId, messagesPerMonth, isOver]);
}
