import type { AuditEntry, Operations } from '../../api/api.generated.js';
import { call } from '../../api/call.js';
import { download, toCsv } from '../../ui/csv-file.js';

const COLUMNS = ['sequence', 'at', 'action', 'actor', 'address', 'traceId', 'before', 'after', 'hash'] as const;

/** Reads every entry that fits and hands them to the browser as a file. @returns how many. @throws Problem */
export async function exportAuditLog(filter: Operations['listAuditLog']['query']): Promise<number> {
  const entries: AuditEntry[] = [];
  let cursor: string | undefined;
  do {
    const page = await call('listAuditLog', { query: { ...filter, limit: 100, cursor } });
    entries.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  const rows = entries.map((entry) => COLUMNS.map((column) => cellOf(entry[column])));
  download('audit-log.csv', toCsv([[...COLUMNS], ...rows]));
  return entries.length;
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
