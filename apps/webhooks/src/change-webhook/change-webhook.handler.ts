import { Controller } from '@nestjs/common';
import { changeWebhookRpc, type ChangedWebhook, type ChangeWebhookRequest } from '@switchboard/contracts/webhooks/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { Database } from '@switchboard/postgres';
import { LaneWakeUps } from '../lane/lane-wake-ups.js';
import { openLane } from '../lane/lane.repository.js';
import { appendChange, formerChange } from '../webhook/append-webhook-act.js';
import { JudgeUrl } from '../webhook/judge-url.js';
import { requireWebhook } from '../webhook/webhook-view.js';
import { findWebhook, lockToChange, storeWebhook } from '../webhook/webhook.repository.js';

/** Answers `webhooks.change-webhook`. Requests read the URL when they begin: what is pending goes to a changed one. */
@Controller()
export class ChangeWebhookHandler {
  constructor(
    private readonly database: Database,
    private readonly judge: JudgeUrl,
    private readonly wakeUps: LaneWakeUps,
  ) {}

  /** @throws WEBHOOK_NOT_FOUND, VALIDATION_FAILED */
  @RpcHandler(changeWebhookRpc)
  async change(call: RpcCall<ChangeWebhookRequest>): Promise<ChangedWebhook> {
    const { organizationId } = call.principal;
    const { id, url, events, description } = call.request;
    const found = requireWebhook(await findWebhook(this.database, organizationId, id));
    // One that is sent as it is was judged when it was set: other fields can be changed while its name does not resolve.
    const judged = url === undefined || url === found.url ? url : await this.judge.require(url);
    const changed = await this.database.transaction(
      async (tx) => {
        const before = requireWebhook(await lockToChange(tx, organizationId, id));
        // What was changed since by others is not changed back.
        const former = await formerChange(tx, call.request.by, before);
        if (former) return former;
        const after = judged ?? before.url;
        await storeWebhook(tx, {
          ...before,
          url: after,
          events: events ? [...new Set(events)] : before.events,
          description: description === undefined ? before.description : description,
        });
        // Pauses and failures are those of the former receiver.
        if (after !== before.url && before.deactivatedAt === null) await openLane(tx, id);
        return appendChange(tx, call.request.by, 'webhook.changed', { organizationId, id, before });
      },
      { tenant: organizationId },
    );
    this.wakeUps.sendNewTaker(organizationId);
    return changed;
  }
}
