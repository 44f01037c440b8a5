import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import type { SentMessageResult } from '@switchboard/contracts/messaging/http';
import { admittedOf, principalOf, type RequestOf } from '../http/edge-request.js';
import { Declare } from '../http/route-declaration.js';
import { readSendMessage, sendMessageBody, type SendMessageBody } from './send-message.body.js';
import { SendMessage } from './send-message.js';

/** `POST /v1/messages`. Source: specification, "POST /v1/messages". */
@Controller('v1/messages')
export class SendMessageController {
  constructor(private readonly sendMessage: SendMessage) {}

  @Post()
  @HttpCode(200)
  @Declare({
    access: 'key',
    scope: 'messages:send',
    errors: [
      messagingErrors.INVALID_PHONE,
      messagingErrors.UPSTREAM_REJECTED,
      messagingErrors.CONTACT_OPTED_OUT,
      messagingErrors.UPSTREAM_NOT_CONNECTED,
      messagingErrors.CHANNEL_NOT_FOUND,
    ],
    cost: 1,
    input: readSendMessage,
    docs: {
      operationId: 'sendMessage',
      tag: 'Messages',
      summary: 'Send a text message',
      description:
        'The message is stored before the upstream provider is asked. Accepted by the provider: 200 with its id. Refused as ' +
        'retryable, slow, unreachable or in doubt: 200 with `upstreamMessageId: null`; the message is QUEUED and settled in ' +
        'the background for up to 24 hours, so do not send it again. Refused for good: a 4xx with `X-Message-Id`, and the ' +
        'message is FAILED.',
      body: sendMessageBody,
      answers: { 200: { description: 'The message is accepted and stored.', body: 'SentMessageResult' } },
      refusalHeaders: ['X-Message-Id'],
    },
  })
  async send(@Req() request: RequestOf<SendMessageBody>): Promise<SentMessageResult> {
    const { to, text, messagingChannelId } = request.edge.input;
    const { messagesPerMonth } = admittedOf(request);
    const content = { to, text, messagingChannelId: messagingChannelId ?? null, messagesPerMonth };
    const sent = await this.sendMessage.send(principalOf(request), content);
    const { id, conversationId, contactId, upstreamMessageId } = sent;
    return { id, conversationId, contactId, upstreamMessageId };
  }
}
