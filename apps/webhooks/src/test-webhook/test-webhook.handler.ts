import { Controller, Inject } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { WebhookTestResult } from '@switchboard/contracts/webhooks/http';
import type { WebhookActor } from '@switchboard/contracts/webhooks/events';
import { testWebhookRpc, type AuditedRequest } from '@switchboard/contracts/webhooks/rpc';
import { RpcHandler, type Budget, type RpcCall } from '@switchboard/nats';
import { LOG, type Clock, type Log } from '@switchboard/platform';
import { Database } from '@switchboard/postgres';
import { jittered, pause } from '@switchboard/timing';
import { attemptsOfDelivery } from '../attempt/attempt.repository.js';
import { beginTest, forgetTest, recordTest, type TestSend } from '../attempt/record-test.repository.js';
import { NeverSent, SendRequest, type LoggedResult, type SignedRequest } from '../attempt/send-request.client.js';
import { StopGrace } from '../attempt/stop-grace.js';
import { DatabaseClock } from '../attempt/database-clock.js';
import { appendWebhookAct } from '../webhook/append-webhook-act.js';
import { readSealedSecrets } from '../webhook/secret.repository.js';
import { requireWebhook } from '../webhook/webhook-view.js';
import { lockWebhook } from '../webhook/webhook.repository.js';
import { testBodyOf } from '../event/test-body.policy.js';

/** Test sends of one organization at once, in each process: each may keep a connection for 10 s. Source: docs/api-behaviour.md#webhooks-manage. */
const AT_ONCE_MAX = 5;
/** A test send takes so long at most: the receiver's 10 s, and its record. */
const SEND_MS = 10_500;
/** Of one that starts late, and so has sent nothing. */
const SEND_TRIES_MAX = 2;
/** How often what another process records of a test send is looked for, ±25 %, and what is kept back of the caller's time for the last look. */
const LOOK_MS = 250;
const LEFT_MS_MIN = 500;
const NOT_RECORDED =
  'The test send may have reached the receiver, and its result is not known: look for its attempt in a moment, or send another';

/** Answers `webhooks.test-webhook`: one request, outside of the lane and its rules. */
@Controller()
export class TestWebhookHandler {
  /** Test sends under way, by organization and delivery. */
  private readonly underWay = new Map<string, Map<string, Promise<WebhookTestResult>>>();

  constructor(
    private readonly database: Database,
    private readonly sender: SendRequest,
    private readonly grace: StopGrace,
    @Inject(DatabaseClock) private readonly clock: Pick<Clock, 'now'>,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /**
   * Sends once, however often the act is asked for, and of whichever process: what is recorded of it, or under way, is answered. One that
   * lasts when the service stops ends as `interrupted`.
   *
   * @throws WEBHOOK_NOT_FOUND; RATE_LIMITED while the organization has five under way in this process; SERVICE_UNAVAILABLE when nothing
   * was sent, and when the process that may have sent it has recorded nothing in the caller's time
   */
  @RpcHandler(testWebhookRpc)
  async test({
    principal,
    request,
    budget,
  }: RpcCall<AuditedRequest & { readonly id: string }>): Promise<WebhookTestResult> {
    const { organizationId } = principal;
    const { id: webhookId, by } = request;
    // The delivery is called by the act.
    const test = { organizationId, webhookId, dataId: by?.actId ?? newCuid() };
    const key = `${webhookId} ${test.dataId}`;
    const own = this.underWay.get(organizationId) ?? new Map<string, Promise<WebhookTestResult>>();
    const known = own.get(key);
    if (known) return known;
    if (own.size >= AT_ONCE_MAX) throw new AppError(gatewayErrors.RATE_LIMITED, undefined, { retryAfterSeconds: 1 });
    const ended = this.sendOnce(test, by, budget).finally(() => {
      own.delete(key);
      if (own.size === 0) this.underWay.delete(organizationId);
    });
    own.set(key, ended);
    this.underWay.set(organizationId, own);
    return ended;
  }

  private async sendOnce(test: TestSend, by: WebhookActor | undefined, budget: Budget): Promise<WebhookTestResult> {
    const { organizationId, webhookId, dataId } = test;
    const webhook = requireWebhook(await readSealedSecrets(this.database, organizationId, webhookId));
    const [recorded] = by ? await attemptsOfDelivery(this.database, webhookId, dataId) : [];
    if (recorded) return resultOf(recorded);
    const at = new Date(this.clock.now());
    if (!(await this.begin(test, by, at))) return this.awaitRecord(test, budget);
    const body = JSON.stringify(testBodyOf(organizationId, dataId, at));
    const turns = { tenant: organizationId };
    const { result, reason } = await this.send({ ...webhook, body, dataId }, budget).catch(async (error: unknown) => {
      await this.database.transaction((tx) => forgetTest(tx, test), turns);
      throw error;
    });
    await this.database.transaction((tx) => recordTest(tx, test, result), turns);
    const { responseStatus, error, durationMs, outcome } = result;
    this.log.info('webhook.tested', { organizationId, webhookId, outcome, responseStatus, error, reason, durationMs });
    return resultOf(result);
  }

  /**
   * Before the request: a process that ends in between leaves no request that the audit log does not know, and that is in no log of attempts.
   *
   * @returns false: another process has done so, and sends it or has ended
   */
  private async begin(test: TestSend, by: WebhookActor | undefined, at: Date): Promise<boolean> {
    const { organizationId, webhookId, dataId } = test;
    return this.database.transaction(
      async (tx) => {
        requireWebhook(await lockWebhook(tx, organizationId, webhookId));
        const after = { id: webhookId, deliveryId: dataId };
        const act = { organizationId, webhookId, action: 'webhook.tested', before: null, after } as const;
        if (!(await appendWebhookAct(tx, by, act))) return false;
        await beginTest(tx, test, at);
        return true;
      },
      { tenant: organizationId },
    );
  }

  /** What the process that sends it records: a caller asks again whenever a process starts, and its first request may be under way. */
  private async awaitRecord({ webhookId, dataId }: TestSend, budget: Budget): Promise<WebhookTestResult> {
    const { signal } = this.grace;
    for (;;) {
      const [recorded] = await attemptsOfDelivery(this.database, webhookId, dataId);
      if (recorded) return resultOf(recorded);
      if (budget.leftMs < LEFT_MS_MIN || signal.aborted) {
        throw new AppError(serviceErrors.SERVICE_UNAVAILABLE, NOT_RECORDED, { retryAfterSeconds: 1 });
      }
      await pause(jittered(LOOK_MS), signal);
    }
  }

  /** In the thread of receivers that give way, whatever this one does. Tried once more when nothing was sent. */
  private async send(request: SignedRequest, budget: Budget): Promise<LoggedResult> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.sender.send(request, { signal: this.grace.signal, isApart: true });
      } catch (error) {
        if (!(error instanceof NeverSent)) throw error;
        if (tries < SEND_TRIES_MAX && budget.leftMs >= SEND_MS) continue;
        throw new AppError(serviceErrors.SERVICE_UNAVAILABLE, undefined, { retryAfterSeconds: 1, cause: error });
      }
    }
  }
}

function resultOf({
  outcome,
  responseStatus,
  responseBody,
  error,
  durationMs,
}: Omit<WebhookTestResult, 'delivered'> & { readonly outcome: 'SUCCEEDED' | 'FAILED' }): WebhookTestResult {
  return { delivered: outcome === 'SUCCEEDED', responseStatus, responseBody, error, durationMs };
}
