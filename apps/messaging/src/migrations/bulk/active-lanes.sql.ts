/**
 * `bulk_lane_active`: of a channel the lanes of jobs that have not finished. `dispatch_age`: what is still to be sent, by the age of its
 * message; its condition is written in a way of its own (docs/adr/0022-planner.md). What drops an index goes first: a lock that becomes
 * a stronger one meets what was begun in between.
 */
export const activeLanes = `
  DROP INDEX bulk_lane_channel;
  CREATE INDEX bulk_lane_active ON bulk_lane (organization_id, channel_id) WHERE is_open AND finished_at IS NULL;
  CREATE INDEX dispatch_age ON dispatch (message_id) WHERE state || ' ' IN ('RETRY ', 'PACED ');
`;

/** Takes `activeLanes` back. */
export const activeLanesReversal = `
  DROP INDEX dispatch_age, bulk_lane_active;
  CREATE INDEX bulk_lane_channel ON bulk_lane (organization_id, channel_id) WHERE is_open;
`;
