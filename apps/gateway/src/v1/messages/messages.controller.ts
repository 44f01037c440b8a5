import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { Page } from '@switchboard/contracts/grammar/page';
import { invalidPhone, messagingErrors } from '@switchboard/contracts/messaging/errors';
import type { MessageView, SentMessageResult } from '@switchboard/contracts/messaging/http';
import { messageViewOf } from '@switchboard/contracts/messaging/message-view';
import { getMessageRpc, type AnswerOnce } from '@switchboard/contracts/messaging/rpc';
import { RpcClient } from '@switchboard/nats';
import type { FastifyReply } from 'fastify';
import { Idempotency, MessagesPerMonth, Principal } from '../../http/request.decorator.js';
import { Declare } from '../../http/route-declaration.js';
import { findMessagesDocs } from '../../messages/find-messages.docs.js';
import { FindMessagesQuery } from '../../messages/find-messages.query.js';
import { FindMessages } from '../../messages/find-messages.js';
import { SendMessageBody, sendMessageBody } from './send-message.body.js';
import { SendMessage, type MessageContent } from './send-message.js';

/** `/v1/messages`, and `/app/api/messages` for every member. Source: docs/api-behaviour.md#messages. */
@Controller(['v1/messages', 'app/api/messages'])
export class MessagesController {
  constructor(
    private readonly sendMessage: SendMessage,
    private readonly findMessages: FindMessages,
    private readonly rpc: RpcClient,
  ) {}

  @Post()
  @HttpCode(200)
  @Declare({
    access: 'key-or-session',
    scope: 'messages:send',
    paidScope: 'messages:send',
    // A text of 4,096 characters and 16 strings of metadata, every character escaped.
    bodyBytesMax: 262_144,
    errors: [
      serviceErrors.CONFLICT,
      messagingErrors.INVALID_PHONE,
      messagingErrors.UPSTREAM_REJECTED,
      messagingErrors.CONTACT_OPTED_OUT,
      messagingErrors.UPSTREAM_NOT_CONNECTED,
      messagingErrors.CHANNEL_NOT_FOUND,
    ],
    cost: 1,
    takesIdempotencyKey: true,
    docs: {
      operationId: 'sendMessage',
      tag: 'Messages',
      summary: 'Send a text message',
      description:
        'The message is stored before the upstream provider is asked. Accepted by the provider: 200 with its id. Refused as ' +
        'retryable, slow, unreachable or in doubt: 200 with `upstreamMessageId: null`; the message is QUEUED and settled in ' +
        'the background for up to 24 hours, so do not send it again. Refused for good: a 4xx with `X-Message-Id` and, in ' +
        "`X-Upstream-Code`, the provider's own code, and the message is FAILED.\n\n" +
        'With an `Idempotency-Key` a request may be repeated for 24 hours: once its message is stored, every repetition gets ' +
        'the first answer again, a refusal too, with `Idempotent-Replayed: true`; nothing is sent a second time. Once the cause ' +
        'of such a refusal is gone, take a new key. A refusal ' +
        'before that, without `X-Message-Id`, leaves the key free. 409 CONFLICT with ' +
        '`Retry-After`: the first request is still in flight, repeat yours later; without it: the key was used with another body. ' +
        'Bodies are compared as JSON values: the order of fields and white space do not count.',
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
      refusalHeaders: ['X-Message-Id', 'X-Upstream-Code', 'Idempotent-Replayed'],
    },
  })
  async send(
    @Principal() principal: Principal,
    @MessagesPerMonth() messagesPerMonth: MessagesPerMonth,
    @Body() body: SendMessageBody,
    @Idempotency() idempotency: Idempotency,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SentMessageResult | string> {
    const content = (): MessageContent => ({
      to: body.to,
      text: body.text,
      messagingChannelId: body.messagingChannelId ?? null,
      messagesPerMonth,
      ...(body.clientReference && { clientReference: body.clientReference }),
      ...(hasEntries(body.metadata) && { metadata: body.metadata }),
    });
    if (!idempotency) {
      const { id, conversationId, contactId, upstreamMessageId } = await this.sendMessage.send(principal, content());
      return { id, conversationId, contactId, upstreamMessageId };
    }
    // Its refusal is deferred: a stored response comes first.
    const { refusal } = idempotency;
    const stored = await this.sendMessage.sendOnce(principal, idempotency, refusal ? null : content());
    if (!stored) throw refusal ?? new Error('a sent message has no stored response');
    return replyWith(reply, stored);
  }

  @Get()
  @Declare({ access: 'key-or-session', scope: 'messages:read', errors: [], cost: 1, docs: findMessagesDocs })
  find(@Principal() principal: Principal, @Query() query: FindMessagesQuery): Promise<Page<MessageView>> {
    return this.findMessages.find(principal, query);
  }

  @Get(':id')
  @Declare({
    access: 'key-or-session',
    scope: 'messages:read',
    errors: [messagingErrors.MESSAGE_NOT_FOUND],
    cost: 1,
    docs: {
      operationId: 'getMessage',
      tag: 'Messages',
      summary: 'Read a message',
      description:
        'What became of a message. The status only rises: QUEUED, SENT, FAILED, DELIVERED, READ; a late confirmation of ' +
        'delivery overrides FAILED. An `error` with the code `UPSTREAM_OUTCOME_UNKNOWN` means that the provider may have ' +
        'delivered it: do not send it again blindly.',
      answers: { 200: { description: 'The message.', body: 'Message' } },
    },
  })
  async get(@Principal() principal: Principal, @Param('id') id: string): Promise<MessageView> {
    return messageViewOf(await this.rpc.call(getMessageRpc, principal, { id }));
  }
}

/** An empty object is the same as none. */
function hasEntries(metadata: SendMessageBody['metadata']): metadata is Readonly<Record<string, string>> {
  return metadata !== undefined && metadata !== null && Object.keys(metadata).length > 0;
}

/** Answers with the stored text as it is: serialised again by another release, it might be other bytes. */
function replyWith(reply: FastifyReply, { status, body, isReplay, messageId, upstreamCode }: AnswerOnce): string {
  reply.code(status).type('application/json; charset=utf-8');
  if (isReplay) reply.header('idempotent-replayed', 'true');
  if (status >= 400) {
    reply.header('x-message-id', messageId);
    if (upstreamCode !== undefined) reply.header('x-upstream-code', upstreamCode);
    const { error } = JSON.parse(body) as { error: { code: string } };
    // For log and metrics.
    reply.request.state.code = error.code;
  }
  return body;
}
