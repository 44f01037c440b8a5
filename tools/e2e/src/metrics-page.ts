import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The checkout. */
export const root: string = resolve(import.meta.dirname, '..', '..', '..');

/** A metric as docs/metrics.md describes it. */
export interface DocumentedMetric {
  readonly name: string;
  readonly type: string;
  /** The values that the page lists, by label; an empty list stands for names of ours that it does not. */
  readonly labels: Readonly<Record<string, readonly string[]>>;
  /** The services that export it; `all` for every one. */
  readonly of: readonly string[];
  readonly meaning: string;
}

/** An alert as docs/metrics.md describes it. */
export interface DocumentedAlert {
  readonly name: string;
  readonly severity: string;
}

/** Reads the tables of docs/metrics.md. @throws Error when there is nothing in them */
export function readMetricsPage(): {
  readonly metrics: readonly DocumentedMetric[];
  readonly alerts: readonly DocumentedAlert[];
} {
  const lines = readFileSync(join(root, 'docs', 'metrics.md'), 'utf8').split('\n');
  const rows = lines
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => cell.trim().replace(/^`([^`]*)`$/, '$1')));
  const metrics = rows
    .filter((cells) => cells.length === 7)
    .map(([, name = '', type = '', labels = '', of = '', meaning = '']) => ({
      name,
      type: type.replace(', _read_', ''),
      labels: labelsOf(labels),
      of: of.split(', '),
      meaning,
    }));
  const alerts = rows.filter((cells) => cells.length === 5).map(([, name = '', severity = '']) => ({ name, severity }));
  if (metrics.length === 0 || alerts.length === 0) throw new Error('docs/metrics.md has no tables');
  return { metrics, alerts };
}

function labelsOf(cell: string): Record<string, readonly string[]> {
  const labels: Record<string, readonly string[]> = {};
  for (const part of cell === '' ? [] : cell.split('; ')) {
    const [name = '', values = ''] = part.split(': ');
    labels[name.replaceAll('`', '')] = values === '' ? [] : values.split(', ');
  }
  return labels;
}
