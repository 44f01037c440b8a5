import { Controller } from '@nestjs/common';
import type { SentMessageResult } from '@switchboard/contracts/messaging/http';
import { sendMessageRpc, type SendMessageRequest } from '@switchboard/contracts/messaging/rpc';
import { RpcHandler, type RpcContext, type RpcMessage } from '@switchboard/nats';
import { SendMessage } from './send-message.js';

/** Answers `rpc.messaging.send-message`. */
@Controller()
export class SendMessageHandler {
  constructor(private readonly sendMessage: SendMessage) {}

  @RpcHandler(sendMessageRpc)
  async send(message: RpcMessage<SendMessageRequest>, rpcContext: RpcContext): Promise<SentMessageResult> {
    return this.sendMessage.execute(message.principal, message.request, rpcContext.signal);
  }
}
