import type pg from 'pg';
import type { AdminContext } from './admin-context.js';
import type { Choices } from './command-line.js';
import { chosenOrganization } from './gateway-database.js';
import { lastingDifferences, type FigureDifference, type Slice } from './lasting-differences.js';
import { servicesIn } from './services.js';
import { textTable } from './text-table.js';

const DAY_MS = 86_400_000;
const SHOWN_MAX = 200;
/** A check that takes longer says how far it is. */
const PROGRESS_MS = 5_000;
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
 * belongs to an hour that is being written; it is reported and is no failure. As JSON every wrong count is printed as it is
 * found; a table lists the first ones.
 *
 * @throws Error, and so exit code 1, when counts differ
 */
export async function checkAnalytics(
  client: pg.ClientBase,
  choices: Choices,
  { out, err }: Pick<AdminContext, 'out' | 'err'>,
): Promise<string[]> {
  await servicesIn(client, 'messaging');
  await servicesIn(client, 'analytics');
  const { rows: spans } = await client.query<Slice>(SPANS, [await chosenOrganization(client, choices)]);
  const listed: FigureDifference[] = [];
  let [counts, buckets, left] = [0, 0, 0];
  for await (const { wrong, moving } of lastingDifferences(client, daysOf(spans), progress(spans, err))) {
    if (choices.json) for (const row of wrong) out(JSON.stringify(row));
    else listed.push(...wrong.slice(0, SHOWN_MAX - listed.length));
    counts += wrong.length;
    buckets += new Set(wrong.map(({ organization, bucket }) => `${organization} ${bucket.getTime()}`)).size;
    left += moving;
  }
  const unsure = left === 0 ? [] : [`${left} counts moved at every look, and were not compared.`];
  const scope = `Counts of ${spans.length} organizations`;
  if (counts === 0) return choices.json ? [] : [...unsure, `${scope} agree with the messages.`];
  const remedy = `${counts} counts in ${buckets} buckets differ from the messages; analytics rebuild counts them anew.`;
  throw new Error([...tableOf(listed, counts), ...unsure, remedy].join('\n'));
}

function* daysOf(spans: readonly Slice[]): Generator<Slice> {
  for (const { organization, from, to } of spans) {
    for (let start = from.getTime(); start < to.getTime(); start += DAY_MS) {
      yield { organization, from: new Date(start), to: new Date(start + DAY_MS) };
    }
  }
}

/** @returns what to call after each day */
function progress(spans: readonly Slice[], err: AdminContext['err']): () => void {
  const days = spans.reduce((sum, { from, to }) => sum + Math.ceil((to.getTime() - from.getTime()) / DAY_MS), 0);
  let [looked, saidMs] = [0, performance.now()];
  return () => {
    looked += 1;
    if (performance.now() - saidMs < PROGRESS_MS) return;
    saidMs = performance.now();
    err(`… ${looked} of ${days} days`);
  };
}

function tableOf(listed: readonly FigureDifference[], counts: number): string[] {
  if (listed.length === 0) return [];
  const rows = listed.map((row) => ({ ...row, bucket: row.bucket.toISOString() }));
  return [...textTable(rows), ...(counts > listed.length ? [`Only the first ${listed.length} are listed.`] : [])];
}
