import { Controller, Inject } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { WebhookTestResult } from '@switchboard/contracts/webhooks/http';
import { testWebhookRpc, type AuditedRequest } from '@switchboard/contracts/webhooks/rpc';
import { RpcHandler, type Budget, type RpcCall } from '@switchboard/nats';
import { CLOCK, LOG, type Clock, type Log } from '@switchboard/platform';
import { Database } from '@switchboard/postgres';
import { recordTest } from '../attempt/record-test.repository.js';
import { NeverSent, SendRequest, type LoggedResult, type SignedRequest } from '../attempt/send-request.client.js';
import { appendAct } from '../webhook/append-act.js';
import { readSealedSecrets } from '../webhook/secret.repository.js';
import { requireWebhook } from '../webhook/webhook-view.js';
import { testBodyOf } from '../event/test-body.policy.js';

/** Test sends of one organization at once: each may keep a connection for 10 s. Source: docs/api-behaviour.md#webhooks-manage. */
const AT_ONCE_MAX = 5;
/** A test send takes so long at most: the receiver's 10 s, and its record. */
const SEND_MS = 10_500;

type TestCall = RpcCall<AuditedRequest & { readonly id: string }>;

/** Answers `webhooks.test-webhook`: one request, outside of the lane and its rules. */
@Controller()
export class TestWebhookHandler {
  /** How many test sends are under way, by organization. */
  private readonly underWay = new Map<string, number>();

  constructor(
    private readonly database: Database,
    private readonly sender: SendRequest,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** @throws WEBHOOK_NOT_FOUND; RATE_LIMITED while the organization has five under way; SERVICE_UNAVAILABLE when nothing was sent */
  @RpcHandler(testWebhookRpc)
  async test(call: TestCall): Promise<WebhookTestResult> {
    const { organizationId } = call.principal;
    const count = this.underWay.get(organizationId) ?? 0;
    if (count >= AT_ONCE_MAX) throw new AppError(gatewayErrors.RATE_LIMITED, undefined, { retryAfterSeconds: 1 });
    this.underWay.set(organizationId, count + 1);
    try {
      return await this.testNow(call);
    } finally {
      const left = (this.underWay.get(organizationId) ?? 1) - 1;
      if (left > 0) this.underWay.set(organizationId, left);
      else this.underWay.delete(organizationId);
    }
  }

  private async testNow(call: TestCall): Promise<WebhookTestResult> {
    const { organizationId } = call.principal;
    const { id: webhookId } = call.request;
    const webhook = requireWebhook(await readSealedSecrets(this.database, organizationId, webhookId));
    const at = new Date(this.clock.now());
    const dataId = newCuid();
    const body = JSON.stringify(testBodyOf(organizationId, dataId, at));
    const { result, reason } = await this.send({ ...webhook, body, dataId }, call.budget);
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

  /** In the thread of receivers that give way, whatever this one does. One that starts late has sent nothing: it is asked once more. */
  private async send(request: SignedRequest, budget: Budget, isAgain = false): Promise<LoggedResult> {
    try {
      return await this.sender.send(request, { isApart: true });
    } catch (error) {
      if (!(error instanceof NeverSent)) throw error;
      if (!isAgain && budget.leftMs >= SEND_MS) return this.send(request, budget, true);
      throw new AppError(serviceErrors.SERVICE_UNAVAILABLE, undefined, { retryAfterSeconds: 1, cause: error });
    }
  }
}
