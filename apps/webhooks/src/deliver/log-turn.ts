import type { Log } from '@switchboard/platform';
import type { TurnResult } from './deliver-turn.js';

/** One line for each attempt that was recorded, and for each webhook that was deactivated. */
export function logTurn(log: Log, { settled, deactivated }: TurnResult): void {
  for (const { attempt, result, state, reason } of settled) {
    const { webhookId, organizationId, id: deliveryId, eventId, kind, attempts, type } = attempt.delivery;
    const { outcome, responseStatus, error, durationMs } = result;
    const of = { organizationId, webhookId, deliveryId, eventId, type, kind, attempt: attempts + 1 };
    log.info('delivery.attempted', { ...of, outcome, responseStatus, error, reason, state, durationMs });
  }
  for (const { webhookId, organizationId, reason } of deactivated) {
    log.warn('webhook.deactivated', { organizationId, webhookId, reason });
  }
}
