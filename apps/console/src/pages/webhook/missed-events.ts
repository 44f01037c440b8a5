import type { AuditEntry } from '../../api/api.generated.js';

/** Events are kept for no longer. Source: docs/api-behaviour.md#webhooks-replay. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;

/**
 * Where a replay of what a deactivated webhook missed begins: before all that is kept, as what the deactivation dropped, and what failed,
 * had occurred before it. Not before the webhook was made, for which nothing is missed.
 *
 * @param createdAt of the webhook; both times are ISO 8601
 */
export function missedFrom(createdAt: string, enabledAt: string): string {
  return new Date(Math.max(Date.parse(createdAt), Date.parse(enabledAt) - KEPT_MS)).toISOString();
}

/** The act by which a deactivated webhook was enabled again for the last time. @param enabled entries of `webhook.enabled` */
export function lastEnabling(enabled: readonly AuditEntry[], id: string): AuditEntry | null {
  // One that was active may be enabled too, which sets its count of failures to 0.
  return newest(enabled.filter(({ before }) => before?.['id'] === id && before['status'] === 'DEACTIVATED'));
}

/**
 * Whether what a webhook missed has been replayed since it was enabled: from its deactivation on, or from before it.
 *
 * @param enabling of `lastEnabling`; @param others entries of `webhook.deactivated` and of `webhook.replayed`
 */
export function isReplayed(enabling: AuditEntry, others: readonly AuditEntry[]): boolean {
  const own = others.filter(({ after }) => after?.['id'] === enabling.before?.['id']);
  const deactivated = newest(own.filter(({ action }) => action === 'webhook.deactivated'));
  // The platform's own act may be written behind the enabling, with the time of its writing.
  const reachedMs = Math.min(...[enabling, deactivated].map((entry) => Date.parse((entry ?? enabling).at)));
  return own.some(
    ({ action, sequence, after }) =>
      action === 'webhook.replayed' &&
      sequence > enabling.sequence &&
      Date.parse(String(after?.['since'])) <= reachedMs,
  );
}

function newest(entries: readonly AuditEntry[]): AuditEntry | null {
  return entries.toSorted((one, other) => one.sequence - other.sequence).at(-1) ?? null;
}
