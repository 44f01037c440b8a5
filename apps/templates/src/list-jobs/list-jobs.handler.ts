import { Controller } from '@nestjs/common';
import type { RpcRequestOf } from '@switchboard/contracts/grammar/define-rpc';
import type { Page } from '@switchboard/contracts/grammar/page';
import type { JobView } from '@switchboard/contracts/templates/job-http';
import { listJobsRpc } from '@switchboard/contracts/templates/job-rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { readKeysetPage } from '@switchboard/postgres';
import { jobView } from '../job/job-view.js';
import { JobRepository } from '../job/job.repository.js';

/** Answers `rpc.templates.list-jobs`. */
@Controller()
export class ListJobsHandler {
  constructor(private readonly jobs: JobRepository) {}

  /** A page of the organization's jobs, newest first. */
  @RpcHandler(listJobsRpc)
  async list({ principal, request }: RpcCall<RpcRequestOf<typeof listJobsRpc>>): Promise<Page<JobView>> {
    const { limit, cursor } = request;
    const read = (rowsMax: number) => this.jobs.list(principal.organizationId, cursor, rowsMax);
    return readKeysetPage(limit, read, ({ id }) => id, jobView);
  }
}
