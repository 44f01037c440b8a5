/** Rows as lines of aligned columns under their names. */
export function textTable(rows: readonly Readonly<Record<string, unknown>>[]): string[] {
  const names = Object.keys(rows[0] ?? {});
  const lines = [names.map((name) => name.toUpperCase()), ...rows.map((row) => names.map((name) => shown(row[name])))];
  const widths = names.map((_name, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return value instanceof Date ? value.toISOString() : String(value);
}
