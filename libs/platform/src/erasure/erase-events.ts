import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { statement, unnestColumns, type Database } from '@switchboard/postgres';
import { blankCallback, blankContact, type ErasedPerson } from './blank-event.policy.js';
import { inSlices, type Slice } from './in-slices.js';
import { holdsOne, StoredPeople, type StoredPerson } from './stored-people.js';

/** Rows that are looked at in one statement. */
const SLICE_MAX = 5_000;
const ERASED = 'erased';
/** How the subjects of callbacks begin. */
const CALLBACKS = 'gateway.callback.';

/** By the primary key, so that each partition is read in the order in which it was written. */
const outboxSliceSql = statement<Slice<string> & { readonly hits: readonly string[] | null }>(
  'erasure.outbox-slice',
  `WITH slice AS MATERIALIZED (
     SELECT id, ${holdsOne('payload', '$2', '$3')} AS is_hit FROM outbox WHERE id > $1 ORDER BY id LIMIT $4)
   SELECT count(*)::int AS rows, max(id) AS last, array_agg(id) FILTER (WHERE is_hit) AS hits FROM slice`,
);
const outboxRowsSql = statement<{ id: string; payload: string; isPublished: boolean }>(
  'erasure.outbox-rows',
  `SELECT id, payload,
     NOT EXISTS (SELECT FROM outbox_pending AS open WHERE open.position = outbox.position) AS "isPublished"
   FROM outbox WHERE id = ANY ($1::text[]) ORDER BY id FOR UPDATE`,
);
const outboxCallbacksSql = statement<{ json: string }>(
  'erasure.outbox-callbacks',
  `SELECT payload AS json FROM outbox WHERE id = ANY ($1::text[]) AND subject LIKE '${CALLBACKS}%'`,
);
const rewriteOutboxSql = statement(
  'erasure.outbox-rewrite',
  `UPDATE outbox o SET payload = g.payload, aggregate_id = g.aggregate_id
   FROM unnest($1::text[], $2::text[], $3::text[]) AS g(id, payload, aggregate_id) WHERE o.id = g.id COLLATE "C"`,
);
/** Few: an operator looks after each. */
const lettersSql = statement<{ eventId: string; consumer: string; envelope: string }>(
  'erasure.letters',
  `SELECT event_id AS "eventId", consumer, envelope FROM dead_letter WHERE ${holdsOne('envelope', '$1', '$2')}
   ORDER BY event_id, consumer FOR UPDATE`,
);
const callbackLettersSql = statement<{ json: string }>(
  'erasure.callback-letters',
  `SELECT envelope AS json FROM dead_letter WHERE subject LIKE '${CALLBACKS}%' AND ${holdsOne('envelope', '$1', '$2')}`,
);
const rewriteLettersSql = statement(
  'erasure.letters-rewrite',
  `UPDATE dead_letter d SET envelope = g.envelope, error = '${ERASED}'
   FROM unnest($1::text[], $2::text[], $3::text[]) AS g(event_id, consumer, envelope)
   WHERE d.event_id = g.event_id COLLATE "C" AND d.consumer = g.consumer`,
);

/**
 * Overwrites what a service's outbox and dead letters hold of people, slice by slice, in one walk for all of them: the outbox is that of
 * all organizations. Safe to repeat.
 *
 * A callback that was not published yet is left as it is: whoever takes it needs it.
 *
 * @param keepOn called after every slice
 * @returns those of whom such a callback was found
 */
export async function eraseStoredEvents(
  database: Database,
  people: readonly StoredPerson[],
  keepOn: () => Promise<void>,
): Promise<ReadonlySet<ErasedPerson>> {
  const stored = new StoredPeople(people);
  const { names, terms } = stored;
  const left = new Set<ErasedPerson>();
  await inSlices('', SLICE_MAX, async (behind) => {
    const [slice] = await database.query(outboxSliceSql, [behind, names, terms, SLICE_MAX]);
    if (slice?.hits) {
      await stored.learnLines((await database.query(outboxCallbacksSql, [slice.hits])).map(({ json }) => json));
      for (const person of await eraseRows(database, slice.hits, stored)) left.add(person);
    }
    await keepOn();
    return slice;
  });
  await stored.learnLines((await database.query(callbackLettersSql, [names, terms])).map(({ json }) => json));
  await eraseLetters(database, stored);
  return left;
}

/** @returns whose callbacks were left */
async function eraseRows(
  database: Database,
  ids: readonly string[],
  stored: StoredPeople,
): Promise<readonly ErasedPerson[]> {
  return database.transaction(async (tx) => {
    const rows = await tx.query(outboxRowsSql, [ids]);
    const changed = rows.flatMap(({ id, payload, isPublished }) => {
      const { json, people } = withoutPeople(payload, stored);
      return people.length === 0 ? [] : [{ id, json, people, isReady: isPublished || !isCallback(json) }];
    });
    const ready = changed.filter(({ isReady }) => isReady);
    const columns = unnestColumns(ready, ['id', 'json', ({ json }) => envelopeOf(json).aggregateId]);
    if (ready.length > 0) tx.atCommit(rewriteOutboxSql, columns);
    return changed.flatMap(({ isReady, people }) => (isReady ? [] : people));
  });
}

async function eraseLetters(database: Database, stored: StoredPeople): Promise<void> {
  await database.transaction(async (tx) => {
    const letters = await tx.query(lettersSql, [stored.names, stored.terms]);
    const changed = letters.flatMap((letter) => {
      const { json, people } = withoutPeople(letter.envelope, stored);
      return people.length === 0 ? [] : [{ ...letter, envelope: json }];
    });
    if (changed.length > 0) tx.atCommit(rewriteLettersSql, unnestColumns(changed, ['eventId', 'consumer', 'envelope']));
  });
}

/** A stored event without what it holds of people, and whom it held. */
function withoutPeople(
  stored: string,
  people: StoredPeople,
): { readonly json: string; readonly people: readonly ErasedPerson[] } {
  let json = stored;
  const held: ErasedPerson[] = [];
  for (const one of people.heldBy(stored)) {
    const left = withoutPerson(json, one);
    if (left !== json) held.push(one.person);
    json = left;
  }
  return { json, people: held };
}

function withoutPerson(json: string, { person, foreign }: StoredPerson): string {
  const callback = blankCallback(envelopeOf(json), person, foreign);
  return blankContact(callback ? JSON.stringify(callback) : json, person.contactId);
}

function isCallback(json: string): boolean {
  return envelopeOf(json).subject.startsWith(CALLBACKS);
}

function envelopeOf(json: string): EventEnvelope {
  return JSON.parse(json) as EventEnvelope;
}
