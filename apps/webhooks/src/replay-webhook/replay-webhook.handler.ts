import { Controller, Inject } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { replayWebhookRpc, type ReplayWebhookRequest } from '@switchboard/contracts/webhooks/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { Database, type Queryable } from '@switchboard/postgres';
import { lastPosition, positionBefore } from '../event/feed.repository.js';
import { appendWebhookAct } from '../webhook/append-webhook-act.js';
import { StopGrace } from '../attempt/stop-grace.js';
import { inTurns } from '../webhook/in-turns.js';
import { requireActive, requireWebhook } from '../webhook/webhook-view.js';
import { findWebhook, lockWebhook, type WebhookRow } from '../webhook/webhook.repository.js';
import { ReplaySignal } from '../replay/replay-signal.js';
import { countOfReplay, insertReplay, runningReplays } from '../replay/replay.repository.js';
import { countReplay, type ReplayedEvents } from '../replay/replayed-events.repository.js';
import { WEBHOOKS_CONFIG, type WebhooksConfig } from '../webhooks.config.js';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Replays of a webhook that are under way at once. Source: docs/api-behaviour.md#webhooks-replay. */
const RUNNING_MAX = 3;

/** Answers `webhooks.replay-webhook`: counts, and leaves the rest to `QueueReplaysWorker`. */
@Controller()
export class ReplayWebhookHandler {
  constructor(
    private readonly database: Database,
    private readonly signal: ReplaySignal,
    private readonly grace: StopGrace,
    @Inject(WEBHOOKS_CONFIG) private readonly config: WebhooksConfig,
  ) {}

  /**
   * @throws WEBHOOK_NOT_FOUND, CONFLICT; VALIDATION_FAILED for a period of more events than can be counted in time; SERVICE_UNAVAILABLE
   * when the service stops and it is not counted 3 s later
   */
  @RpcHandler(replayWebhookRpc)
  async replay({ principal, request, budget }: RpcCall<ReplayWebhookRequest>): Promise<{ readonly count: number }> {
    const { organizationId } = principal;
    const { webhookId, replayId, dryRun } = request;
    const turns = inTurns(this.database, organizationId);
    const known = dryRun ? null : await countOfReplay(turns, organizationId, replayId);
    if (known !== null) return { count: known };
    const webhook = requireWebhook(await findWebhook(turns, organizationId, webhookId));
    if (!dryRun) await requireRoom(turns, webhook);
    const keptSince = Date.now() - this.config.WEBHOOKS_RETENTION_DAYS * DAY_MS;
    const events = await eventsOf(turns, webhook, request, keptSince);
    const count = await countReplay(turns, events, { budget, stop: this.grace.signal });
    if (dryRun) return { count };
    const accepted = await this.accept(events, request, count);
    this.signal.wake();
    return { count: accepted };
  }

  /** Stores the replay with its act. @returns its count, that of the first call when another has stored it meanwhile */
  private accept(events: ReplayedEvents, request: ReplayWebhookRequest, count: number): Promise<number> {
    const { organizationId, webhookId, replayId } = events;
    return this.database.transaction(
      async (tx) => {
        const webhook = requireWebhook(await lockWebhook(tx, organizationId, webhookId));
        const known = await countOfReplay(tx, organizationId, replayId);
        if (known !== null) return known;
        await requireRoom(tx, webhook);
        await insertReplay(tx, events, count);
        const { since, until, events: types, onlyMissed } = request;
        const after = { id: webhookId, since, until, events: types, onlyMissed, count };
        const facts = { action: 'webhook.replayed', before: null, after } as const;
        await appendWebhookAct(tx, request.by, { organizationId, webhookId, ...facts });
        return count;
      },
      { tenant: organizationId },
    );
  }
}

/** @throws CONFLICT when the webhook is deactivated, or has as many replays under way as it may */
async function requireRoom(on: Queryable, webhook: WebhookRow): Promise<void> {
  requireActive(webhook);
  if ((await runningReplays(on, webhook.organizationId, webhook.id)) < RUNNING_MAX) return;
  const message = `The webhook has ${RUNNING_MAX} replays under way: wait until one has ended`;
  throw new AppError(serviceErrors.CONFLICT, message);
}

async function eventsOf(
  on: Queryable,
  webhook: WebhookRow,
  request: ReplayWebhookRequest,
  keptSinceMs: number,
): Promise<ReplayedEvents> {
  const { organizationId, id: webhookId } = webhook;
  const since = new Date(Math.max(Date.parse(request.since), keptSinceMs));
  const until = request.until === null ? null : new Date(request.until);
  const types = webhook.events.filter((type) => request.events === null || request.events.includes(type));
  const upTo = await lastPosition(on, organizationId);
  const after = Math.min(await positionBefore(on, organizationId, since), upTo);
  const { replayId, onlyMissed } = request;
  return { organizationId, webhookId, replayId, after, upTo, since, until, types, onlyMissed };
}
