import { Controller } from '@nestjs/common';
import { cuidTime } from '@switchboard/contracts/grammar/cuid';
import type { WebhookView } from '@switchboard/contracts/webhooks/http';
import { auditedWebhook, type AuditedWebhook } from '@switchboard/contracts/webhooks/events';
import { deleteWebhookRpc, type AuditedRequest } from '@switchboard/contracts/webhooks/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { findAct } from '@switchboard/outbox';
import { Database } from '@switchboard/postgres';
import { appendWebhookAct } from '../webhook/append-webhook-act.js';
import { requireWebhook, webhookView } from '../webhook/webhook-view.js';
import { lockToChange, removeWebhook } from '../webhook/webhook.repository.js';

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
        const found = await lockToChange(tx, organizationId, id);
        const done = found === null ? await findAct(tx, call.request.by) : null;
        if (done?.before) return { before: deletedView(done.before as unknown as AuditedWebhook) };
        const before = requireWebhook(found);
        await removeWebhook(tx, organizationId, id);
        const view = webhookView(before);
        const facts = { action: 'webhook.deleted', before: auditedWebhook(view), after: null } as const;
        await appendWebhookAct(tx, call.request.by, { organizationId, webhookId: id, ...facts });
        return { before: view };
      },
      { tenant: organizationId },
    );
  }
}

/** A webhook that an act has deleted, as far as the audit log shows it. */
function deletedView(webhook: AuditedWebhook): WebhookView {
  const createdAt = cuidTime(webhook.id).toISOString();
  return {
    ...webhook,
    deactivatedAt: null,
    deactivatedReason: null,
    consecutiveFailures: 0,
    createdAt,
    updatedAt: createdAt,
  };
}
