import { Controller } from '@nestjs/common';
import type { RpcRequestOf, RpcResponseOf } from '@switchboard/contracts/grammar/define-rpc';
import { beginJobRpc } from '@switchboard/contracts/templates/job-rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { StagedJobRepository } from '../staging/staged-job.repository.js';

/** Answers `rpc.templates.begin-job`. */
@Controller()
export class BeginJobHandler {
  constructor(private readonly staged: StagedJobRepository) {}

  /** Begins a batch that comes in chunks. */
  @RpcHandler(beginJobRpc)
  async begin({
    principal,
    request,
  }: RpcCall<RpcRequestOf<typeof beginJobRpc>>): Promise<RpcResponseOf<typeof beginJobRpc>> {
    const { jobId, placesMax } = request;
    return { isAdmitted: await this.staged.begin(principal.organizationId, jobId, placesMax) };
  }
}
