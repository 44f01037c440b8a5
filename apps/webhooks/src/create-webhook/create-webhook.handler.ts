import { Controller, Inject } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { cuidTime } from '@switchboard/contracts/grammar/cuid';
import type { RpcResponseOf } from '@switchboard/contracts/grammar/define-rpc';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { auditedWebhook } from '@switchboard/contracts/webhooks/events';
import { createWebhookRpc, type CreateWebhookRequest } from '@switchboard/contracts/webhooks/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { CLOCK, type Clock } from '@switchboard/platform';
import { Database, type Transaction } from '@switchboard/postgres';
import { dataKeyOf, SecretBox } from '@switchboard/secrets';
import { newSigningSecret } from '@switchboard/webhook-signature';
import { insertLane } from '../lane/lane.repository.js';
import { appendAct } from '../webhook/append-act.js';
import { JudgeUrl } from '../webhook/judge-url.js';
import { readSecrets } from '../webhook/secret.repository.js';
import { secretPlace } from '../webhook/webhook-secrets.js';
import { requireWebhook, webhookView } from '../webhook/webhook-view.js';
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
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws VALIDATION_FAILED, PAYMENT_REQUIRED, CONFLICT */
  @RpcHandler(createWebhookRpc)
  async create(call: RpcCall<CreateWebhookRequest>): Promise<RpcResponseOf<typeof createWebhookRpc>> {
    const { organizationId } = call.principal;
    const url = await this.judge.require(call.request.url);
    return this.database.transaction(
      async (tx) => {
        const count = await lockWebhookCount(tx, organizationId);
        const id = await idOf(tx, organizationId, call.request);
        const isNew = (await findWebhook(tx, organizationId, id)) === null;
        if (isNew) await this.insert(tx, organizationId, count, { ...call.request, url });
        const webhook = webhookView(requireWebhook(await findWebhook(tx, organizationId, id)));
        const facts = { action: 'webhook.created', before: null, after: auditedWebhook(webhook) } as const;
        if (isNew) await appendAct(tx, call.request.by, { organizationId, webhookId: id, ...facts });
        const { secret } = requireWebhook(await readSecrets(tx, this.box, organizationId, id));
        return { webhook, secret, ...(id !== call.request.id && { isRepetition: true as const }) };
      },
      { tenant: organizationId },
    );
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

/** The id of what an earlier request with the same `Idempotency-Key` registered, else the one that was minted for it. */
async function idOf(
  tx: Transaction,
  organizationId: string,
  { id, keyed }: Pick<CreateWebhookRequest, 'id' | 'keyed'>,
): Promise<string> {
  const former = keyed ? await findWebhookOfRequest(tx, organizationId, keyed) : null;
  if (!former) return id;
  if (former.isSameBody) return former.id;
  const message = `This \`Idempotency-Key\` registered the webhook ${former.id} with another body; use another one`;
  throw new AppError(serviceErrors.CONFLICT, message);
}
