import Papa from 'papaparse';

/** A file with recipients: its headings, and one row for each recipient. */
export interface CsvTable {
  readonly headings: readonly string[];
  readonly rows: readonly CsvRow[];
}

/** A row, and the line of the file that it begins in, from 1: editors show that number. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Recipients of a bulk send, as the API takes them. */
const ROWS_MAX = 100_000;

/** How spreadsheets name the delimiter, in a line before the headings. */
const DELIMITER = /^sep=([^\r\n])\r?\n/i;

/** Reads a file with headings in its first row; delimiter and quotes are found out. @throws Error that says what is wrong, and where */
export function parseCsv(text: string): CsvTable {
  const plain = text.replace(/^\uFEFF/, '');
  const [named = '', delimiter = ''] = DELIMITER.exec(plain) ?? [];
  const { data, errors } = Papa.parse<string[]>(plain.slice(named.length), { skipEmptyLines: false, delimiter });
  const before = named === '' ? 0 : 1;
  const fault = errors.find(({ type }) => type !== 'Delimiter');
  if (fault) throw new Error(`Row ${before + (fault.row ?? 0) + 1}: ${fault.message}`);
  const [headings = [], ...rest] = data;
  let line = before + 1 + linesOf(headings);
  const rows: CsvRow[] = [];
  for (const cells of rest) {
    if (cells.some((cell) => cell.trim() !== '')) rows.push({ line, cells: cells.map((cell) => cell.trim()) });
    line += linesOf(cells);
  }
  if (rows.length > ROWS_MAX) {
    const [found, most] = [rows.length, ROWS_MAX].map((count) => count.toLocaleString('en'));
    throw new Error(`The file has ${found} rows; a bulk send takes ${most} at most.`);
  }
  if (headings.every((heading) => heading.trim() === '')) throw new Error('The first row must name the columns.');
  if (rows.length === 0) throw new Error('The file has headings, but no row with a recipient below them.');
  return { headings: headings.map((heading, index) => heading.trim() || `Column ${index + 1}`), rows };
}

/** A quoted cell may hold line breaks. */
function linesOf(cells: readonly string[]): number {
  return 1 + cells.reduce((sum, cell) => sum + (cell.match(/\n/g)?.length ?? 0), 0);
}

/** How many rows a file has, in words. */
export function rowWords({ rows }: CsvTable): string {
  return rows.length === 1 ? '1 row' : `${rows.length.toLocaleString('en')} rows`;
}
