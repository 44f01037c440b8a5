import { Controller } from '@nestjs/common';
import type { Page } from '@switchboard/contracts/grammar/page';
import type { WebhookAttemptView } from '@switchboard/contracts/webhooks/http';
import { listWebhookAttemptsRpc, type ListWebhookAttemptsRequest } from '@switchboard/contracts/webhooks/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { Database } from '@switchboard/postgres';
import { attemptView } from '../attempt/attempt.repository.js';
import { requireWebhook } from '../webhook/webhook-view.js';
import { findWebhook } from '../webhook/webhook.repository.js';
import { readAttempts } from './attempt-page.repository.js';

/** Answers `webhooks.list-webhook-attempts`. Source: docs/api-behaviour.md#webhooks-manage. */
@Controller()
export class ListAttemptsHandler {
  constructor(private readonly database: Database) {}

  /** @throws WEBHOOK_NOT_FOUND */
  @RpcHandler(listWebhookAttemptsRpc)
  async list({ principal, request }: RpcCall<ListWebhookAttemptsRequest>): Promise<Page<WebhookAttemptView>> {
    const { organizationId } = principal;
    return this.database.transaction(
      async (tx) => {
        requireWebhook(await findWebhook(tx, organizationId, request.webhookId));
        const { items, ...next } = await readAttempts(tx, request);
        return { items: items.map(attemptView), ...next };
      },
      { tenant: organizationId },
    );
  }
}
