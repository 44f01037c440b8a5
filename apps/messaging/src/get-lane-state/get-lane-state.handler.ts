import { Controller } from '@nestjs/common';
import { laneStateRpc, type LaneState } from '@switchboard/contracts/messaging/bulk-rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { Database, isAbove, LookFloor, statement } from '@switchboard/postgres';
import { systemClock } from '@switchboard/platform';
import { hasWaiting, isActive, waitingOf } from '../bulk-lane/active-lane.sql.js';
import { CHANNEL_PER_SECOND, SHARE_REGAINED_PER_SECOND } from '../bulk-lane/lane-pace.policy.js';
import { floorOfDispatches } from '../dispatch/dispatch-floor.sql.js';

/** Lanes that are counted. */
const SHARES_MAX = 500;

/**
 * The channel's rate is divided by the lanes of it that have something to begin, some hundreds at most. What waits is counted in
 * two: each part has an index of its own, and what has begun of a large job is not read with every look at it.
 */
const stateSql = statement<LaneState & { readonly repeatsFromMs: number }>(
  'messaging.lane.state',
  `SELECT (SELECT count(*)::int FROM bulk_item i WHERE ${waitingOf('l')})
     + (SELECT count(*)::int FROM bulk_item i WHERE i.organization_id = l.organization_id AND i.job_id = l.job_id
       AND i.state = 'WAITING' AND NOT i.is_contact_known) AS waiting,
     (SELECT count(*)::int FROM dispatch d WHERE d.state = 'PACED' AND d.organization_id = l.organization_id
       AND d.channel_id = l.channel_id AND d.job_id = l.job_id AND ${isAbove('$3', 'd.due_at')}) AS repeating,
     ${floorOfDispatches('PACED', '$3')} AS "repeatsFromMs",
     l.begun::float8 AS begun, l.is_paused AS "isPaused", l.held_reason AS "heldReason",
     least(l.throttle_per_hour / 3600.0,
       coalesce(p.per_second, ${CHANNEL_PER_SECOND})
       * least(1, coalesce(p.share, 1) + ${SHARE_REGAINED_PER_SECOND}
         * extract(epoch FROM now() - greatest(p.share_changed_at, now() - interval '1 hour')))
       / greatest(1, (SELECT count(*) FROM (SELECT FROM bulk_lane o
         WHERE ${isActive('o')} AND o.organization_id = l.organization_id AND o.channel_id = l.channel_id
           AND o.throttle_per_hour IS NULL
           AND ${hasWaiting('o')} LIMIT ${SHARES_MAX}) AS sharing)))::float8 AS "perSecond"
   FROM bulk_lane l LEFT JOIN channel_pace p ON p.organization_id = l.organization_id AND p.channel_id = l.channel_id
   WHERE l.organization_id = $1 AND l.job_id = $2`,
);

const NONE: LaneState = {
  waiting: 0,
  repeating: 0,
  begun: 0,
  isPaused: false,
  heldReason: null,
  perSecond: CHANNEL_PER_SECOND,
};

/** Answers `rpc.messaging.lane-state`. */
@Controller()
export class GetLaneStateHandler {
  private readonly repeats = new LookFloor();

  constructor(private readonly database: Database) {}

  @RpcHandler(laneStateRpc)
  async get({ principal, request }: RpcCall<{ readonly jobId: string }>): Promise<LaneState> {
    const floorMs = this.repeats.begin(systemClock.monotonic());
    const [found] = await this.database.query(stateSql, [principal.organizationId, request.jobId, floorMs]);
    if (!found) return NONE;
    const { repeatsFromMs, ...state } = found;
    this.repeats.move(repeatsFromMs, floorMs);
    return state;
  }
}
