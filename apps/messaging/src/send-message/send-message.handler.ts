import { Controller } from '@nestjs/common';
import type { SentMessageResult } from '@switchboard/contracts/messaging/http';
import { sendMessageRpc, type SendMessageRequest } from '@switchboard/contracts/messaging/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { SendMessage } from './send-message.js';

/** Answers `rpc.messaging.send-message`. */
@Controller()
export class SendMessageHandler {
  constructor(private readonly sendMessage: SendMessage) {}

  @RpcHandler(sendMessageRpc)
  async send({ principal, request, signal }: RpcCall<SendMessageRequest>): Promise<SentMessageResult> {
    return this.sendMessage.execute(principal, request, signal);
  }
}
