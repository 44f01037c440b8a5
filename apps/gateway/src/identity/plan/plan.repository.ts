import { statement } from '@switchboard/postgres';
import type { PlanState } from '../people.contract.js';

/** What an organization pays for, with an operator's exceptions. $1 organization, $2 now. */
export const findPlanState = statement<{ -readonly [Field in keyof PlanState]: PlanState[Field] }>(
  'gateway.find-plan-state',
  `SELECT p.name AS plan, o.subscription_status AS "subscriptionStatus", p.excluded_scopes AS "excludedScopes",
     coalesce(o.requests_per_minute, p.requests_per_minute) AS "requestsPerMinute",
     coalesce(o.request_burst, p.request_burst) AS "requestBurst",
     coalesce(o.messages_per_month, p.messages_per_month)::float8 AS "messagesPerMonth",
     coalesce(o.channels_max, p.channels_max) AS channels, coalesce(o.seats_max, p.seats_max) AS seats,
     ((SELECT count(*) FROM membership m WHERE m.organization_id = o.id)
       + (SELECT count(*) FROM invite i WHERE i.organization_id = o.id AND i.expires_at > $2))::integer AS "seatsTaken"
   FROM organization o JOIN plan p ON p.name = o.plan WHERE o.id = $1`,
);
