import { Controller } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import { getTimelineRpc, type TimelineItem } from '@switchboard/contracts/messaging/timeline';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { Database } from '@switchboard/postgres';
import { findTimelineFacts } from './timeline-facts.repository.js';
import { timelineOf } from './timeline.policy.js';

/** Answers `rpc.messaging.get-timeline`. */
@Controller()
export class GetTimelineHandler {
  constructor(private readonly database: Database) {}

  /** @throws MESSAGE_NOT_FOUND for another organization's message too */
  @RpcHandler(getTimelineRpc)
  async get({ principal, request }: RpcCall<{ readonly id: string }>): Promise<{ items: TimelineItem[] }> {
    const facts = await findTimelineFacts(this.database, principal.organizationId, request.id);
    if (!facts) throw new AppError(messagingErrors.MESSAGE_NOT_FOUND);
    return { items: timelineOf(facts) };
  }
}
