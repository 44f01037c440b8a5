import { statement } from '@switchboard/postgres';

/** Numbers that an operator sets for one organization; null: the plan's. */
export interface PlanOverrides {
  readonly requestsPerMinute: number | null;
  readonly requestBurst: number | null;
  readonly messagesPerMonth: number | null;
  readonly channels: number | null;
  readonly seats: number | null;
}

/** Source: docs/api-behaviour.md#plans. */
export const subscriptionStatuses = ['ACTIVE', 'PAST_DUE', 'CANCELED'] as const;

/** One of `subscriptionStatuses`. */
export type SubscriptionStatus = (typeof subscriptionStatuses)[number];

/** What an organization pays for, and an operator's exceptions. */
export interface OrganizationRow extends PlanOverrides {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  readonly subscription: SubscriptionStatus;
  readonly createdAt: Date;
}

const SHOWN = `id, name, plan, subscription_status AS subscription, requests_per_minute AS "requestsPerMinute",
  request_burst AS "requestBurst", messages_per_month::float8 AS "messagesPerMonth", channels_max AS channels,
  seats_max AS seats, created_at AS "createdAt"`;

/** All, by id: $1 the last one of the page before, $2 how many. */
export const listOrganizationRows = statement<OrganizationRow>(
  'gateway.list-organizations',
  `SELECT ${SHOWN} FROM organization WHERE id > $1 ORDER BY id LIMIT $2`,
);

/** One. */
export const findOrganization = statement<OrganizationRow>(
  'gateway.find-organization',
  `SELECT ${SHOWN} FROM organization WHERE id = $1`,
);

/** One, locked against other changes until the transaction ends; admission and references read on. */
export const lockOrganizationPlan = statement<OrganizationRow>(
  'gateway.lock-organization-plan',
  `SELECT ${SHOWN} FROM organization WHERE id = $1 FOR NO KEY UPDATE`,
);

/** Every plan, smallest first. */
export const listPlans = statement<PlanRow>(
  'gateway.list-plans',
  `SELECT name, requests_per_minute AS "requestsPerMinute", request_burst AS "requestBurst",
     messages_per_month::float8 AS "messagesPerMonth", channels_max AS channels, seats_max AS seats
   FROM plan ORDER BY requests_per_minute`,
);

/** A plan and its numbers. */
export interface PlanRow {
  readonly name: string;
  readonly requestsPerMinute: number;
  readonly requestBurst: number;
  readonly messagesPerMonth: number;
  readonly channels: number;
  readonly seats: number;
}

/** Counts at the next admission: nothing of it is kept in a process. */
export const updatePlan = statement<OrganizationRow>(
  'gateway.update-plan',
  `UPDATE organization SET plan = $2, requests_per_minute = $3, request_burst = $4, messages_per_month = $5,
     channels_max = $6, seats_max = $7 WHERE id = $1 RETURNING ${SHOWN}`,
);

/** Counts at the next admission. */
export const updateSubscription = statement<OrganizationRow>(
  'gateway.update-subscription',
  `UPDATE organization SET subscription_status = $2 WHERE id = $1 RETURNING ${SHOWN}`,
);

/** Counts that an operator sees with the row. */
export const countsOfOrganization = statement<{ activeKeys: number; revokedKeys: number; auditEntries: number }>(
  'gateway.counts-of-organization',
  `SELECT count(*) FILTER (WHERE revoked_at IS NULL)::integer AS "activeKeys",
     count(revoked_at)::integer AS "revokedKeys",
     coalesce((SELECT sequence FROM audit_head WHERE organization_id = $1), 0)::float8 AS "auditEntries"
   FROM api_key WHERE organization_id = $1`,
);
