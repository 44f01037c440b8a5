import { BeginBulkWorker } from './begin-bulk/begin-bulk.worker.js';
import { LowerPassedWorker } from './begin-bulk/lower-passed.worker.js';
import { ChannelWakes } from './bulk-lane/channel-wakes.batch.js';
import { InteractiveBegins } from './bulk-lane/interactive-begins.js';
import { LaneSignal, UnknownContactSignal } from './bulk-lane/lane-signal.js';
import { CloseLanesWorker } from './close-lanes/close-lanes.worker.js';
import { ConfirmReservationsWorker } from './confirm-reservations/confirm-reservations.worker.js';
import { ControlLaneHandler } from './control-lane/control-lane.handler.js';
import { ControlLane } from './control-lane/control-lane.js';
import { FollowJobsConsumer } from './follow-jobs/follow-jobs.consumer.js';
import { GetLaneStateHandler } from './get-lane-state/get-lane-state.handler.js';
import { ReleaseQuotaHandler } from './release-quota/release-quota.handler.js';
import { ReserveQuotaHandler } from './reserve-quota/reserve-quota.handler.js';
import { ResolveBulkContactsWorker } from './resolve-bulk-contacts/resolve-bulk-contacts.worker.js';
import { SkipRecipientsHandler } from './skip-recipients/skip-recipients.handler.js';
import { SkipRecipients } from './skip-recipients/skip-recipients.js';
import { SubmitBatchHandler } from './submit-batch/submit-batch.handler.js';
import { SubmitBatch } from './submit-batch/submit-batch.js';

/** The rpcs of bulk sends. */
export const bulkControllers = [
  SubmitBatchHandler,
  SkipRecipientsHandler,
  ControlLaneHandler,
  GetLaneStateHandler,
  ReserveQuotaHandler,
  ReleaseQuotaHandler,
];

/** What sends the recipients of bulk sends. */
export const bulkProviders = [
  BeginBulkWorker,
  ChannelWakes,
  LowerPassedWorker,
  CloseLanesWorker,
  ConfirmReservationsWorker,
  FollowJobsConsumer,
  ControlLane,
  InteractiveBegins,
  LaneSignal,
  ResolveBulkContactsWorker,
  SkipRecipients,
  SubmitBatch,
  UnknownContactSignal,
];
