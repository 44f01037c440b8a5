import type { Template } from '../../api/api.generated.js';
import type { CsvTable } from './csv.js';

/** Which column holds what; by its index. */
export interface Mapping {
  readonly to: number | null;
  /** In the order of the template's variables. */
  readonly variables: readonly (number | null)[];
}

/** A recipient of a request, with the line of the file that it came from. */
export interface MappedRecipient {
  readonly line: number;
  readonly to: string;
  readonly values: readonly string[];
}

/** What is wrong with a line, as a sentence. */
export interface LineFault {
  readonly line: number;
  readonly problem: string;
}

const phoneHeading = /^(to|phone|mobile|number|phone.?number|tel)$/i;

/** The mapping that headings suggest. */
export function suggestMapping({ headings }: CsvTable, { variables }: Pick<Template, 'variables'>): Mapping {
  const to = headings.findIndex((heading) => phoneHeading.test(heading));
  const taken = new Set([to]);
  const found = variables.map(({ name }) => {
    const same = headings.findIndex(
      (heading, index) => !taken.has(index) && heading.toLowerCase() === name.toLowerCase(),
    );
    const next = same === -1 ? headings.findIndex((_heading, index) => index !== to && !taken.has(index)) : same;
    if (next !== -1) taken.add(next);
    return next === -1 ? null : next;
  });
  return { to: to === -1 ? (headings.length === 1 ? 0 : null) : to, variables: found };
}

/** The recipients of a file. The API refuses the whole batch for one bad row: these checks find most of them before. */
export function mapRecipients(
  table: CsvTable,
  mapping: Mapping,
  { variables }: Pick<Template, 'variables'>,
): { readonly recipients: readonly MappedRecipient[]; readonly faults: readonly LineFault[] } {
  const recipients: MappedRecipient[] = [];
  const faults: LineFault[] = [];
  for (const { line, cells } of table.rows) {
    const to = mapping.to === null ? '' : (cells[mapping.to] ?? '');
    const values = mapping.variables.map((column) => (column === null ? '' : (cells[column] ?? '')));
    const problem = problemOfPhone(to) ?? problemOfValues(values, variables);
    if (problem === null) recipients.push({ line, to, values });
    else faults.push({ line, problem });
  }
  return { recipients, faults };
}

/** A refusal of the API with the row of the file in place of each recipient's place in the request. */
export function inRows(message: string, recipients: readonly MappedRecipient[]): string {
  return message.replaceAll(/`recipients\[(\d+)\](?:\.to)?([^`]*)`/g, (whole, index: string, rest: string) => {
    const row = recipients[Number(index)];
    if (!row) return whole;
    return rest === '' ? `Row ${row.line} “${row.to}”` : `Row ${row.line} \`${rest.replace(/^\./, '')}\``;
  });
}

function problemOfPhone(to: string): string | null {
  if (to === '') return 'has no phone number';
  if (to.length < 3 || to.length > 32)
    return `“${to.slice(0, 40)}” is no phone number: it must have 3 to 32 characters`;
  return /^(tel:)?[+\d\s().-]+$/i.test(to) && /\d{3}/.test(to.replaceAll(/\D/g, ''))
    ? null
    : `“${to}” is no phone number`;
}

function problemOfValues(values: readonly string[], variables: Template['variables']): string | null {
  for (const [index, value] of values.entries()) {
    const name = variables[index]?.name ?? String(index + 1);
    if (value === '') return `has no value for {{${name}}}`;
    // What other programs put in place of bytes that they could not read.
    if (value.includes('\ufffd')) return `has “\ufffd” for {{${name}}}: a letter was lost when the file was saved`;
    if ([...value].length > 1_024) return `has more than 1,024 characters for {{${name}}}`;
  }
  return null;
}
