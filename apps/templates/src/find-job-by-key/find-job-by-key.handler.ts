import { Controller } from '@nestjs/common';
import type { RpcRequestOf, RpcResponseOf } from '@switchboard/contracts/grammar/define-rpc';
import { findJobByKeyRpc } from '@switchboard/contracts/templates/job-rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { KeyedJobs, replayOf } from '../job-key/keyed-jobs.js';

/** Answers `rpc.templates.find-job-by-key`. */
@Controller()
export class FindJobByKeyHandler {
  constructor(private readonly keyed: KeyedJobs) {}

  /** The job of a key, of which a replay is answered. */
  @RpcHandler(findJobByKeyRpc)
  async find({
    principal,
    request,
  }: RpcCall<RpcRequestOf<typeof findJobByKeyRpc>>): Promise<RpcResponseOf<typeof findJobByKeyRpc>> {
    const { key, bodySha256 } = request;
    const found = await this.keyed.find(principal.organizationId, key);
    return { found: found && replayOf(found, key, bodySha256) };
  }
}
