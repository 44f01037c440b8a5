import { Controller } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import type { MessageView } from '@switchboard/contracts/messaging/http';
import { getMessageRpc } from '@switchboard/contracts/messaging/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { messageView } from '../message/message-view.js';
import { MessageRepository } from '../message/message.repository.js';

/** Answers `rpc.messaging.get-message`. */
@Controller()
export class GetMessageHandler {
  constructor(private readonly messages: MessageRepository) {}

  /** @throws MESSAGE_NOT_FOUND for another organization's message too */
  @RpcHandler(getMessageRpc)
  async get({ principal, request }: RpcCall<{ readonly id: string }>): Promise<MessageView> {
    const message = await this.messages.find(principal.organizationId, request.id);
    if (!message) throw new AppError(messagingErrors.MESSAGE_NOT_FOUND);
    return messageView(message);
  }
}
