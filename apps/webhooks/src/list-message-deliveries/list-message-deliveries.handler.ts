import { Controller } from '@nestjs/common';
import type { TimelineItem } from '@switchboard/contracts/messaging/timeline';
import { listMessageDeliveriesRpc } from '@switchboard/contracts/webhooks/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { Database } from '@switchboard/postgres';
import { timelineItemOf } from './delivery-words.policy.js';
import { deliveryStepsOf } from './message-deliveries.repository.js';

/** Answers `webhooks.list-message-deliveries`. */
@Controller()
export class ListMessageDeliveriesHandler {
  constructor(private readonly database: Database) {}

  /** Of another organization's message there is nothing. */
  @RpcHandler(listMessageDeliveriesRpc)
  async list({
    principal,
    request,
  }: RpcCall<{ readonly messageId: string }>): Promise<{ items: readonly TimelineItem[] }> {
    const steps = await deliveryStepsOf(this.database, principal.organizationId, request.messageId);
    return { items: steps.map(timelineItemOf) };
  }
}
