import type { ErasedNumbers } from '@switchboard/contracts/contacts/rpc';
import { cuidFloor } from '@switchboard/contracts/grammar/cuid';
import { unnestColumns } from '@switchboard/postgres';

/** A number or an id of an erased person. */
export interface OwnName {
  readonly name: string;
  /** What was stored from then on is not theirs: they were erased, or had given it up. */
  readonly until: Date;
}

/** What `ownPhones` reads of an erasure. */
export type OwnedPhones = Pick<ErasedNumbers, 'phoneForms' | 'former'> & { readonly erasedAt: Date };

/** Every E.164 form that was the person's, former ones too. */
export function ownPhones({ phoneForms, former, erasedAt }: OwnedPhones): OwnName[] {
  return [...namesOf(phoneForms, erasedAt), ...formerOf(former, (numbers) => numbers.phoneForms)];
}

/** What the upstream calls the person: digits of their numbers, and its own ids of them. */
export function upstreamNamesOf({
  phoneForms,
  upstreamUserIds,
}: Pick<ErasedNumbers, 'phoneForms' | 'upstreamUserIds'>): readonly string[] {
  return [...phoneForms.map((form) => form.replace(/^\+/, '')), ...upstreamUserIds];
}

/** What the upstream called the person before. */
export function formerUpstreamNames({ former }: Pick<ErasedNumbers, 'former'>): OwnName[] {
  return formerOf(former, upstreamNamesOf);
}

/** Columns of a statement: the names, and for each the id below which rows that hold it are the person's. */
export function ownColumns(names: readonly OwnName[]): unknown[][] {
  return unnestColumns(names, ['name', ({ until }) => cuidFloor(until)]);
}

function formerOf(
  former: ErasedNumbers['former'] = [],
  select: (numbers: NonNullable<ErasedNumbers['former']>[number]) => readonly string[],
): OwnName[] {
  return former.flatMap((numbers) => namesOf(select(numbers), new Date(numbers.until)));
}

function namesOf(names: readonly string[], until: Date): OwnName[] {
  return names.map((name) => ({ name, until }));
}
