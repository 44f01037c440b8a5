/** One row: what is measured, against what, and the bar for it. */
export interface BulkRow {
  readonly name: string;
  readonly ours: string;
  readonly against: string;
  readonly ratio: string;
  readonly bar: string;
}

/** Rows of a table. */
export function linesOfBulk(rows: readonly BulkRow[]): string[] {
  return rows.map(({ name, ours, against, ratio, bar }) => `| ${[name, ours, against, ratio, bar].join(' | ')} |`);
}
