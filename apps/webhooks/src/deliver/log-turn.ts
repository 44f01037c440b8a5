import type { Log } from '@switchboard/platform';
import type { TurnResult, UnsentRequest } from './deliver-turn.js';

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

/** One line for each attempt that was marked and never left: as an error where a person has to act. */
export function logUnsent(log: Log, unsent: readonly UnsentRequest[]): void {
  for (const { attempt, cause, holdMs } of unsent) {
    const { webhookId, organizationId, id: deliveryId } = attempt.delivery;
    const of = { organizationId, webhookId, deliveryId, cause, holdMs };
    if (cause === 'unsubscribed') log.info('delivery.dropped', of);
    else if (cause !== 'unreadable_secret') log.warn('delivery.unsent', of);
    else log.error('delivery.unsent', new Error('no master key of this process opens the secret: CREDENTIALS_KEY'), of);
  }
}
