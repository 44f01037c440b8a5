import { Controller, Inject } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { webhooksErrors } from '@switchboard/contracts/webhooks/errors';
import type { WebhookDeliveryView } from '@switchboard/contracts/webhooks/http';
import { getWebhookDeliveryRpc, type WebhookDeliveryRequest } from '@switchboard/contracts/webhooks/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { Database } from '@switchboard/postgres';
import { attemptView } from '../attempt/attempt.repository.js';
import { bodyOf, findDelivery, type Delivery } from '../delivery/delivery.repository.js';
import { nextAttemptMs } from '../delivery/next-attempt.policy.js';
import { testBodyOf } from '../event/test-body.policy.js';
import { requireWebhook } from '../webhook/webhook-view.js';
import { findWebhook } from '../webhook/webhook.repository.js';
import { WEBHOOKS_CONFIG, type WebhooksConfig } from '../webhooks.config.js';

/** Answers `webhooks.get-webhook-delivery`. */
@Controller()
export class GetDeliveryHandler {
  constructor(
    private readonly database: Database,
    @Inject(WEBHOOKS_CONFIG) private readonly config: WebhooksConfig,
  ) {}

  /** @throws WEBHOOK_NOT_FOUND, DELIVERY_NOT_FOUND */
  @RpcHandler(getWebhookDeliveryRpc)
  async get(call: RpcCall<WebhookDeliveryRequest>): Promise<WebhookDeliveryView> {
    const { organizationId } = call.principal;
    const { webhookId, deliveryId } = call.request;
    requireWebhook(await findWebhook(this.database, organizationId, webhookId));
    const delivery = await findDelivery(this.database, webhookId, deliveryId);
    if (!delivery) throw new AppError(webhooksErrors.DELIVERY_NOT_FOUND);
    const { id, type: event, state, waits, attempts } = delivery;
    const payload = await this.payloadOf(organizationId, delivery);
    const { WEBHOOKS_TIME_SCALE: timeScale } = this.config;
    const nextAttemptAt = waits && new Date(nextAttemptMs(waits, timeScale)).toISOString();
    return { id, event, payload, state, nextAttemptAt, attempts: attempts.map(attemptView) };
  }

  private async payloadOf(organizationId: string, delivery: Delivery): Promise<WebhookDeliveryView['payload']> {
    const [first] = delivery.attempts;
    if (delivery.type === 'webhook.test') {
      return first ? { ...testBodyOf(organizationId, delivery.eventId, first.beganAt) } : null;
    }
    const body = await bodyOf(this.database, delivery.eventId);
    return body === null ? null : (JSON.parse(body) as Record<string, unknown>);
  }
}
