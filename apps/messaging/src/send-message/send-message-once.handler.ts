import { Controller } from '@nestjs/common';
import { sendMessageOnceRpc, type AnswerOnce, type SendMessageOnceRequest } from '@switchboard/contracts/messaging/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { SendMessageOnce } from './send-message-once.js';

/** Answers `rpc.messaging.send-message-once`. */
@Controller()
export class SendMessageOnceHandler {
  constructor(private readonly sendMessageOnce: SendMessageOnce) {}

  @RpcHandler(sendMessageOnceRpc)
  async send({
    principal,
    request,
    signal,
  }: RpcCall<SendMessageOnceRequest>): Promise<{ readonly answer: AnswerOnce | null }> {
    return { answer: await this.sendMessageOnce.execute(principal, request, signal) };
  }
}
