import { Controller } from '@nestjs/common';
import {
  submitBatchRpc,
  type SubmitBatchRequest,
  type SubmittedBatch,
} from '@switchboard/contracts/messaging/bulk-rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { SubmitBatch } from './submit-batch.js';

/** Answers `rpc.messaging.submit-batch`. */
@Controller()
export class SubmitBatchHandler {
  constructor(private readonly submitBatch: SubmitBatch) {}

  @RpcHandler(submitBatchRpc)
  async submit({ principal, request }: RpcCall<SubmitBatchRequest>): Promise<SubmittedBatch> {
    return this.submitBatch.execute(principal.organizationId, request);
  }
}
