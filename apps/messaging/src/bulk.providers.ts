import { LaneSignal, UnknownContactSignal } from './bulk-lane/lane-signal.js';
import { ControlLaneHandler } from './control-lane/control-lane.handler.js';
import { ControlLane } from './control-lane/control-lane.js';
import { GetLaneStateHandler } from './get-lane-state/get-lane-state.handler.js';
import { ReleaseQuotaHandler } from './release-quota/release-quota.handler.js';
import { ReserveQuotaHandler } from './reserve-quota/reserve-quota.handler.js';
import { SubmitBatchHandler } from './submit-batch/submit-batch.handler.js';
import { SubmitBatch } from './submit-batch/submit-batch.js';

/** The rpcs of bulk sends. */
export const bulkControllers = [
  SubmitBatchHandler,
  ControlLaneHandler,
  GetLaneStateHandler,
  ReserveQuotaHandler,
  ReleaseQuotaHandler,
];

/** What sends the recipients of bulk sends. */
export const bulkProviders = [ControlLane, LaneSignal, SubmitBatch, UnknownContactSignal];
