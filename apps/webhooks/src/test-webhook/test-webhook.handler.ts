import { Controller, Inject } from '@nestjs/common';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { WebhookTestResult } from '@switchboard/contracts/webhooks/http';
import { testWebhookRpc, type AuditedRequest } from '@switchboard/contracts/webhooks/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { CLOCK, LOG, type Clock, type Log } from '@switchboard/platform';
import { Database } from '@switchboard/postgres';
import { recordTest } from '../attempt/record-test.repository.js';
import { SendRequest } from '../attempt/send-request.client.js';
import { appendAct } from '../webhook/append-act.js';
import { readSealedSecrets } from '../webhook/secret.repository.js';
import { requireWebhook } from '../webhook/webhook-view.js';
import { testBodyOf } from '../event/test-body.policy.js';

/** Answers `webhooks.test-webhook`: one request, outside of the lane and its rules. */
@Controller()
export class TestWebhookHandler {
  constructor(
    private readonly database: Database,
    private readonly sender: SendRequest,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** @throws WEBHOOK_NOT_FOUND */
  @RpcHandler(testWebhookRpc)
  async test(call: RpcCall<AuditedRequest & { readonly id: string }>): Promise<WebhookTestResult> {
    const { organizationId } = call.principal;
    const { id: webhookId } = call.request;
    const webhook = requireWebhook(await readSealedSecrets(this.database, organizationId, webhookId));
    const at = new Date(this.clock.now());
    const dataId = newCuid();
    const body = JSON.stringify(testBodyOf(organizationId, dataId, at));
    const { result, reason } = await this.sender.send({ ...webhook, body, dataId });
    const { responseStatus, responseBody, error, durationMs, outcome } = result;
    const after = { id: webhookId, delivered: outcome === 'SUCCEEDED' };
    await this.database.transaction(
      async (tx) => {
        await recordTest(tx, { organizationId, webhookId, dataId, at, result });
        const facts = { action: 'webhook.tested', before: null, after } as const;
        await appendAct(tx, call.request.by, { organizationId, webhookId, ...facts });
      },
      { tenant: organizationId },
    );
    this.log.info('webhook.tested', { organizationId, webhookId, outcome, responseStatus, error, reason, durationMs });
    return { delivered: outcome === 'SUCCEEDED', responseStatus, responseBody, error, durationMs };
  }
}
