/** Rows as CSV. A cell that a spreadsheet would take for a formula is quoted as text. Source: OWASP, "CSV Injection". */
export function toCsv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => row.map(cell).join(',')).join('\r\n') + '\r\n';
}

function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && !/^[+-]?\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Without it Excel takes a CSV file for one of the system's old code page, and shows wrong letters. Source: RFC 3629, section 6. */
const BYTE_ORDER_MARK = '\uFEFF';

/** Hands CSV to the browser as a file for a spreadsheet. */
export function downloadCsv(name: string, csv: string): void {
  download(name, BYTE_ORDER_MARK + csv, 'text/csv');
}

/** Hands a text to the browser as a file. */
export function download(name: string, text: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = Object.assign(document.createElement('a'), { href: address, download: name });
  link.click();
  URL.revokeObjectURL(address);
}
