/**
 * `bulk_lane_active`: of a channel the lanes of jobs that have not finished. `dispatch_age`: what is still to be sent, by the age of its
 * message; its condition is written in a way of its own (docs/adr/0022-planner.md).
 */
export const activeLanes = `
  CREATE INDEX bulk_lane_active ON bulk_lane (organization_id, channel_id) WHERE is_open AND finished_at IS NULL;
  DROP INDEX bulk_lane_channel;
  CREATE INDEX dispatch_age ON dispatch (message_id) WHERE state || ' ' IN ('RETRY ', 'PACED ');
`;

/** Takes `activeLanes` back. */
export const activeLanesReversal = `
  CREATE INDEX bulk_lane_channel ON bulk_lane (organization_id, channel_id) WHERE is_open;
  DROP INDEX bulk_lane_active, dispatch_age;
`;
