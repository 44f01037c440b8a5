import { Controller } from '@nestjs/common';
import type { Page } from '@switchboard/contracts/grammar/page';
import type { WebhookView } from '@switchboard/contracts/webhooks/http';
import { getWebhookRpc, listWebhooksRpc } from '@switchboard/contracts/webhooks/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { Database, readKeysetPage } from '@switchboard/postgres';
import { requireWebhook, webhookView } from '../webhook/webhook-view.js';
import { findWebhook, listWebhooks } from '../webhook/webhook.repository.js';

/** Answers `webhooks.list-webhooks` and `webhooks.get-webhook`. */
@Controller()
export class ReadWebhooksHandler {
  constructor(private readonly database: Database) {}

  @RpcHandler(listWebhooksRpc)
  async list(call: RpcCall<{ readonly limit: number; readonly cursor: string | null }>): Promise<Page<WebhookView>> {
    const { organizationId } = call.principal;
    const { limit, cursor } = call.request;
    const read = (rowsMax: number) => listWebhooks(this.database, organizationId, cursor, rowsMax);
    return readKeysetPage(limit, read, ({ id }) => id, webhookView);
  }

  /** @throws WEBHOOK_NOT_FOUND */
  @RpcHandler(getWebhookRpc)
  async get(call: RpcCall<{ readonly id: string }>): Promise<WebhookView> {
    return webhookView(
      requireWebhook(await findWebhook(this.database, call.principal.organizationId, call.request.id)),
    );
  }
}
