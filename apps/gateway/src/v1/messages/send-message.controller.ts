import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { invalidPhone, messagingErrors } from '@switchboard/contracts/messaging/errors';
import type { SentMessageResult } from '@switchboard/contracts/messaging/http';
import type { FastifyReply } from 'fastify';
import { admittedOf, principalOf, type KeyedRequest, type RequestOf } from '../../http/edge-request.js';
import { Declare } from '../../http/route-declaration.js';
import { readSendMessage, sendMessageBody, type SendMessageBody } from './send-message.body.js';
import { SendMessage, type MessageContent } from './send-message.js';

/** `POST /v1/messages`. Source: docs/api-behaviour.md#messages-send, docs/api-behaviour.md#messages-outcomes. */
@Controller('v1/messages')
export class SendMessageController {
  constructor(private readonly sendMessage: SendMessage) {}

  @Post()
  @HttpCode(200)
  @Declare({
    access: 'key',
    scope: 'messages:send',
    errors: [
      gatewayErrors.CONFLICT,
      messagingErrors.INVALID_PHONE,
      messagingErrors.UPSTREAM_REJECTED,
      messagingErrors.CONTACT_OPTED_OUT,
      messagingErrors.UPSTREAM_NOT_CONNECTED,
      messagingErrors.CHANNEL_NOT_FOUND,
    ],
    cost: 1,
    input: readSendMessage,
    takesKey: true,
    docs: {
      operationId: 'sendMessage',
      tag: 'Messages',
      summary: 'Send a text message',
      description:
        'The message is stored before the upstream provider is asked. Accepted by the provider: 200 with its id. Refused as ' +
        'retryable, slow, unreachable or in doubt: 200 with `upstreamMessageId: null`; the message is QUEUED and settled in ' +
        'the background for up to 24 hours, so do not send it again. Refused for good: a 4xx with `X-Message-Id`, and the ' +
        'message is FAILED.\n\n' +
        'With an `Idempotency-Key` a request may be repeated without fear, for 24 hours: once its message is stored, every ' +
        'repetition is given the first answer again, a refusal too, with `Idempotent-Replayed: true`; nothing is sent a ' +
        'second time. Whatever is refused before, without `X-Message-Id`, leaves the key free. 409 CONFLICT with ' +
        '`Retry-After`: the first request is still in flight, ask again; without it: the key was used with another body.',
      body: sendMessageBody,
      requestHeaders: ['Idempotency-Key'],
      answers: {
        200: {
          description: 'The message is accepted and stored.',
          body: 'SentMessageResult',
          headers: ['Idempotent-Replayed'],
        },
      },
      sentences: {
        INVALID_PHONE: invalidPhone('to'),
        PAYMENT_REQUIRED: 'The monthly quota of 1,000 messages is used up; it resets on 2026-03-01 at 00:00 UTC',
      },
      refusalHeaders: ['X-Message-Id', 'Idempotent-Replayed'],
    },
  })
  async send(
    @Req() request: RequestOf<SendMessageBody>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SentMessageResult | string> {
    const { keyed } = request.edge;
    if (keyed) return this.sendOnce(request, keyed, reply);
    const sent = await this.sendMessage.send(principalOf(request), contentOf(request));
    const { id, conversationId, contactId, upstreamMessageId } = sent;
    return { id, conversationId, contactId, upstreamMessageId };
  }

  /** Answers with the stored text as it is: serialised again by another release, it might be other bytes. */
  private async sendOnce(
    request: RequestOf<SendMessageBody>,
    keyed: KeyedRequest,
    reply: FastifyReply,
  ): Promise<string> {
    const content = keyed.refusal ? null : contentOf(request);
    const answer = await this.sendMessage.sendOnce(principalOf(request), keyed, content);
    if (!answer) throw keyed.refusal ?? new Error('content was sent and not answered');
    reply.code(answer.status).type('application/json; charset=utf-8');
    if (answer.isReplay) reply.header('idempotent-replayed', 'true');
    if (answer.status >= 400) {
      reply.header('x-message-id', answer.messageId);
      request.edge.code = codeOf(answer.body);
    }
    return answer.body;
  }
}

function contentOf(request: RequestOf<SendMessageBody>): MessageContent {
  const { to, text, messagingChannelId } = request.edge.input;
  const { messagesPerMonth } = admittedOf(request);
  return { to, text, messagingChannelId: messagingChannelId ?? null, messagesPerMonth };
}

/** For log and metrics: what a refusal was refused with. */
function codeOf(envelope: string): string {
  return (JSON.parse(envelope) as { error: { code: string } }).error.code;
}
