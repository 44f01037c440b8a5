import { Controller } from '@nestjs/common';
import { commitJobRpc, type CommitJobRequest, type KeyedJob } from '@switchboard/contracts/templates/job-rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { CommitJob } from './commit-job.js';

/** Answers `rpc.templates.commit-job`. */
@Controller()
export class CommitJobHandler {
  constructor(private readonly commitJob: CommitJob) {}

  /** @throws the refusals of the rpc */
  @RpcHandler(commitJobRpc)
  async commit({ principal, request, budget }: RpcCall<CommitJobRequest>): Promise<KeyedJob> {
    return this.commitJob.commit(principal.organizationId, request, budget);
  }
}
