import type { BulkRecipient } from '@switchboard/contracts/templates/job-rpc';

/** Variables as a caller gave them; null: none. */
export type Variables = BulkRecipient['variables'];

/** Recipients of a chunk whose variables fit a template, or do not, for the same reason. */
export interface ShapeGroup {
  readonly shape: string;
  /** The variables of the first one. */
  readonly example: Variables;
  /** Ascending, `INDEXES_MAX` at most. */
  readonly indexes: readonly number[];
  readonly recipients: number;
}

/** Recipients whose variables do not fit. */
export interface ShapeFaults {
  /** The first ones, ascending. */
  readonly faults: readonly { readonly index: number; readonly why: string }[];
  /** True when there are more of them. */
  readonly hasMore: boolean;
}

/** As many indexes as a refusal names. */
const INDEXES_MAX = 5;
/**
 * Shapes of a chunk that are kept. A template fits at most two of them (its header with and without an https URL), so of
 * eight at least six do not fit, and they name smaller indexes than any that is left out.
 */
const SHAPES_MAX = 8;

/**
 * Groups recipients by all that fitting a template depends on: how many variables, their names, and whether the first one
 * is an https URL. A batch of 100,000 is judged by a handful of examples.
 */
export function groupByShape(
  recipients: readonly Pick<BulkRecipient, 'variables'>[],
  firstIndex: number,
): ShapeGroup[] {
  const groups = new Map<string, { example: Variables; indexes: number[]; recipients: number }>();
  recipients.forEach(({ variables }, offset) => {
    const shape = shapeOf(variables);
    const known = groups.get(shape);
    if (!known && groups.size === SHAPES_MAX) return;
    const group = known ?? { example: variables, indexes: [], recipients: 0 };
    if (!known) groups.set(shape, group);
    group.recipients++;
    if (group.indexes.length < INDEXES_MAX) group.indexes.push(firstIndex + offset);
  });
  return [...groups].map(([shape, group]) => ({ shape, ...group }));
}

/**
 * The first recipients that do not fit.
 *
 * @param judge why variables do not fit; null when they do
 */
export function findShapeFaults(
  groups: readonly ShapeGroup[],
  judge: (variables: Variables) => string | null,
): ShapeFaults {
  const verdicts = new Map<string, string | null>();
  const verdictOf = ({ shape, example }: ShapeGroup): string | null => {
    const known = verdicts.get(shape);
    if (known !== undefined) return known;
    const verdict = judge(example);
    verdicts.set(shape, verdict);
    return verdict;
  };
  const faulty = groups.flatMap((group) => {
    const why = verdictOf(group);
    return why === null ? [] : [{ ...group, why }];
  });
  const all = faulty.flatMap(({ indexes, why }) => indexes.map((index) => ({ index, why })));
  const recipients = faulty.reduce((sum, group) => sum + group.recipients, 0);
  all.sort((one, other) => one.index - other.index);
  return { faults: all.slice(0, INDEXES_MAX), hasMore: recipients > INDEXES_MAX };
}

/** What is wrong with a recipient. */
export interface RecipientFault {
  readonly index: number;
  /** The part at fault, such as `to`. */
  readonly field: string;
  readonly why: string;
}

/** One sentence for the caller. */
export function faultSentence(faults: readonly RecipientFault[], hasMore: boolean): string {
  const parts = faults.map(({ index, field, why }) => `\`recipients[${index}].${field}\` ${why}`);
  return parts.join('; ') + (hasMore ? '; and more' : '');
}

function shapeOf(variables: Variables): string {
  if (variables === null) return '0';
  if (isList(variables)) {
    return variables.length === 0 ? '0' : `list ${variables.length} ${isHttpsUrl(variables[0])}`;
  }
  const names = Object.keys(variables).sort();
  // Where the header's media have a name, it is the longest of these, and so the last.
  const ofMedia = names.findLast((name) => /^header_*$/.test(name)) ?? '';
  return names.length === 0 ? '0' : `named ${JSON.stringify(names)} ${isHttpsUrl(variables[ofMedia])}`;
}

function isList(variables: NonNullable<Variables>): variables is readonly string[] {
  return Array.isArray(variables);
}

/** True for an https URL; what a header's media must be. */
function isHttpsUrl(text: string | undefined): boolean {
  return text !== undefined && /^https:\/\//i.test(text) && URL.canParse(text);
}
