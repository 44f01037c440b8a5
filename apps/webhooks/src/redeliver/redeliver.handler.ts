import { Controller } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { webhooksErrors } from '@switchboard/contracts/webhooks/errors';
import {
  redeliverWebhookRpc,
  type AuditedRequest,
  type WebhookDeliveryRequest,
} from '@switchboard/contracts/webhooks/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { Database } from '@switchboard/postgres';
import { bodyOf, deliverAgain, findDelivery } from '../delivery/delivery.repository.js';
import { LaneWakeUps } from '../lane/lane-wake-ups.js';
import { appendWebhookAct, isDone } from '../webhook/append-webhook-act.js';
import { requireActive, requireWebhook } from '../webhook/webhook-view.js';
import { lockWebhook } from '../webhook/webhook.repository.js';

/** Answers `webhooks.redeliver-webhook`. */
@Controller()
export class RedeliverHandler {
  constructor(
    private readonly database: Database,
    private readonly wakeUps: LaneWakeUps,
  ) {}

  /** @throws WEBHOOK_NOT_FOUND, DELIVERY_NOT_FOUND, CONFLICT */
  @RpcHandler(redeliverWebhookRpc)
  async redeliver(call: RpcCall<AuditedRequest & WebhookDeliveryRequest>): Promise<Record<string, never>> {
    const { organizationId } = call.principal;
    const { webhookId, deliveryId } = call.request;
    const position = await this.database.transaction(
      async (tx): Promise<number | null> => {
        // Under the lane's lock: a worker records the end of an attempt under it too.
        const webhook = requireWebhook(await lockWebhook(tx, organizationId, webhookId));
        // Once, however often the act is asked for: what was delivered by it meanwhile is not sent another time.
        if (await isDone(tx, call.request.by)) return null;
        const delivery = await findDelivery(tx, webhookId, deliveryId);
        if (!delivery) throw new AppError(webhooksErrors.DELIVERY_NOT_FOUND);
        if (delivery.type === 'webhook.test') {
          const message = 'A test send is not delivered again: send another one';
          throw new AppError(webhooksErrors.DELIVERY_NOT_FOUND, message);
        }
        if ((await bodyOf(tx, delivery.eventId)) === null) {
          throw new AppError(webhooksErrors.DELIVERY_NOT_FOUND, 'The event of the delivery is no longer kept');
        }
        requireActive(webhook);
        const placed = await deliverAgain(tx, delivery);
        if (placed === null) {
          throw new AppError(
            serviceErrors.CONFLICT,
            'An attempt of the delivery is under way: wait until it has ended',
          );
        }
        const facts = { action: 'webhook.redelivered', before: null, after: { id: webhookId, deliveryId } } as const;
        await appendWebhookAct(tx, call.request.by, { organizationId, webhookId, ...facts });
        return placed;
      },
      { tenant: organizationId },
    );
    if (position === null) this.wakeUps.send([webhookId]);
    else this.wakeUps.sendAgain({ webhookId, floors: { firsts: position } });
    return {};
  }
}
