import type { Log } from '@switchboard/platform';
import { callbackMetrics } from './callback-metrics.js';
import type { StatusReport } from './take-statuses.js';

/** Counts statuses whose message was not found and that are given up, and logs one line for each organization. */
export function reportUnknown(log: Log, statuses: readonly StatusReport[]): void {
  const byOrganization = Map.groupBy(statuses, ({ organizationId }) => organizationId);
  for (const [organizationId, unknown] of byOrganization) {
    callbackMetrics().ignored('unknown-message', unknown.length);
    log.warn('callback.unknown-message', { organizationId, statuses: unknown.length, eventId: unknown[0]?.eventId });
  }
}
