import { Controller } from '@nestjs/common';
import type { WebhookView } from '@switchboard/contracts/webhooks/http';
import { auditedWebhook } from '@switchboard/contracts/webhooks/events';
import { deleteWebhookRpc, type AuditedRequest } from '@switchboard/contracts/webhooks/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { Database } from '@switchboard/postgres';
import { appendAct } from '../webhook/append-act.js';
import { requireWebhook, webhookView } from '../webhook/webhook-view.js';
import { lockWebhook, removeWebhook } from '../webhook/webhook.repository.js';

/** Answers `webhooks.delete-webhook`. */
@Controller()
export class DeleteWebhookHandler {
  constructor(private readonly database: Database) {}

  /** @throws WEBHOOK_NOT_FOUND */
  @RpcHandler(deleteWebhookRpc)
  async delete(call: RpcCall<AuditedRequest & { readonly id: string }>): Promise<{ readonly before: WebhookView }> {
    const { organizationId } = call.principal;
    const { id } = call.request;
    return this.database.transaction(
      async (tx) => {
        const before = requireWebhook(await lockWebhook(tx, organizationId, id));
        await removeWebhook(tx, organizationId, id);
        const view = webhookView(before);
        const facts = { action: 'webhook.deleted', before: auditedWebhook(view), after: null } as const;
        await appendAct(tx, call.request.by, { organizationId, webhookId: id, ...facts });
        return { before: view };
      },
      { tenant: organizationId },
    );
  }
}
