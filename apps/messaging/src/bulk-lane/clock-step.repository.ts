import { statement, type Queryable } from '@switchboard/postgres';

/** What is further ahead than it is ever set, by so much, was set by a clock that has stepped back since. */
const MARGIN = "interval '15 seconds'";
/** Of a lane: from one attempt to the next; see `spacingOf`. */
const SPACING = `make_interval(secs => coalesce(3600.0 / l.throttle_per_hour, 0))`;

/** A process keeps a channel for 2 s, and its claims go no further ahead than a slot. It is looked at by whoever is first. */
const pacesSql = statement(
  'messaging.pace.stepped-back',
  `WITH ahead AS MATERIALIZED (
     SELECT organization_id, channel_id FROM channel_pace WHERE owned_until > now() + ${MARGIN} FOR NO KEY UPDATE SKIP LOCKED
   )
   UPDATE channel_pace p SET owned_until = '-infinity', next_begin_at = least(p.next_begin_at, now()), look_at = now()
   FROM ahead a WHERE p.organization_id = a.organization_id AND p.channel_id = a.channel_id`,
);
/** The last attempt of a lane was before now: a throttle holds from now on. */
const lanesSql = statement(
  'messaging.lane.stepped-back',
  `WITH ahead AS MATERIALIZED (
     SELECT organization_id, job_id FROM bulk_lane l
     WHERE l.is_open AND l.finished_at IS NULL AND l.next_begin_at > now() + ${SPACING} + ${MARGIN} FOR NO KEY UPDATE SKIP LOCKED
   )
   UPDATE bulk_lane l SET next_begin_at = now() + ${SPACING}
   FROM ahead a WHERE l.organization_id = a.organization_id AND l.job_id = a.job_id`,
);

/**
 * Lets bulk sends go on that the database's clock has left ahead of itself by a step back: else they would stand still until it has caught
 * up. Lanes first, so that a look for their channel finds them.
 */
export async function goOnAfterStep(through: Queryable): Promise<void> {
  await through.query(lanesSql, []);
  await through.query(pacesSql, []);
}
