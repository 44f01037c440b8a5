import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { Page } from '@switchboard/contracts/grammar/page';
import { webhooksErrors } from '@switchboard/contracts/webhooks/errors';
import type { WebhookView } from '@switchboard/contracts/webhooks/http';
import type { NewWebhookView } from '@switchboard/contracts/webhooks/registration-http';
import {
  changeWebhookRpc,
  createWebhookRpc,
  deleteWebhookRpc,
  getWebhookRpc,
  listWebhooksRpc,
} from '@switchboard/contracts/webhooks/rpc';
import { RpcClient } from '@switchboard/nats';
import type { FastifyReply } from 'fastify';
import { sessionActorOf } from '../../acts/actor-of.js';
import { PageQuery, pageOf } from '../../http/input/page.query.js';
import { Idempotency, Principal, SessionAct } from '../../http/request.decorator.js';
import { Declare, type SessionRoute } from '../../http/route-declaration.js';
import { AuditedWebhooks } from './audited-webhooks.js';
import { ChangeWebhookBody, changeWebhookBody, CreateWebhookBody, createWebhookBody } from './webhook.body.js';

const administered = { access: 'session', roles: ['OWNER', 'ADMIN'] } as const satisfies Partial<SessionRoute>;
const ofWebhook = { ...administered, errors: [webhooksErrors.WEBHOOK_NOT_FOUND] } as const;

/** `/app/api/webhooks`. Source: docs/api-behaviour.md#webhooks-manage. */
@Controller('app/api/webhooks')
export class WebhooksController {
  constructor(
    private readonly rpc: RpcClient,
    private readonly audited: AuditedWebhooks,
  ) {}

  @Post()
  @Declare({
    ...administered,
    errors: [serviceErrors.PAYMENT_REQUIRED, serviceErrors.CONFLICT],
    takesIdempotencyKey: true,
    docs: {
      operationId: 'createWebhook',
      tag: 'Webhooks',
      summary: 'Register a webhook',
      description:
        'Events that occur from now on are sent to the URL, and those of the moments before that were not stored yet. The ' +
        'answer holds the signing secret; it can be read again. An ' +
        'organization has 20 webhooks at most: one more is 402. Repeated with its `Idempotency-Key` and the same body, a request ' +
        'registers no second one: as long as the webhook exists, it is answered as it is now. With another body it is 409.',
      requestHeaders: ['Idempotency-Key'],
      body: createWebhookBody,
      answers: {
        201: { description: 'The webhook, with its secret.', body: 'NewWebhook', headers: ['Idempotent-Replayed'] },
      },
      sentences: {
        PAYMENT_REQUIRED: 'An organization has at most 20 webhooks',
        CONFLICT:
          'This `Idempotency-Key` registered the webhook c000000000000000000000001z with another body; use another one',
      },
    },
  })
  async create(
    @Principal() principal: Principal,
    @SessionAct() act: SessionAct,
    @Body() body: CreateWebhookBody,
    @Idempotency() idempotency: Idempotency,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<NewWebhookView> {
    // A body that is refused has registered nothing that could be answered instead.
    if (idempotency?.refusal) throw idempotency.refusal;
    const { url, events, description = null } = body;
    const by = sessionActorOf(act);
    const keyed = idempotency && { keySha256: idempotency.keySha256, bodySha256: idempotency.bodySha256 };
    const request = { id: newCuid(), url, events, description, by, ...(keyed && { keyed }) };
    const { webhook, secret, isRepetition } = await this.rpc.call(createWebhookRpc, principal, request);
    if (isRepetition) {
      await this.audited.shown(act, webhook.id);
      reply.header('idempotent-replayed', 'true');
    } else await this.audited.changed(act, by, 'webhook.created', { before: null, after: webhook });
    return { ...webhook, secret };
  }

  @Get()
  @Declare({
    ...administered,
    errors: [],
    docs: {
      operationId: 'listWebhooks',
      tag: 'Webhooks',
      summary: 'List webhooks',
      description: 'The newest first, deactivated ones too. Without their secrets.',
      query: PageQuery,
      answers: { 200: { description: 'A page of webhooks.', body: { pageOf: 'Webhook' } } },
    },
  })
  list(@Principal() principal: Principal, @Query() query: PageQuery): Promise<Page<WebhookView>> {
    return this.rpc.call(listWebhooksRpc, principal, pageOf(query));
  }

  @Get(':id')
  @Declare({
    ...ofWebhook,
    docs: {
      operationId: 'getWebhook',
      tag: 'Webhooks',
      summary: 'Read a webhook',
      description:
        'With its state: when and why it was deactivated, and how many attempts have failed one after another.',
      answers: { 200: { description: 'The webhook.', body: 'Webhook' } },
    },
  })
  get(@Principal() principal: Principal, @Param('id') id: string): Promise<WebhookView> {
    return this.rpc.call(getWebhookRpc, principal, { id });
  }

  @Patch(':id')
  @Declare({
    ...ofWebhook,
    docs: {
      operationId: 'changeWebhook',
      tag: 'Webhooks',
      summary: 'Change a webhook',
      description:
        'A field that is left out keeps its value. Pending deliveries go to a changed URL; those of types that are no longer in ' +
        '`events` are dropped.',
      body: changeWebhookBody,
      answers: { 200: { description: 'The webhook as it is now.', body: 'Webhook' } },
    },
  })
  async change(
    @Principal() principal: Principal,
    @SessionAct() act: SessionAct,
    @Param('id') id: string,
    @Body() { url, events, description }: ChangeWebhookBody,
  ): Promise<WebhookView> {
    const by = sessionActorOf(act);
    const { before, after } = await this.rpc.call(changeWebhookRpc, principal, {
      id,
      by,
      // As everywhere in bodies null means left out, but in the description it clears.
      ...(typeof url === 'string' && { url }),
      ...(Array.isArray(events) && { events }),
      ...(description !== undefined && { description }),
    });
    await this.audited.changed(act, by, 'webhook.changed', { before, after });
    return after;
  }

  @Delete(':id')
  @HttpCode(204)
  @Declare({
    ...ofWebhook,
    docs: {
      operationId: 'deleteWebhook',
      tag: 'Webhooks',
      summary: 'Delete a webhook',
      description: 'For good: its pending deliveries are dropped, and its log goes with it.',
      answers: { 204: { description: 'The webhook is deleted.', body: null } },
    },
  })
  async delete(
    @Principal() principal: Principal,
    @SessionAct() act: SessionAct,
    @Param('id') id: string,
  ): Promise<void> {
    const by = sessionActorOf(act);
    const { before } = await this.rpc.call(deleteWebhookRpc, principal, { id, by });
    await this.audited.changed(act, by, 'webhook.deleted', { before, after: null });
  }
}
