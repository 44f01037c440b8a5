import { setTimeout as wait } from 'node:timers/promises';
import { Controller } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { enableWebhookRpc, type AuditedRequest, type ChangedWebhook } from '@switchboard/contracts/webhooks/rpc';
import { RpcHandler, type Budget, type RpcCall } from '@switchboard/nats';
import { Database } from '@switchboard/postgres';
import { LaneWakeUps } from '../lane/lane-wake-ups.js';
import { openLane } from '../lane/lane.repository.js';
import { cancelReplays } from '../replay/replay.repository.js';
import { appendChange, formerChange } from '../webhook/append-webhook-act.js';
import { dropLast, dropPending } from '../webhook/deactivate-webhooks.repository.js';
import { inTurns } from '../webhook/in-turns.js';
import { requireWebhook } from '../webhook/webhook-view.js';
import { activateWebhook, findWebhook, lockToChange } from '../webhook/webhook.repository.js';

/** Kept back of the caller's time, for what comes behind the last slice. */
const LEFT_MS_MIN = 1_000;

/** Before what others had locked of it is tried again. */
const LOCKED_REST_MS = 50;

/** Answers `webhooks.enable-webhook`. */
@Controller()
export class EnableWebhookHandler {
  constructor(
    private readonly database: Database,
    private readonly wakeUps: LaneWakeUps,
  ) {}

  /** @throws WEBHOOK_NOT_FOUND; SERVICE_UNAVAILABLE when more is pending than can be dropped in time: asked again it goes on */
  @RpcHandler(enableWebhookRpc)
  async enable(call: RpcCall<AuditedRequest & { readonly id: string }>): Promise<ChangedWebhook> {
    const { organizationId } = call.principal;
    const { id } = call.request;
    const turns = inTurns(this.database, organizationId);
    const found = requireWebhook(await findWebhook(turns, organizationId, id));
    // What was pending when it was deactivated is dropped before it is active again.
    while (found.deactivatedAt !== null && (await dropPending(turns, [id]))) requireTime(call.budget);
    for (;;) {
      const changed = await this.enableUnlessPending(call);
      if (changed !== null) {
        this.wakeUps.sendNewTaker(organizationId);
        return changed;
      }
      requireTime(call.budget);
      await wait(LOCKED_REST_MS);
    }
  }

  /** Under the lock of its lane: nothing becomes pending meanwhile. @returns null: something is still pending, a slice less than before */
  private async enableUnlessPending(
    call: RpcCall<AuditedRequest & { readonly id: string }>,
  ): Promise<ChangedWebhook | null> {
    const { organizationId } = call.principal;
    const { id } = call.request;
    return this.database.transaction(
      async (tx) => {
        const before = requireWebhook(await lockToChange(tx, organizationId, id));
        // What has failed since counts, and one that was deactivated since stays so.
        const former = await formerChange(tx, call.request.by, before);
        if (former) return former;
        if (before.deactivatedAt !== null && !(await dropLast(tx, id))) return null;
        await activateWebhook(tx, organizationId, id);
        // Behind the change of the webhook, whose lock comes before those of its replays.
        if (before.deactivatedAt !== null) await cancelReplays(tx, organizationId, id);
        await openLane(tx, id);
        return appendChange(tx, call.request.by, 'webhook.enabled', { organizationId, id, before });
      },
      { tenant: organizationId },
    );
  }
}

function requireTime({ leftMs }: Budget): void {
  if (leftMs >= LEFT_MS_MIN) return;
  const message = 'What was pending of the webhook is still being dropped: try again';
  throw new AppError(serviceErrors.SERVICE_UNAVAILABLE, message, { retryAfterSeconds: 1 });
}
