import { Module } from '@nestjs/common';
import { EraseSignal } from '@switchboard/platform';
import { AbandonJobHandler } from './abandon-job/abandon-job.handler.js';
import { BeginJobHandler } from './begin-job/begin-job.handler.js';
import { ChannelRepository } from './channel/channel.repository.js';
import { AcceptBatch } from './commit-job/accept-batch.js';
import { BatchTargets } from './commit-job/batch-target.js';
import { CommitJobHandler } from './commit-job/commit-job.handler.js';
import { CommitJob } from './commit-job/commit-job.js';
import { CompleteJobsWorker } from './complete-jobs/complete-jobs.worker.js';
import { ControlJobHandler } from './control-job/control-job.handler.js';
import { FeedJob } from './feed-jobs/feed-job.js';
import { FeedJobsWorker } from './feed-jobs/feed-jobs.worker.js';
import { FindJobByKeyHandler } from './find-job-by-key/find-job-by-key.handler.js';
import { FollowLanesConsumer } from './follow-lanes/follow-lanes.consumer.js';
import { GetJobHandler } from './get-job/get-job.handler.js';
import { CauseSignal } from './job/cause-signal.js';
import { FeedSignal } from './job/feed-signal.js';
import { JobRepository } from './job/job.repository.js';
import { EraseRecipientsWorker, RecipientErasuresConsumer } from './erase-recipients/erase-recipients.worker.js';
import { TouchedJobs } from './job/touched-jobs.js';
import { KeyedJobs } from './job-key/keyed-jobs.js';
import { LaneClient } from './lane/lane.client.js';
import { ReleaseSignal } from './job/release-signal.js';
import { LaneOrders } from './lane/lane-orders.js';
import { ListJobsHandler } from './list-jobs/list-jobs.handler.js';
import { ListRecipientsHandler } from './list-recipients/list-recipients.handler.js';
import { RecipientPageRepository } from './list-recipients/recipient-page.repository.js';
import { ProjectOrganizationsConsumer } from './project-organizations/project-organizations.consumer.js';
import { jobKeyPruner } from './prune-job-keys/prune-job-keys.worker.js';
import { PruneStagingWorker } from './prune-staging/prune-staging.worker.js';
import { RecordOutcomesConsumer, RecordSkippedConsumer } from './record-outcomes/outcome.consumer.js';
import { ReleaseQuotaWorker } from './release-quota/release-quota.worker.js';
import { SendLaneOrdersWorker } from './send-lane-orders/send-lane-orders.worker.js';
import { StageRecipientsHandler } from './stage-recipients/stage-recipients.handler.js';
import { StagedJobRepository } from './staging/staged-job.repository.js';
import { TemplateRepository } from './template/template.repository.js';
import { WatchCausesWorker } from './watch-causes/watch-causes.worker.js';

/** Bulk sends: their acceptance, their way to messaging, and what became of them. */
@Module({
  controllers: [
    BeginJobHandler,
    StageRecipientsHandler,
    CommitJobHandler,
    AbandonJobHandler,
    FindJobByKeyHandler,
    GetJobHandler,
    ListJobsHandler,
    ListRecipientsHandler,
    ControlJobHandler,
  ],
  providers: [
    AcceptBatch,
    BatchTargets,
    CauseSignal,
    ChannelRepository,
    CommitJob,
    CompleteJobsWorker,
    EraseRecipientsWorker,
    EraseSignal,
    RecipientErasuresConsumer,
    FeedJob,
    FeedJobsWorker,
    FeedSignal,
    FollowLanesConsumer,
    JobRepository,
    jobKeyPruner,
    KeyedJobs,
    LaneClient,
    LaneOrders,
    ReleaseSignal,
    ProjectOrganizationsConsumer,
    PruneStagingWorker,
    RecipientPageRepository,
    RecordOutcomesConsumer,
    RecordSkippedConsumer,
    ReleaseQuotaWorker,
    SendLaneOrdersWorker,
    StagedJobRepository,
    TemplateRepository,
    TouchedJobs,
    WatchCausesWorker,
  ],
})
export class JobsModule {}
