import { Controller } from '@nestjs/common';
import { auditedWebhook } from '@switchboard/contracts/webhooks/events';
import { enableWebhookRpc, type AuditedRequest, type ChangedWebhook } from '@switchboard/contracts/webhooks/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { Database } from '@switchboard/postgres';
import { openLane } from '../lane/lane.repository.js';
import { appendAct } from '../webhook/append-act.js';
import { dropPending } from '../webhook/deactivate-webhooks.repository.js';
import { requireWebhook, webhookView } from '../webhook/webhook-view.js';
import { activateWebhook, findWebhook, lockWebhook } from '../webhook/webhook.repository.js';

/** Answers `webhooks.enable-webhook`. */
@Controller()
export class EnableWebhookHandler {
  constructor(private readonly database: Database) {}

  /** @throws WEBHOOK_NOT_FOUND */
  @RpcHandler(enableWebhookRpc)
  async enable(call: RpcCall<AuditedRequest & { readonly id: string }>): Promise<ChangedWebhook> {
    const { organizationId } = call.principal;
    const { id } = call.request;
    const found = requireWebhook(await findWebhook(this.database, organizationId, id));
    // What was pending when it was deactivated is dropped before it is active again.
    while (found.deactivatedAt !== null && (await dropPending(this.database, [id]))) continue;
    return this.database.transaction(
      async (tx) => {
        const before = requireWebhook(await lockWebhook(tx, organizationId, id));
        if (before.deactivatedAt !== null) await dropPending(tx, [id]);
        await activateWebhook(tx, organizationId, id);
        await openLane(tx, id);
        const after = requireWebhook(await findWebhook(tx, organizationId, id));
        const enabled = { before: webhookView(before), after: webhookView(after) };
        const audited = { before: auditedWebhook(enabled.before), after: auditedWebhook(enabled.after) };
        await appendAct(tx, call.request.by, { organizationId, webhookId: id, action: 'webhook.enabled', ...audited });
        return enabled;
      },
      { tenant: organizationId },
    );
  }
}
