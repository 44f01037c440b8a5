import { Controller } from '@nestjs/common';
import {
  listCountedRpc,
  type CountedMessage,
  type CountedPage,
  type ListCountedRequest,
} from '@switchboard/contracts/messaging/counted-rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { shownTimes } from '../message/message-progress.policy.js';
import { CountedPageRepository, type CountedRow } from './counted-page.repository.js';

/** Answers `rpc.messaging.list-counted`. */
@Controller()
export class ListCountedHandler {
  constructor(private readonly pages: CountedPageRepository) {}

  /** What the events of these messages would say of them. */
  @RpcHandler(listCountedRpc)
  async list({
    principal: { organizationId },
    request: { after, limit },
  }: RpcCall<ListCountedRequest>): Promise<CountedPage> {
    const rows = await this.pages.list(organizationId, after, limit);
    // Asked after the messages: what went meanwhile is said to be gone.
    return { messages: rows.map(countedOf), keptFrom: await this.pages.keptFrom() };
  }
}

function countedOf(row: CountedRow): CountedMessage {
  const { id, channelId, contactId, direction, template, status, errorCode, eventSequence } = row;
  const { sentAt, deliveredAt, readAt } = shownTimes(row);
  return {
    id,
    messagingChannelId: channelId,
    contactId,
    direction,
    template,
    status,
    error: status === 'FAILED' && errorCode !== null ? { code: errorCode } : null,
    sentAt: sentAt?.toISOString() ?? null,
    deliveredAt: deliveredAt?.toISOString() ?? null,
    readAt: readAt?.toISOString() ?? null,
    sequence: Number(eventSequence),
  };
}
