import { Controller } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { jobErrors } from '@switchboard/contracts/templates/job-errors';
import type { JobView } from '@switchboard/contracts/templates/job-http';
import { getJobRpc } from '@switchboard/contracts/templates/job-rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { jobView } from '../job/job-view.js';
import { JobRepository } from '../job/job.repository.js';

/** Answers `rpc.templates.get-job`. */
@Controller()
export class GetJobHandler {
  constructor(private readonly jobs: JobRepository) {}

  /** @throws JOB_NOT_FOUND for another organization's job too */
  @RpcHandler(getJobRpc)
  async get({ principal, request }: RpcCall<{ readonly id: string }>): Promise<JobView> {
    const job = await this.jobs.find(principal.organizationId, request.id);
    if (!job) throw new AppError(jobErrors.JOB_NOT_FOUND);
    return jobView(job);
  }
}
