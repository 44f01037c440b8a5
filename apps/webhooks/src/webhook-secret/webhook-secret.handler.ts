import { Controller } from '@nestjs/common';
import type { WebhookSecretView } from '@switchboard/contracts/webhooks/http';
import { getWebhookSecretRpc, rotateWebhookSecretRpc, type AuditedRequest } from '@switchboard/contracts/webhooks/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { Database, type Transaction } from '@switchboard/postgres';
import { dataKeyOf, SecretBox } from '@switchboard/secrets';
import { newSigningSecret } from '@switchboard/webhook-signature';
import { appendWebhookAct, isDone } from '../webhook/append-webhook-act.js';
import { readSealedSecrets, readSecrets, storeSecrets } from '../webhook/secret.repository.js';
import {
  openCurrent,
  secretPlace,
  UnreadableSecret,
  type SealedSecrets,
  type SecretColumn,
} from '../webhook/webhook-secrets.js';
import { requireWebhook } from '../webhook/webhook-view.js';
import { lockToChange } from '../webhook/webhook.repository.js';

/** Answers `webhooks.get-webhook-secret` and `webhooks.rotate-webhook-secret`. */
@Controller()
export class WebhookSecretHandler {
  constructor(
    private readonly database: Database,
    private readonly box: SecretBox,
  ) {}

  /** @throws WEBHOOK_NOT_FOUND */
  @RpcHandler(getWebhookSecretRpc)
  async get(call: RpcCall<{ readonly id: string }>): Promise<WebhookSecretView> {
    return requireWebhook(await readSecrets(this.database, this.box, call.principal.organizationId, call.request.id));
  }

  /**
   * Rotates once, however often the act is asked for: a second secret would take the place of the former one, by which the customer's
   * receiver still verifies.
   *
   * @throws WEBHOOK_NOT_FOUND
   */
  @RpcHandler(rotateWebhookSecretRpc)
  async rotate(call: RpcCall<AuditedRequest & { readonly id: string }>): Promise<WebhookSecretView> {
    const { organizationId } = call.principal;
    const { id: webhookId } = call.request;
    return this.database.transaction(
      async (tx) => {
        requireWebhook(await lockToChange(tx, organizationId, webhookId));
        if (!(await isDone(tx, call.request.by))) await this.renew(tx, organizationId, webhookId);
        const shown = requireWebhook(await readSecrets(tx, this.box, organizationId, webhookId));
        const after = { id: webhookId, previousSecretValidUntil: shown.previousSecretValidUntil };
        const facts = { action: 'webhook.secret-rotated', before: null, after } as const;
        await appendWebhookAct(tx, call.request.by, { organizationId, webhookId, ...facts });
        return shown;
      },
      { tenant: organizationId },
    );
  }

  private async renew(tx: Transaction, organizationId: string, webhookId: string): Promise<void> {
    const former = requireWebhook(await readSealedSecrets(tx, organizationId, webhookId));
    const dataKey = await dataKeyOf(tx, this.box, organizationId);
    const seal = (secret: string, column: SecretColumn): Buffer =>
      this.box.seal(secret, secretPlace(organizationId, webhookId, column), dataKey);
    const signedSoFar = this.readable(former);
    await storeSecrets(tx, {
      organizationId,
      webhookId,
      secretSealed: seal(newSigningSecret(), 'secret_sealed'),
      previousSecretSealed: signedSoFar === null ? null : seal(signedSoFar, 'previous_secret_sealed'),
    });
  }

  /** The secret that signs; null when no master key of this process opens it: then nothing was signed with it either. */
  private readable(former: SealedSecrets): string | null {
    try {
      return openCurrent(this.box, former);
    } catch (error) {
      if (error instanceof UnreadableSecret) return null;
      throw error;
    }
  }
}
