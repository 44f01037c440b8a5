import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import type { Choices } from './command-line.js';
import { chosenOrganization } from './gateway-database.js';
import { servicesIn } from './services.js';
import { textTable } from './text-table.js';

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
interface Slice {
  readonly organization: string;
  readonly from: Date;
  readonly to: Date;
}

const RECOUNT = readFileSync(join(import.meta.dirname, '..', 'sql', 'recount-figures.sql'), 'utf8');
const DAY_MS = 86_400_000;
const LOOKS = 8;
/** An event that is counted later than this is a difference. */
const LASTING_LOOKS = 4;
const BETWEEN_LOOKS_MS = 1_500;
const SHOWN_MAX = 200;
/** The time that a cuid was made at. */
const timeOf = (id: string): string => `(SELECT to_timestamp(sum(
    (strpos('0123456789abcdefghijklmnopqrstuvwxyz', substr(${id}, 1 + place, 1)) - 1) * 36::numeric ^ (8 - place)
  )::float8 / 1000) FROM generate_series(1, 8) AS place)`;
/**
 * From the first UTC day of an organization that has a message or a count, of those of which messaging keeps every message: a count of
 * such a day that has no message is wrong, whatever comes later. An older day's messages were removed, and its counts stay.
 */
const SPANS = `
  SELECT o.organization_id AS organization, greatest(kept.day, least(message.day, figure.day)) AS "from",
    date_trunc('day', now(), 'UTC') + interval '1 day' AS "to"
  FROM (SELECT DISTINCT organization_id FROM messaging.channel WHERE $1::text IS NULL OR organization_id = $1) AS o
  CROSS JOIN (SELECT kept_from,
    date_bin('1 day', ${timeOf('kept_from')} + interval '1 day' - interval '1 millisecond', 'epoch') AS day
    FROM messaging.message_floor) AS kept
  CROSS JOIN LATERAL (SELECT (SELECT id FROM messaging.message WHERE organization_id = o.organization_id
    AND id >= kept.kept_from ORDER BY id LIMIT 1) AS id) AS oldest
  CROSS JOIN LATERAL (SELECT date_bin('1 day', ${timeOf('oldest.id')}, 'epoch') AS day) AS message
  CROSS JOIN LATERAL (SELECT date_bin('1 day', min(first.bucket), 'epoch') AS day
    FROM unnest(ARRAY['messages', 'failures', 'delivered-after', 'read-after', 'templates']) AS kind(report)
    CROSS JOIN (VALUES (15), (60), (1440)) AS length(grain)
    CROSS JOIN LATERAL (SELECT bucket FROM analytics.rollup AS r WHERE r.organization_id = o.organization_id
      AND r.report = kind.report AND r.grain = length.grain AND r.bucket >= kept.day ORDER BY bucket LIMIT 1) AS first
  ) AS figure
  WHERE coalesce(message.day, figure.day) IS NOT NULL ORDER BY 1`;

/**
 * Compares what analytics has counted with the messages themselves, of one organization or of all.
 *
 * Events take a moment: a count that differs is looked at again, and is wrong when neither side moves. One that goes on moving
 * belongs to an hour that is being written; it is reported and is no failure.
 *
 * @throws Error, and so exit code 1, when counts differ
 */
export async function checkAnalytics(client: pg.ClientBase, choices: Choices): Promise<string[]> {
  await servicesIn(client, 'messaging');
  await servicesIn(client, 'analytics');
  const { rows: spans } = await client.query<Slice>(SPANS, [await chosenOrganization(client, choices)]);
  const slices = spans.flatMap(daysOf);
  const { wrong, moving: left } = await lastingDifferences(client, slices);
  const moving = left === 0 ? [] : [`${left} counts moved at every look, and were not compared.`];
  const scope = `Counts of ${spans.length} organizations`;
  if (wrong.length === 0) return choices.json ? [] : [...moving, `${scope} agree with the messages.`];
  throw new Error([...shown(wrong, choices), ...moving, remedy(wrong)].join('\n'));
}

/** What differs by the same two numbers at several looks, and how many counts differed by others at each. */
async function lastingDifferences(
  client: pg.ClientBase,
  slices: readonly Slice[],
): Promise<{ readonly wrong: FigureDifference[]; readonly moving: number }> {
  let found = await differencesIn(client, slices);
  let seen = new Map(found.map((one) => [nameOf(one), 1]));
  const isLasting = (one: FigureDifference): boolean => (seen.get(nameOf(one)) ?? 0) >= LASTING_LOOKS;
  for (let look = 1; look < LOOKS && !found.every(isLasting); look += 1) {
    await wait(BETWEEN_LOOKS_MS);
    const suspects = slices.filter((slice) => found.some((one) => isIn(one, slice)));
    found = await differencesIn(client, suspects);
    const former = seen;
    seen = new Map(found.map((one) => [nameOf(one), 1 + (former.get(nameOf(one)) ?? 0)]));
  }
  return { wrong: found.filter(isLasting), moving: found.filter((one) => !isLasting(one)).length };
}

function daysOf({ organization, from, to }: Slice): Slice[] {
  const slices: Slice[] = [];
  for (let start = from.getTime(); start < to.getTime(); start += DAY_MS) {
    slices.push({ organization, from: new Date(start), to: new Date(start + DAY_MS) });
  }
  return slices;
}

async function differencesIn(client: pg.ClientBase, slices: readonly Slice[]): Promise<FigureDifference[]> {
  const differences: FigureDifference[] = [];
  for (const { organization, from, to } of slices) {
    const { rows } = await client.query<Omit<FigureDifference, 'organization'>>(RECOUNT, [organization, from, to]);
    differences.push(...rows.map((row) => ({ organization, ...row })));
  }
  return differences;
}

function nameOf({ organization, bucket, minutes, report, channel, key, counted, kept }: FigureDifference): string {
  return [organization, bucket.getTime(), minutes, report, channel, key, counted, kept].join(' ');
}

function isIn({ organization, bucket }: FigureDifference, slice: Slice): boolean {
  return organization === slice.organization && bucket >= slice.from && bucket < slice.to;
}

function shown(wrong: readonly FigureDifference[], { json }: Choices): string[] {
  if (json) return wrong.map((row) => JSON.stringify(row));
  const rows = wrong.slice(0, SHOWN_MAX).map((row) => ({ ...row, bucket: row.bucket.toISOString() }));
  return [...textTable(rows), ...(wrong.length > SHOWN_MAX ? [`Only the first ${SHOWN_MAX} are listed.`] : [])];
}

function remedy(wrong: readonly FigureDifference[]): string {
  const buckets = new Set(wrong.map(({ organization, bucket }) => `${organization} ${bucket.getTime()}`));
  return `${wrong.length} counts in ${buckets.size} buckets differ from the messages; analytics rebuild counts them anew.`;
}
