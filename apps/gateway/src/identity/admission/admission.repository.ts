import { statement } from '@switchboard/postgres';

/** An active key, its organization, and what the batch took of the organization's rate. */
export interface KeyRow {
  /** 64 hex digits, as asked. */
  readonly hash: string;
  readonly keyId: string;
  readonly organizationId: string;
  readonly scopes: readonly string[] | null;
  readonly plan: string;
  readonly subscriptionStatus: 'ACTIVE' | 'PAST_DUE' | 'CANCELED';
  readonly excludedScopes: readonly string[];
  readonly messagesPerMonth: number;
  /** Microseconds; see `TakenRate`. */
  readonly ahead: number;
  readonly interval: number;
  readonly burst: number;
  readonly granted: number;
}

/** The later one of this batch's clock and the stored one, unless the latter was set by a clock that has stepped back since. */
const CLOCK = `CASE WHEN r.clock - excluded.clock BETWEEN 0 AND 1000000 THEN r.clock ELSE excluded.clock END`;

/** The theoretical arrival that a row has stored, as far ahead as it was of the clock that set it when that has stepped back since. */
const ARRIVAL = `(r.theoretical_arrival - CASE WHEN r.clock - excluded.clock > 1000000 THEN r.clock - excluded.clock ELSE 0 END)`;

/**
 * The theoretical arrival that a row has stored, as it counts now: a whole burst ahead at most. Of a plan that gives
 * requests back faster than the one it was stored under, its requests count, not the time that the slower plan would
 * have needed for them: so a plan that was raised counts from the next request on.
 */
const STORED_ARRIVAL = `least(
  greatest(
    CASE WHEN excluded.interval < r.interval
      THEN ${CLOCK} + (${ARRIVAL} - ${CLOCK} + r.interval - 1) / r.interval * excluded.interval
      ELSE ${ARRIVAL} END,
    ${CLOCK}),
  ${CLOCK} + excluded.burst * excluded.interval)`;
/** How many of the batch's requests pass. */
const GRANTED = `least(excluded.asked, greatest(0,
  (${CLOCK} + excluded.burst * excluded.interval - ${STORED_ARRIVAL}) / excluded.interval))`;

/**
 * Looks up the keys of a batch and takes what they ask of their organizations' rates, in one statement.
 *
 * $1 distinct hashes, $2 how many requests of cost 1 each of them brings, $3 how long it waits for a lock. Keys by the unique index on `secret_hash`; a
 * revoked one is not found. Rows of `rate_limit` are locked in the order of their ids, so that two batches never wait for
 * each other, and given up soon (by this statement alone), so that one which is locked for long holds up its own
 * keys only. The clock is the database's: replicas need not agree on the time. A batch that read it before another batch of the
 * organization was counted takes the other's: else the difference would cost a request of the burst. What is stored counts for
 * a whole burst at most: else a slower plan of before would refuse for as long as the difference. Where the clock steps back, what was
 * taken before is neither given back nor lost. Integer division cuts towards zero, hence the GREATEST.
 */
export const admitBatch = statement<KeyRow>(
  'gateway.admit',
  `WITH short AS MATERIALIZED (
     SELECT set_config('lock_timeout', $3, true)
   ), asked AS MATERIALIZED (
     SELECT a.hash, a.requests, k.id, k.organization_id, k.scopes
     FROM short CROSS JOIN unnest($1::text[], $2::integer[]) AS a (hash, requests)
     JOIN api_key k ON k.secret_hash = decode(a.hash, 'hex') AND k.revoked_at IS NULL
   ), organizations AS MATERIALIZED (
     SELECT o.id, o.subscription_status, p.name AS plan, p.excluded_scopes, a.requests, c.clock,
       coalesce(o.messages_per_month, p.messages_per_month) AS messages_per_month,
       greatest(1, 60000000 / coalesce(o.requests_per_minute, p.requests_per_minute))::bigint AS interval,
       coalesce(o.request_burst, p.request_burst) AS burst
     FROM (SELECT organization_id, sum(requests)::integer AS requests FROM asked GROUP BY organization_id) a
     JOIN organization o ON o.id = a.organization_id
     JOIN plan p ON p.name = o.plan
     CROSS JOIN (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS clock) c
   ), taken AS (
     INSERT INTO rate_limit AS r
       (organization_id, theoretical_arrival, clock, asked, interval, burst, granted)
     SELECT id, clock + least(requests, burst) * interval, clock, requests, interval, burst, least(requests, burst)
     FROM organizations WHERE requests > 0 ORDER BY id
     ON CONFLICT (organization_id) DO UPDATE SET
       (clock, asked, interval, burst) = ROW (${CLOCK}, excluded.asked, excluded.interval, excluded.burst),
       granted = ${GRANTED},
       -- What was granted just now, said again: an assignment does not see its neighbours.
       theoretical_arrival = ${STORED_ARRIVAL} + excluded.interval * ${GRANTED}
     RETURNING r.organization_id, r.theoretical_arrival, r.clock, r.granted
   )
   SELECT a.hash, a.id AS "keyId", o.id AS "organizationId", a.scopes, o.plan,
     o.subscription_status AS "subscriptionStatus", o.excluded_scopes AS "excludedScopes",
     o.messages_per_month::float8 AS "messagesPerMonth",
     (coalesce(t.theoretical_arrival, s.theoretical_arrival, o.clock) - coalesce(t.clock, o.clock))::float8 AS ahead,
     o.interval::float8 AS interval, o.burst, coalesce(t.granted, 0) AS granted
   FROM asked a
   JOIN organizations o ON o.id = a.organization_id
   LEFT JOIN taken t ON t.organization_id = o.id
   -- Only for organizations that were asked nothing: the others' answer is above.
   LEFT JOIN rate_limit s ON s.organization_id = o.id AND o.requests = 0`,
);
