import { Controller } from '@nestjs/common';
import type { RpcRequestOf } from '@switchboard/contracts/grammar/define-rpc';
import { abandonJobRpc } from '@switchboard/contracts/templates/job-rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { StagedJobRepository } from '../staging/staged-job.repository.js';

/** Answers `rpc.templates.abandon-job`. */
@Controller()
export class AbandonJobHandler {
  constructor(private readonly staged: StagedJobRepository) {}

  /** Gives a staged batch up; a job is not staged any more. */
  @RpcHandler(abandonJobRpc)
  async abandon({ principal, request }: RpcCall<RpcRequestOf<typeof abandonJobRpc>>): Promise<Record<string, never>> {
    await this.staged.abandon(principal.organizationId, request.jobId);
    return {};
  }
}
