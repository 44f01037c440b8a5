import { Controller } from '@nestjs/common';
import {
  skipRecipientsRpc,
  type SkippedRecipients,
  type SkipRecipientsRequest,
} from '@switchboard/contracts/messaging/bulk-rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { SkipRecipients } from './skip-recipients.js';

/** Answers `rpc.messaging.skip-recipients`. */
@Controller()
export class SkipRecipientsHandler {
  constructor(private readonly skipRecipients: SkipRecipients) {}

  @RpcHandler(skipRecipientsRpc)
  async skip({ principal, request }: RpcCall<SkipRecipientsRequest>): Promise<SkippedRecipients> {
    return this.skipRecipients.execute(principal.organizationId, request);
  }
}
