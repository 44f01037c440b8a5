import type { QuotaFigures } from '@switchboard/contracts/analytics/http';
import type { QuotaUse } from '@switchboard/contracts/messaging/rpc';

/** What is used and left of the month's quota. @param limit messages a month; null: unlimited */
export function quotaFiguresOf({ month, used }: QuotaUse, limit: number | null): QuotaFigures {
  return { month, used, limit, left: limit === null ? null : Math.max(0, limit - used) };
}
