import { inSlices, likeTerm, ownColumns, type ErasureTarget, type Slice } from '@switchboard/platform';
import { statement, type Database } from '@switchboard/postgres';

/** Attempts that are looked at in one statement. */
const SLICE_MAX = 5_000;

/** Webhooks that are named by one statement. */
const WEBHOOKS_MAX = 500;

/** Those that are deleted too, whose ids are kept for as long as attempts are. */
const webhooksSql = statement<Slice<string> & { found: string[] | null }>(
  'webhooks.attempt.erasure-webhooks',
  `SELECT count(*)::int AS rows, max(id) AS last, array_agg(id) AS found FROM (
     SELECT id FROM (
       (SELECT id FROM webhook WHERE organization_id = $1 AND id > $2 ORDER BY id LIMIT ${WEBHOOKS_MAX})
       UNION ALL
       (SELECT id FROM deleted_webhook WHERE organization_id = $1 AND id > $2 ORDER BY id LIMIT ${WEBHOOKS_MAX})) AS known
     ORDER BY id LIMIT ${WEBHOOKS_MAX}) AS slice`,
);
/**
 * Events go before attempts do: an answer that repeats the contact's id or number is found by itself. One that repeats
 * a number which the contact had given up by then speaks of somebody else. An attempt's error is a word of ours, and names no one.
 */
const eraseSql = statement<Slice<string>>(
  'webhooks.attempt.erase',
  `WITH slice AS MATERIALIZED (
     SELECT id, response_body <> '' AND (event_id IN (SELECT unnest($3::text[])) OR response_body LIKE ANY ($4::text[])
       OR EXISTS (SELECT FROM unnest($6::text[], $7::text[]) AS former(term, until_id)
         WHERE id < former.until_id AND response_body LIKE former.term)) AS is_found
     FROM attempt WHERE webhook_id = $1 AND id > $2 ORDER BY id LIMIT $5),
   erased AS (
     UPDATE attempt a SET response_body = ''
     WHERE a.webhook_id = $1 AND a.id = ANY(ARRAY(SELECT id FROM slice WHERE is_found)))
   SELECT count(*)::int AS rows, max(id) AS last FROM slice`,
);

/** Overwrites what receivers answered to events about a contact. */
export async function eraseAttempts(
  database: Database,
  target: ErasureTarget,
  eventIds: readonly string[],
): Promise<void> {
  const needles = [target.contactId, ...target.upstreamNames].map(likeTerm);
  const former = ownColumns(target.formerNames.map(({ name, until }) => ({ name: likeTerm(name), until })));
  for (const webhookId of await webhooksOf(database, target)) {
    await inSlices('', SLICE_MAX, async (behind) => {
      const [slice] = await database.query(eraseSql, [webhookId, behind, eventIds, needles, SLICE_MAX, ...former]);
      await target.keepOn();
      return slice;
    });
  }
}

/** Webhooks of the organization that may have attempts. */
async function webhooksOf(database: Database, { organizationId, keepOn }: ErasureTarget): Promise<readonly string[]> {
  const found: string[] = [];
  await inSlices('', WEBHOOKS_MAX, async (behind) => {
    const [slice] = await database.query(webhooksSql, [organizationId, behind]);
    found.push(...(slice?.found ?? []));
    await keepOn();
    return slice;
  });
  return found;
}
