import { blankContact, inSlices, likeTerm, type ErasureTarget, type Slice } from '@switchboard/platform';
import { statement, unnestColumns, type Database } from '@switchboard/postgres';

/** Events that are looked at in one statement. */
const SLICE_MAX = 5_000;

/** By the index of the feed. */
const sliceSql = statement<Slice<number> & { found: string[] | null }>(
  'webhooks.event.erasure-slice',
  `WITH slice AS MATERIALIZED (
     SELECT position, id, body LIKE $3 AS is_found FROM event WHERE organization_id = $1 AND position > $2
     ORDER BY position LIMIT $4)
   SELECT count(*)::int AS rows, max(position)::float8 AS last, array_agg(id) FILTER (WHERE is_found) AS found FROM slice`,
);
const bodiesSql = statement<{ id: string; body: string }>(
  'webhooks.event.erasure-bodies',
  'SELECT id, body FROM event WHERE id = ANY ($1::text[]) ORDER BY id FOR UPDATE',
);
const rewriteSql = statement(
  'webhooks.event.erase',
  `UPDATE event e SET body = given.body FROM unnest($1::text[], $2::text[]) AS given (id, body)
   WHERE e.id = given.id COLLATE "C"`,
);

/** Overwrites the bodies of stored events about a contact. @returns the ids of all of its events */
export async function eraseBodies(database: Database, target: ErasureTarget): Promise<string[]> {
  const { organizationId, contactId } = target;
  const eventIds: string[] = [];
  await inSlices(-1, SLICE_MAX, async (behind) => {
    const [slice] = await database.query(sliceSql, [organizationId, behind, likeTerm(contactId), SLICE_MAX]);
    if (slice?.found) {
      await rewrite(database, slice.found, contactId);
      eventIds.push(...slice.found);
    }
    await target.keepOn();
    return slice;
  });
  return eventIds;
}

async function rewrite(database: Database, ids: readonly string[], contactId: string): Promise<void> {
  await database.transaction(async (tx) => {
    const stored = await tx.query(bodiesSql, [ids]);
    const changed = stored.flatMap(({ id, body }) => {
      const left = blankContact(body, contactId);
      return left === body ? [] : [{ id, body: left }];
    });
    if (changed.length > 0) tx.atCommit(rewriteSql, unnestColumns(changed, ['id', 'body']));
  });
}
