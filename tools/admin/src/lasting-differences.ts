import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';

/** A count that analytics keeps otherwise than the messages add up to. */
export interface FigureDifference {
  readonly organization: string;
  readonly bucket: Date;
  /** How long the bucket is. */
  readonly minutes: number;
  readonly report: string;
  readonly channel: string;
  readonly key: string;
  readonly counted: number;
  readonly kept: number;
}

/** A range of an organization's messages that one statement compares. */
export interface Slice {
  readonly organization: string;
  readonly from: Date;
  readonly to: Date;
}

/** What came of the slices that were looked at together. */
export interface Looked {
  /** What differs by the same two numbers at several looks. */
  readonly wrong: readonly FigureDifference[];
  /** How many counts differed by others at each look. */
  readonly moving: number;
}

const RECOUNT = readFileSync(join(import.meta.dirname, '..', 'sql', 'recount-figures.sql'), 'utf8');
const LOOKS = 8;
/** An event that is counted later than this is a difference. */
const LASTING_LOOKS = 4;
const BETWEEN_LOOKS_MS = 1_500;
/** Memory holds no more differences than these and those of one more slice: 700 bytes each. */
const TOGETHER_MAX = 20_000;

/**
 * Compares slice by slice. Those with differences are looked at again together, so that many slices wait for the looks once.
 *
 * @param onSlice called after the first look at each slice
 */
export async function* lastingDifferences(
  client: pg.ClientBase,
  slices: Iterable<Slice>,
  onSlice: () => void,
): AsyncGenerator<Looked> {
  let suspects: Slice[] = [];
  let found: FigureDifference[][] = [];
  let count = 0;
  for (const slice of slices) {
    const differences = await differencesIn(client, slice);
    onSlice();
    if (differences.length === 0) continue;
    suspects.push(slice);
    found.push(differences);
    count += differences.length;
    if (count < TOGETHER_MAX) continue;
    yield await lookedAtAgain(client, suspects, found.flat());
    [suspects, found, count] = [[], [], 0];
  }
  if (count > 0) yield await lookedAtAgain(client, suspects, found.flat());
}

async function lookedAtAgain(
  client: pg.ClientBase,
  slices: readonly Slice[],
  first: FigureDifference[],
): Promise<Looked> {
  let [suspects, found] = [slices, first];
  let seen = new Map(found.map((one) => [nameOf(one), 1]));
  const isLasting = (one: FigureDifference): boolean => (seen.get(nameOf(one)) ?? 0) >= LASTING_LOOKS;
  for (let look = 1; look < LOOKS && !found.every(isLasting); look += 1) {
    await wait(BETWEEN_LOOKS_MS);
    const again: { readonly slice: Slice; readonly differences: FigureDifference[] }[] = [];
    for (const slice of suspects) again.push({ slice, differences: await differencesIn(client, slice) });
    suspects = again.filter(({ differences }) => differences.length > 0).map(({ slice }) => slice);
    found = again.flatMap(({ differences }) => differences);
    const former = seen;
    seen = new Map(found.map((one) => [nameOf(one), 1 + (former.get(nameOf(one)) ?? 0)]));
  }
  const wrong = found.filter(isLasting);
  return { wrong, moving: found.length - wrong.length };
}

async function differencesIn(client: pg.ClientBase, { organization, from, to }: Slice): Promise<FigureDifference[]> {
  const { rows } = await client.query<Omit<FigureDifference, 'organization'>>(RECOUNT, [organization, from, to]);
  return rows.map((row) => ({ organization, ...row }));
}

function nameOf({ organization, bucket, minutes, report, channel, key, counted, kept }: FigureDifference): string {
  return [organization, bucket.getTime(), minutes, report, channel, key, counted, kept].join(' ');
}
