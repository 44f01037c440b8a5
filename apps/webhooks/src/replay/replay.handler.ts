import { Controller } from '@nestjs/common';
import { replayWebhookRpc, type ReplayWebhookRequest } from '@switchboard/contracts/webhooks/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { Database } from '@switchboard/postgres';
import { lastPosition, positionBefore, slicesOf } from '../event/feed.repository.js';
import { LaneWakeUps } from '../lane/lane-wake-ups.js';
import { appendAct } from '../webhook/append-act.js';
import { requireActive, requireWebhook } from '../webhook/webhook-view.js';
import { findWebhook, lockWebhook, type WebhookRow } from '../webhook/webhook.repository.js';
import { countReplay, queueReplay, replayedEventIds, type ReplayedEvents } from './replay.repository.js';

/** Source: docs/api-behaviour.md#webhooks-replay. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1_000;
/** Deliveries of a transaction: the worker waits for the lane's lock meanwhile, and with its turn other webhooks. */
const SLICE_DELIVERIES = 1_000;

/** Answers `webhooks.replay-webhook`. */
@Controller()
export class ReplayHandler {
  constructor(
    private readonly database: Database,
    private readonly wakeUps: LaneWakeUps,
  ) {}

  /** @throws WEBHOOK_NOT_FOUND, CONFLICT */
  @RpcHandler(replayWebhookRpc)
  async replay(call: RpcCall<ReplayWebhookRequest>): Promise<{ readonly count: number }> {
    const { organizationId } = call.principal;
    const { webhookId, dryRun } = call.request;
    const webhook = requireWebhook(await findWebhook(this.database, organizationId, webhookId));
    if (!dryRun) requireActive(webhook);
    const events = await this.eventsOf(webhook, call.request);
    if (dryRun) return { count: await countReplay(this.database, events) };
    // Counted first: of a repeated call the deliveries are queued already.
    const count = await countReplay(this.database, events);
    await this.audit(webhook, call.request, count);
    for await (const slice of slicesOf(this.database, events)) {
      const eventIds = await replayedEventIds(this.database, { ...events, ...slice });
      for (let start = 0; start < eventIds.length; start += SLICE_DELIVERIES) {
        await this.queue(webhook, events.replayId, eventIds.slice(start, start + SLICE_DELIVERIES));
      }
    }
    this.wakeUps.send([webhookId]);
    return { count };
  }

  private async eventsOf(webhook: WebhookRow, request: ReplayWebhookRequest): Promise<ReplayedEvents> {
    const { organizationId, id: webhookId } = webhook;
    const since = new Date(Math.max(Date.parse(request.since), Date.now() - KEPT_MS));
    const until = request.until === null ? null : new Date(request.until);
    const types = webhook.events.filter((type) => request.events === null || request.events.includes(type));
    const upTo = await lastPosition(this.database, organizationId);
    const after = await positionBefore(this.database, organizationId, since);
    const { replayId, onlyMissed } = request;
    return { organizationId, webhookId, replayId, after, upTo, since, until, types, onlyMissed };
  }

  /** Before the first of it is queued: a replay that a crash ends early is in the log too. */
  private async audit({ organizationId, id }: WebhookRow, request: ReplayWebhookRequest, count: number): Promise<void> {
    const { since, until, events, onlyMissed } = request;
    const after = { id, since, until, events, onlyMissed, count };
    await this.database.transaction(
      async (tx) => {
        requireActive(requireWebhook(await lockWebhook(tx, organizationId, id)));
        const facts = { action: 'webhook.replayed', before: null, after } as const;
        await appendAct(tx, request.by, { organizationId, webhookId: id, ...facts });
      },
      { tenant: organizationId },
    );
  }

  /** Under the lane's lock: nothing is queued for a webhook that is deactivated meanwhile. */
  private async queue(
    { organizationId, id }: WebhookRow,
    replayId: string,
    eventIds: readonly string[],
  ): Promise<void> {
    await this.database.transaction(
      async (tx) => {
        requireActive(requireWebhook(await lockWebhook(tx, organizationId, id)));
        await queueReplay(tx, { organizationId, webhookId: id, replayId, eventIds });
      },
      { tenant: organizationId },
    );
  }
}
