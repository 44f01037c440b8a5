import type { ErrorDefinition, RetryVerdict } from '@switchboard/contracts/grammar/app-error';

const verdicts: Readonly<Record<RetryVerdict, string>> = {
  never: 'No: the answer will be the same.',
  'after-fixing':
    'After the request, or the resource it names, has been fixed; with a `Retry-After` (409), unchanged after it.',
  later: 'Yes, later and with growing pauses; a `Retry-After` says when.',
  'if-repeatable':
    'As `later`, but the request may have taken effect: only a request that does no harm twice (a read, a DELETE) or has the same ' +
    '`Idempotency-Key`. Without one look first: `X-Message-Id` names the message that may be stored.',
};

/** `docs/errors.md`: every code with its status, its sentence and whether to try again, by status and then by code. */
export function errorsPage(definitions: readonly ErrorDefinition[]): string {
  const sorted = [...definitions].sort((a, b) => a.status - b.status || compare(a.code, b.code));
  const rows = sorted.map(({ code, status, message, retry }) => [
    `\`${code}\``,
    String(status),
    message.replaceAll('|', '\\|'),
    `\`${retry}\``,
  ]);
  const legend = Object.entries(verdicts).map(([verdict, meaning]) => `- \`${verdict}\`: ${meaning}`);
  return [
    '# Errors',
    '',
    'Generated from the error registry in `libs/contracts`; `npm run check` compares them.',
    '',
    'An integrator reads `code`, which is stable; the sentence may say more than the one here and may change.',
    '',
    'May the same request be sent again?',
    '',
    ...legend,
    '',
    'A refusal with `X-Message-Id` is given again under its `Idempotency-Key` for 24 hours: take a new key once its cause is gone.',
    '',
    ...table(['Code', 'Status', 'Sentence', 'Again?'], rows),
    '',
  ].join('\n');
}

/** A Markdown table whose columns are padded to one width, as Prettier formats it. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`;
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows.map(line)];
}

/** By code unit: a locale's order would differ between machines. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
