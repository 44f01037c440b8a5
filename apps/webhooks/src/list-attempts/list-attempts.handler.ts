import { Controller } from '@nestjs/common';
import type { Page } from '@switchboard/contracts/grammar/page';
import type { WebhookAttemptView } from '@switchboard/contracts/webhooks/http';
import { listWebhookAttemptsRpc, type ListWebhookAttemptsRequest } from '@switchboard/contracts/webhooks/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { Database, readKeysetPage } from '@switchboard/postgres';
import { attemptView, listAttempts } from '../attempt/attempt.repository.js';
import { requireWebhook } from '../webhook/webhook-view.js';
import { findWebhook } from '../webhook/webhook.repository.js';

/** Answers `webhooks.list-webhook-attempts`. */
@Controller()
export class ListAttemptsHandler {
  constructor(private readonly database: Database) {}

  /** @throws WEBHOOK_NOT_FOUND */
  @RpcHandler(listWebhookAttemptsRpc)
  async list(call: RpcCall<ListWebhookAttemptsRequest>): Promise<Page<WebhookAttemptView>> {
    const { request } = call;
    requireWebhook(await findWebhook(this.database, call.principal.organizationId, request.webhookId));
    const read = (rowsMax: number) => listAttempts(this.database, request, rowsMax);
    return readKeysetPage(request.limit, read, ({ id }) => id, attemptView);
  }
}
