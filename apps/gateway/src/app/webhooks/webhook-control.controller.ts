import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { webhooksErrors } from '@switchboard/contracts/webhooks/errors';
import type { WebhookSecretView, WebhookTestResult, WebhookView } from '@switchboard/contracts/webhooks/http';
import {
  enableWebhookRpc,
  getWebhookSecretRpc,
  rotateWebhookSecretRpc,
  testWebhookRpc,
} from '@switchboard/contracts/webhooks/rpc';
import { RpcClient } from '@switchboard/nats';
import { sessionActorOf } from '../../acts/actor-of.js';
import { Principal, SessionAct } from '../../http/request.decorator.js';
import { Declare, type SessionRoute } from '../../http/route-declaration.js';
import { AuditedWebhooks } from './audited-webhooks.js';

const ofWebhook = {
  access: 'session',
  roles: ['OWNER', 'ADMIN'],
  errors: [webhooksErrors.WEBHOOK_NOT_FOUND],
} as const satisfies Partial<SessionRoute>;

/** Secret, state and test of a webhook. Source: docs/api-behaviour.md#webhooks-manage. */
@Controller('app/api/webhooks/:id')
export class WebhookControlController {
  constructor(
    private readonly rpc: RpcClient,
    private readonly audited: AuditedWebhooks,
  ) {}

  @Get('secret')
  @Declare({
    ...ofWebhook,
    docs: {
      operationId: 'getWebhookSecret',
      tag: 'Webhooks',
      summary: 'Read the signing secret',
      description: 'Each reading is in the audit log.',
      answers: { 200: { description: 'The secret.', body: 'WebhookSecret' } },
    },
  })
  async secret(
    @Principal() principal: Principal,
    @SessionAct() act: SessionAct,
    @Param('id') id: string,
  ): Promise<WebhookSecretView> {
    const secret = await this.rpc.call(getWebhookSecretRpc, principal, { id });
    await this.audited.shown(act, id);
    return secret;
  }

  @Post('rotate-secret')
  @HttpCode(200)
  @Declare({
    ...ofWebhook,
    docs: {
      operationId: 'rotateWebhookSecret',
      tag: 'Webhooks',
      summary: 'Rotate the signing secret',
      description:
        'Makes a new secret. For 24 hours the former one signs too, unless another rotation takes its place: ' +
        '`X-Service-Signature-Previous`, and a second signature in ' +
        '`webhook-signature`.',
      answers: { 200: { description: 'The new secret.', body: 'WebhookSecret' } },
    },
  })
  async rotate(
    @Principal() principal: Principal,
    @SessionAct() act: SessionAct,
    @Param('id') id: string,
  ): Promise<WebhookSecretView> {
    const by = sessionActorOf(act);
    const secret = await this.rpc.call(rotateWebhookSecretRpc, principal, { id, by });
    const { previousSecretValidUntil } = secret;
    await this.audited.acted(act, by, 'webhook.secret-rotated', { id, previousSecretValidUntil });
    return secret;
  }

  @Post('enable')
  @HttpCode(200)
  @Declare({
    ...ofWebhook,
    docs: {
      operationId: 'enableWebhook',
      tag: 'Webhooks',
      summary: 'Enable a webhook',
      description:
        'Activates it again and sets its count of failures to 0. What was dropped meanwhile comes by a replay. 503 with `Retry-After` ' +
        'while much of what was pending is still being dropped: repeated, it goes on.',
      answers: { 200: { description: 'The webhook, active.', body: 'Webhook' } },
    },
  })
  async enable(
    @Principal() principal: Principal,
    @SessionAct() act: SessionAct,
    @Param('id') id: string,
  ): Promise<WebhookView> {
    const by = sessionActorOf(act);
    const { before, after } = await this.rpc.call(enableWebhookRpc, principal, { id, by });
    await this.audited.changed(act, by, 'webhook.enabled', { before, after });
    return after;
  }

  @Post('test')
  @HttpCode(200)
  @Declare({
    ...ofWebhook,
    docs: {
      operationId: 'testWebhook',
      tag: 'Webhooks',
      summary: 'Send a test',
      description:
        'Sends `webhook.test` once and answers what came of it, after 10 s at most; after 14 s with 503 where the process that sent it ended ' +
        'meanwhile. It never counts as a failure. With 5 of the organization under way it is 429.',
      answers: { 200: { description: 'What the receiver answered.', body: 'WebhookTestResult' } },
    },
  })
  async test(
    @Principal() principal: Principal,
    @SessionAct() act: SessionAct,
    @Param('id') id: string,
  ): Promise<WebhookTestResult> {
    const by = sessionActorOf(act);
    const result = await this.rpc.call(testWebhookRpc, principal, { id, by });
    await this.audited.acted(act, by, 'webhook.tested', { id, deliveryId: by?.actId });
    return result;
  }
}
