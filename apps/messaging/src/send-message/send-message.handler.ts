import { Controller } from '@nestjs/common';
import type { SentMessageResult } from '@switchboard/contracts/messaging/http';
import {
  sendMessageOnceRpc,
  sendMessageRpc,
  type AnswerOnce,
  type SendMessageOnceRequest,
  type SendMessageRequest,
} from '@switchboard/contracts/messaging/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { SendMessageOnce } from './send-message-once.js';
import { SendMessage } from './send-message.js';

/** Answers `rpc.messaging.send-message` and, for sends under an idempotency key, `rpc.messaging.send-message-once`. */
@Controller()
export class SendMessageHandler {
  constructor(
    private readonly sendMessage: SendMessage,
    private readonly sendMessageOnce: SendMessageOnce,
  ) {}

  @RpcHandler(sendMessageRpc)
  send({ principal, request, budget }: RpcCall<SendMessageRequest>): Promise<SentMessageResult> {
    return this.sendMessage.execute(principal, request, budget);
  }

  @RpcHandler(sendMessageOnceRpc)
  async sendOnce(call: RpcCall<SendMessageOnceRequest>): Promise<{ readonly answer: AnswerOnce | null }> {
    return { answer: await this.sendMessageOnce.execute(call.principal, call.request, call.budget) };
  }
}
