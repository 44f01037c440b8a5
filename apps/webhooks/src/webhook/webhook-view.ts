import { AppError } from '@switchboard/contracts/grammar/app-error';
import { cuidTime } from '@switchboard/contracts/grammar/cuid';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { webhooksErrors } from '@switchboard/contracts/webhooks/errors';
import type { WebhookView } from '@switchboard/contracts/webhooks/http';
import type { WebhookRow } from './webhook.repository.js';

/** A webhook as the application's API shows it. */
export function webhookView(row: WebhookRow): WebhookView {
  const { id, url, events, description, deactivatedAt, deactivatedReason, updatedAt, consecutiveFailures } = row;
  return {
    id,
    url,
    events,
    description,
    status: deactivatedAt === null ? 'ACTIVE' : 'DEACTIVATED',
    deactivatedAt: deactivatedAt?.toISOString() ?? null,
    deactivatedReason,
    consecutiveFailures,
    createdAt: cuidTime(id).toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

/** The webhook that was found. @throws WEBHOOK_NOT_FOUND */
export function requireWebhook<Row>(row: Row | null | undefined): Row {
  if (row === null || row === undefined) throw new AppError(webhooksErrors.WEBHOOK_NOT_FOUND);
  return row;
}

/** @throws CONFLICT for a webhook that is deactivated: nothing is queued for it */
export function requireActive(row: Pick<WebhookRow, 'deactivatedAt'>): void {
  if (row.deactivatedAt === null) return;
  throw new AppError(serviceErrors.CONFLICT, 'The webhook is deactivated: enable it first');
}
