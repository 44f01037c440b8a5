import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { Page } from '@switchboard/contracts/grammar/page';
import { webhooksErrors } from '@switchboard/contracts/webhooks/errors';
import type { WebhookAttemptView, WebhookDeliveryView } from '@switchboard/contracts/webhooks/http';
import type { WebhookReplayView } from '@switchboard/contracts/webhooks/registration-http';
import {
  getWebhookDeliveryRpc,
  listWebhookAttemptsRpc,
  redeliverWebhookRpc,
  replayWebhookRpc,
} from '@switchboard/contracts/webhooks/rpc';
import { RpcClient } from '@switchboard/nats';
import { sessionActorOf } from '../../acts/actor-of.js';
import { endOf, momentOf } from '../../http/input/moment.policy.js';
import { pageOf } from '../../http/input/page.query.js';
import { Principal, SessionAct } from '../../http/request.decorator.js';
import { Declare, type SessionRoute } from '../../http/route-declaration.js';
import { AuditedWebhooks } from './audited-webhooks.js';
import { ListAttemptsQuery } from './list-attempts.query.js';
import { ReplayWebhookBody, replayWebhookBody } from './replay-webhook.body.js';

const administered = { access: 'session', roles: ['OWNER', 'ADMIN'] } as const satisfies Partial<SessionRoute>;
const { WEBHOOK_NOT_FOUND, DELIVERY_NOT_FOUND } = webhooksErrors;
const deactivated = { CONFLICT: 'The webhook is deactivated: enable it first' };

/** The log of a webhook, and what is sent again. Source: docs/api-behaviour.md#webhooks-manage, docs/api-behaviour.md#webhooks-replay. */
@Controller('app/api/webhooks/:id')
export class WebhookDeliveriesController {
  constructor(
    private readonly rpc: RpcClient,
    private readonly audited: AuditedWebhooks,
  ) {}

  @Get('attempts')
  @Declare({
    ...administered,
    errors: [WEBHOOK_NOT_FOUND],
    docs: {
      operationId: 'listWebhookAttempts',
      tag: 'Webhooks',
      summary: 'List attempts',
      description:
        'Every request that was made, the newest first; kept for 30 days, with 1 KB of each response. With a filter a page looks at ' +
        '10,000 attempts at most: it may have few items, or none, before the end, which is where there is no `nextCursor`.',
      query: ListAttemptsQuery,
      answers: { 200: { description: 'A page of attempts.', body: { pageOf: 'WebhookAttempt' } } },
    },
  })
  attempts(
    @Principal() principal: Principal,
    @Param('id') webhookId: string,
    @Query() query: ListAttemptsQuery,
  ): Promise<Page<WebhookAttemptView>> {
    const { event = null, outcome = null, from, to } = query;
    const period = { from: isoOf(from), to: isoOf(to, endOf) };
    return this.rpc.call(listWebhookAttemptsRpc, principal, { webhookId, ...pageOf(query), event, outcome, ...period });
  }

  @Get('deliveries/:deliveryId')
  @Declare({
    ...administered,
    errors: [WEBHOOK_NOT_FOUND, DELIVERY_NOT_FOUND],
    docs: {
      operationId: 'getWebhookDelivery',
      tag: 'Webhooks',
      summary: 'Read a delivery',
      description: 'One event for this webhook: what is sent, how far it is, and its last 100 attempts.',
      answers: { 200: { description: 'The delivery.', body: 'WebhookDelivery' } },
    },
  })
  delivery(
    @Principal() principal: Principal,
    @Param('id') webhookId: string,
    @Param('deliveryId') deliveryId: string,
  ): Promise<WebhookDeliveryView> {
    return this.rpc.call(getWebhookDeliveryRpc, principal, { webhookId, deliveryId });
  }

  @Post('deliveries/:deliveryId/redeliver')
  @HttpCode(202)
  @Declare({
    ...administered,
    errors: [WEBHOOK_NOT_FOUND, DELIVERY_NOT_FOUND, serviceErrors.CONFLICT],
    docs: {
      operationId: 'redeliverWebhook',
      tag: 'Webhooks',
      summary: 'Send a delivery again',
      description:
        'The same bytes, to the URL of today. Never counts as a failure. 409 `CONFLICT` while an attempt of the delivery is under ' +
        'way, and for a webhook that is deactivated. A delivery that waits for its first attempt stays as it is: it is due already.',
      answers: { 202: { description: 'The delivery waits to be sent.', body: null } },
      sentences: deactivated,
    },
  })
  async redeliver(
    @Principal() principal: Principal,
    @SessionAct() act: SessionAct,
    @Param('id') webhookId: string,
    @Param('deliveryId') deliveryId: string,
  ): Promise<void> {
    const by = sessionActorOf(act);
    await this.rpc.call(redeliverWebhookRpc, principal, { webhookId, deliveryId, by });
    await this.audited.acted(act, by, 'webhook.redelivered', { id: webhookId, deliveryId });
  }

  @Post('replay')
  @HttpCode(202)
  @Declare({
    ...administered,
    errors: [WEBHOOK_NOT_FOUND, serviceErrors.CONFLICT],
    docs: {
      operationId: 'replayWebhook',
      tag: 'Webhooks',
      summary: 'Send the events of a period again',
      description:
        'Every subscribed event, also one that is older than the webhook; at least 7 days are kept. With `dryRun` nothing is sent: the ' +
        'answer says how many it would be. A webhook has 3 replays under way at most, one more is 409 `CONFLICT`; one is until all of its ' +
        'events are queued, which waits while 10,000 of the webhook that are replayed wait to be sent. A period of more events than can be ' +
        'counted in 15 s is 400.',
      body: replayWebhookBody,
      answers: { 202: { description: 'How many events are sent again.', body: 'WebhookReplay' } },
      sentences: deactivated,
    },
  })
  async replay(
    @Principal() principal: Principal,
    @SessionAct() act: SessionAct,
    @Param('id') webhookId: string,
    @Body() body: ReplayWebhookBody,
  ): Promise<WebhookReplayView> {
    const since = isoOf(body.since) ?? body.since;
    const until = isoOf(body.until ?? undefined, endOf);
    // Both have one form and are in UTC: their order is that of their times.
    if (until !== null && since >= until) {
      throw new AppError(serviceErrors.VALIDATION_FAILED, '`since` must be before `until`');
    }
    const { events, onlyMissed, dryRun } = body;
    const which = { since, until, events: events ?? null, onlyMissed: onlyMissed ?? false };
    const by = sessionActorOf(act);
    const request = { replayId: newCuid(), webhookId, ...which, dryRun: dryRun ?? false, by };
    const { count } = await this.rpc.call(replayWebhookRpc, principal, request);
    if (!request.dryRun) await this.audited.acted(act, by, 'webhook.replayed', { id: webhookId, ...which, count });
    return { count };
  }
}

/** A moment in the form that services exchange. @param read the end of a period includes the day of a date: `endOf` */
function isoOf(text: string | undefined, read = momentOf): string | null {
  return text === undefined ? null : (read(text)?.toISOString() ?? null);
}
