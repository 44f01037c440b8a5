import type { FactoryProvider } from '@nestjs/common';
import { PruneWorker, type PruneSpec } from '@switchboard/platform';
import { statement, type PruneStatement } from '@switchboard/postgres';

/** The beginnings of chains; the database refuses what it must keep. $1 entries at most, $2 days. */
const pruneAudit: PruneStatement = statement('gateway.prune-audit', 'SELECT prune_audit($2, $1) AS count');

/** Entries of the audit log that are older than so many days. */
export const oldAuditEntries = (days: number): PruneSpec => ({
  rows: 'audit-entries',
  statement: pruneAudit,
  values: () => [days],
  sliceMax: 500,
  idleMs: 600_000,
  needsAgreedClocks: true,
});

/** Removes old entries of the audit log. @param days for which an entry is kept; 0 for ever: there is no worker then */
export function auditPruners(days: number): FactoryProvider<PruneWorker>[] {
  return days === 0 ? [] : [PruneWorker.provide(oldAuditEntries(days))];
}
