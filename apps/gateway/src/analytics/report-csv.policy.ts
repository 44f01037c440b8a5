/** A report whose points are rows of a table. */
export interface TabularReport {
  readonly series: readonly object[];
}

type Cell = string | number | null;

/**
 * The points of a report as CSV: a column for each figure, those within others as `secondsToDelivered.p50`. Where a point lists
 * parts (templates, endpoints, codes), each part is a row with the name of the list in front, below the row of the point.
 *
 * Source: RFC 4180
 */
export function csvOf({ series }: TabularReport): string {
  const rows = series.flatMap((point) => {
    const start = 'start' in point && typeof point.start === 'string' ? point.start : '';
    const parts = Object.entries(point).flatMap(([name, value]) =>
      Array.isArray(value) ? value.map((part: object) => ({ start, of: name, ...flat(part) })) : [],
    );
    return [{ start, of: '', ...flat(point) }, ...parts];
  });
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = rows.map((row) =>
    columns.map((column) => written((row as Record<string, Cell>)[column] ?? null)).join(','),
  );
  return [columns.join(','), ...lines, ''].join('\r\n');
}

function flat(figures: object, prefix = ''): Record<string, Cell> {
  const cells = Object.entries(figures).flatMap(([name, value]: [string, unknown]): [string, Cell][] => {
    if (Array.isArray(value)) return [];
    if (value !== null && typeof value === 'object') return Object.entries(flat(value, `${prefix}${name}.`));
    return [[`${prefix}${name}`, value as Cell]];
  });
  return Object.fromEntries(cells);
}

/** What begins as a formula does would be run by a spreadsheet. */
function written(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
