import { Controller, Inject } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { RpcRequestOf } from '@switchboard/contracts/grammar/define-rpc';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { jobErrors } from '@switchboard/contracts/templates/job-errors';
import type { JobView } from '@switchboard/contracts/templates/job-http';
import { controlJobRpc, type JobAction } from '@switchboard/contracts/templates/job-rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { LOG, type Log } from '@switchboard/platform';
import { Database, type Transaction } from '@switchboard/postgres';
import { changeJob } from '../job/change-job.js';
import { FeedSignal } from '../job/feed-signal.js';
import { lockJobs } from '../job/job-flow.js';
import { actionEffect, jobStatus } from '../job/job-status.policy.js';
import { jobView } from '../job/job-view.js';
import { findJob } from '../job/job.repository.js';
import { LaneOrders } from '../lane/lane-orders.js';

const DONE: Readonly<Record<JobAction, string>> = { cancel: 'cancelled', pause: 'paused', resume: 'resumed' };

/** Answers `rpc.templates.control-job`. */
@Controller()
export class ControlJobHandler {
  constructor(
    private readonly database: Database,
    private readonly orders: LaneOrders,
    private readonly signal: FeedSignal,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /**
   * Answers when the job has changed and its lane obeys; when messaging does not answer, its lane follows later.
   *
   * @throws JOB_NOT_FOUND, INVALID_TRANSITION
   */
  @RpcHandler(controlJobRpc)
  async control({ principal, request, budget }: RpcCall<RpcRequestOf<typeof controlJobRpc>>): Promise<JobView> {
    const { organizationId } = principal;
    const { id, action } = request;
    const act = async (tx: Transaction): Promise<boolean> => {
      await lockJobs(tx, [{ organizationId, jobId: id }]);
      const job = await findJob(tx, organizationId, id);
      if (!job) throw new AppError(jobErrors.JOB_NOT_FOUND);
      const effect = actionEffect(job, action, job.now);
      if (effect === 'impossible') {
        const sentence = `A job that is ${jobStatus(job, job.now)} cannot be ${DONE[action]}`;
        throw new AppError(serviceErrors.INVALID_TRANSITION, sentence);
      }
      if (effect === 'change') await changeJob(tx, organizationId, job, action);
      return effect === 'change';
    };
    const isChanged = await this.database.transaction(act, { tenant: organizationId });
    if (isChanged) {
      this.log.info('job.controlled', { organizationId, jobId: id, action });
      this.signal.wake();
    }
    // Of a repeated call too: the lane may not obey the first yet.
    await this.orders.untilObeyed(organizationId, id, budget);
    const job = await findJob(this.database, organizationId, id);
    if (!job) throw new AppError(jobErrors.JOB_NOT_FOUND);
    return jobView(job);
  }
}
