import { Controller, Inject } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { cuidTime } from '@switchboard/contracts/grammar/cuid';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { auditedWebhook } from '@switchboard/contracts/webhooks/events';
import { createWebhookRpc, type CreatedWebhook, type CreateWebhookRequest } from '@switchboard/contracts/webhooks/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { CLOCK, type Clock } from '@switchboard/platform';
import { Database, type Queryable, type Transaction } from '@switchboard/postgres';
import { dataKeyOf, SecretBox } from '@switchboard/secrets';
import { newSigningSecret } from '@switchboard/webhook-signature';
import { LaneWakeUps } from '../lane/lane-wake-ups.js';
import { insertLane } from '../lane/lane.repository.js';
import { appendWebhookAct } from '../webhook/append-webhook-act.js';
import { JudgeUrl } from '../webhook/judge-url.js';
import { readSecrets } from '../webhook/secret.repository.js';
import { secretPlace } from '../webhook/webhook-secrets.js';
import { webhookView } from '../webhook/webhook-view.js';
import { findWebhook, findWebhookOfRequest, insertWebhook, lockWebhookCount } from '../webhook/webhook.repository.js';

/** Source: docs/api-behaviour.md#webhooks-manage. */
const WEBHOOKS_MAX = 20;

/** Answers `webhooks.create-webhook`. */
@Controller()
export class CreateWebhookHandler {
  constructor(
    private readonly database: Database,
    private readonly judge: JudgeUrl,
    private readonly box: SecretBox,
    private readonly wakeUps: LaneWakeUps,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws VALIDATION_FAILED, PAYMENT_REQUIRED, CONFLICT */
  @RpcHandler(createWebhookRpc)
  async create(call: RpcCall<CreateWebhookRequest>): Promise<CreatedWebhook> {
    const { organizationId } = call.principal;
    // One that is there is answered while its name does not resolve, too: its URL was judged when it was registered.
    const known = await this.findKnown(this.database, organizationId, call.request);
    if (known) return known;
    const url = await this.judge.require(call.request.url);
    const register = (tx: Transaction): Promise<CreatedWebhook> =>
      this.register(tx, organizationId, { ...call.request, url });
    const created = await this.database.transaction(register, { tenant: organizationId });
    this.wakeUps.sendNewTaker(organizationId);
    return created;
  }

  private async register(
    tx: Transaction,
    organizationId: string,
    request: CreateWebhookRequest,
  ): Promise<CreatedWebhook> {
    const count = await lockWebhookCount(tx, organizationId);
    const known = await this.findKnown(tx, organizationId, request);
    if (known) return known;
    await this.insert(tx, organizationId, count, request);
    const created = await this.read(tx, organizationId, request.id);
    if (!created) throw new Error('a webhook that was inserted is not there');
    const facts = { action: 'webhook.created', before: null, after: auditedWebhook(created.webhook) } as const;
    await appendWebhookAct(tx, request.by, { organizationId, webhookId: request.id, ...facts });
    return created;
  }

  /** What this request has registered, asked before, or an earlier one with its `Idempotency-Key`; else null. @throws CONFLICT */
  private async findKnown(
    on: Queryable,
    organizationId: string,
    { id, keyed }: Pick<CreateWebhookRequest, 'id' | 'keyed'>,
  ): Promise<CreatedWebhook | null> {
    const former = keyed ? await findWebhookOfRequest(on, organizationId, keyed) : null;
    if (former && !former.isSameBody) {
      const message = `This \`Idempotency-Key\` registered the webhook ${former.id} with another body; use another one`;
      throw new AppError(serviceErrors.CONFLICT, message);
    }
    const known = await this.read(on, organizationId, former?.id ?? id);
    return known && former && former.id !== id ? { ...known, isRepetition: true } : known;
  }

  private async read(on: Queryable, organizationId: string, id: string): Promise<CreatedWebhook | null> {
    const row = await findWebhook(on, organizationId, id);
    const secrets = row && (await readSecrets(on, this.box, organizationId, id));
    return secrets && { webhook: webhookView(row), secret: secrets.secret };
  }

  private async insert(
    tx: Transaction,
    organizationId: string,
    count: number,
    request: CreateWebhookRequest,
  ): Promise<void> {
    if (count >= WEBHOOKS_MAX) {
      throw new AppError(serviceErrors.PAYMENT_REQUIRED, `An organization has at most ${WEBHOOKS_MAX} webhooks`);
    }
    const { id, url, description, keyed = null } = request;
    const dataKey = await dataKeyOf(tx, this.box, organizationId);
    const secretSealed = this.box.seal(newSigningSecret(), secretPlace(organizationId, id, 'secret_sealed'), dataKey);
    const events = [...new Set(request.events)];
    const createdAt = new Date(Math.min(cuidTime(id).getTime(), this.clock.now()));
    await insertWebhook(tx, { organizationId, id, url, events, description, secretSealed, createdAt, keyed });
    await insertLane(tx, organizationId, id);
  }
}
