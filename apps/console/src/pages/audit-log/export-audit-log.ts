import type { Operations } from '../../api/api.generated.js';
import { readEvery } from '../../api/read-every.js';
import { downloadCsv, toCsv } from '../../ui/csv-file.js';

const COLUMNS = ['sequence', 'at', 'action', 'actor', 'address', 'traceId', 'before', 'after', 'hash'] as const;

/** Reads every entry that fits and hands them to the browser as a file. @returns how many. @throws Problem */
export async function exportAuditLog(filter: Operations['listAuditLog']['query']): Promise<number> {
  const entries = await readEvery('listAuditLog', { query: filter });
  const rows = entries.map((entry) => COLUMNS.map((column) => cellOf(entry[column])));
  downloadCsv('audit-log.csv', toCsv([[...COLUMNS], ...rows]));
  return entries.length;
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
