import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import type { AdminContext } from './admin-context.js';
import { UsageError, type Choices } from './command-line.js';
import { chosenOrganization } from './gateway-database.js';
import { servicesIn } from './services.js';

/** How far the rebuilds are that were asked for. */
interface Progress {
  readonly organizations: number;
  readonly done: number;
  readonly messages: number;
  readonly facts: number;
  readonly counts: number;
  readonly failure: string | null;
}

const LOOK_MS = 500;
/** Without any progress for so long, analytics is not there. */
const STILL_MAX_MS = 60_000;

/** One that is open goes on where it is. */
const REQUEST = `
  INSERT INTO analytics.rebuild AS known (organization_id)
  SELECT DISTINCT organization_id FROM messaging.channel WHERE $1::text IS NULL OR organization_id = $1
  ON CONFLICT (organization_id) DO UPDATE SET due_at = now(), requested_at = CASE WHEN known.step = 'done' THEN now()
      ELSE known.requested_at END,
    position = CASE WHEN known.step = 'done' THEN '' ELSE known.position END,
    oldest_id = CASE WHEN known.step = 'done' THEN NULL ELSE known.oldest_id END,
    messages_read = CASE WHEN known.step = 'done' THEN 0 ELSE known.messages_read END,
    facts_corrected = CASE WHEN known.step = 'done' THEN 0 ELSE known.facts_corrected END,
    counts_corrected = CASE WHEN known.step = 'done' THEN 0 ELSE known.counts_corrected END,
    step = CASE WHEN known.step = 'done' THEN 'messages' ELSE known.step END, finished_at = NULL
  RETURNING organization_id AS id`;
const PROGRESS = `
  SELECT count(*)::int AS organizations, count(*) FILTER (WHERE step = 'done')::int AS done,
    sum(messages_read)::float8 AS messages, sum(facts_corrected)::float8 AS facts, sum(counts_corrected)::float8 AS counts,
    max(failure) AS failure
  FROM analytics.rebuild WHERE organization_id = ANY ($1)`;

/**
 * Has analytics count the figures of one organization, or of all, anew from their messages, and shows how far it is until it
 * is done. Analytics does the work: it goes on when this command is interrupted, and asking again follows it.
 *
 * @throws Error when nothing has moved for a minute
 */
export async function rebuildAnalytics(
  client: pg.ClientBase,
  choices: Choices,
  { out }: Pick<AdminContext, 'out'>,
): Promise<string[]> {
  await servicesIn(client, 'messaging');
  await servicesIn(client, 'analytics');
  const organization = await chosenOrganization(client, choices);
  const { rows: asked } = await client.query<{ id: string }>(REQUEST, [organization]);
  if (asked.length === 0 && organization !== null)
    throw new UsageError(`${organization} has no channel and no messages.`);
  const ids = asked.map(({ id }) => id);
  let last = '';
  for (let stillMs = 0; ; stillMs += LOOK_MS) {
    const { rows } = await client.query<Progress>(PROGRESS, [ids]);
    const [progress] = rows;
    if (!progress) throw new Error('analytics.rebuild cannot be read.');
    const line = lineOf(progress, choices);
    if (line !== last) {
      out(line);
      [last, stillMs] = [line, 0];
    }
    if (progress.done === progress.organizations) return [];
    if (stillMs >= STILL_MAX_MS) throw new Error(`Nothing has moved for a minute: ${progress.failure ?? STOPPED}`);
    await wait(LOOK_MS);
  }
}

const STOPPED = 'analytics does not run. It goes on when it does; asking again follows it.';

function lineOf(progress: Progress, { json }: Choices): string {
  const { organizations, done, messages, facts, counts, failure } = progress;
  if (json) return JSON.stringify(progress);
  const tail = failure === null || done === organizations ? '' : `; last failure: ${failure}`;
  return `${done} of ${organizations} organizations, ${messages ?? 0} messages read, ${facts ?? 0} facts and ${counts ?? 0} counts corrected${tail}`;
}
