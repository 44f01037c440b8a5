/** Events are kept for no longer. Source: docs/api-behaviour.md#webhooks-replay. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;

/**
 * Where a replay of what a deactivated webhook missed begins: what the deactivation dropped had occurred before it, and what failed,
 * too. Not before the webhook was made, for which nothing is missed.
 *
 * @param createdAt of the webhook; both times are ISO 8601
 */
export function missedFrom(createdAt: string, deactivatedAt: string): string {
  return new Date(Math.max(Date.parse(createdAt), Date.parse(deactivatedAt) - KEPT_MS)).toISOString();
}
