import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { statement, unnestColumns, type Database } from '@switchboard/postgres';
import { blankCallback, blankContact, type ErasedPerson } from './blank-event.policy.js';
import type { ForeignLines } from './foreign-lines.js';
import { inSlices, type Slice } from './in-slices.js';

/** Rows that are looked at in one statement. */
const SLICE_MAX = 5_000;
const ERASED = 'erased';
/** How the subjects of callbacks begin. */
const CALLBACKS = 'gateway.callback.';

/** A stored event without the person, or as it was. */
type Blank = (json: string) => string;

/** By the primary key, so that each partition is read in the order in which it was written. */
const outboxSliceSql = statement<Slice<string> & { readonly hits: readonly string[] | null }>(
  'erasure.outbox-slice',
  `WITH slice AS MATERIALIZED (
     SELECT id, payload LIKE ANY ($2::text[]) AS is_hit FROM outbox WHERE id > $1 ORDER BY id LIMIT $3)
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
  `SELECT event_id AS "eventId", consumer, envelope FROM dead_letter WHERE envelope LIKE ANY ($1::text[])
   ORDER BY event_id, consumer FOR UPDATE`,
);
const callbackLettersSql = statement<{ json: string }>(
  'erasure.callback-letters',
  `SELECT envelope AS json FROM dead_letter WHERE subject LIKE '${CALLBACKS}%' AND envelope LIKE ANY ($1::text[])`,
);
const rewriteLettersSql = statement(
  'erasure.letters-rewrite',
  `UPDATE dead_letter d SET envelope = g.envelope, error = '${ERASED}'
   FROM unnest($1::text[], $2::text[], $3::text[]) AS g(event_id, consumer, envelope)
   WHERE d.event_id = g.event_id COLLATE "C" AND d.consumer = g.consumer`,
);

/**
 * Overwrites what a service's outbox and dead letters hold of a person, slice by slice. Safe to repeat.
 *
 * A callback that was not published yet is left as it is: whoever takes it needs it.
 *
 * @param foreign lines whose callbacks are left as they are
 * @param keepOn called after every slice
 * @returns false when such a callback was found
 */
export async function eraseStoredEvents(
  database: Database,
  person: ErasedPerson,
  foreign: ForeignLines,
  keepOn: () => Promise<void>,
): Promise<boolean> {
  const former = person.formerNames.map(({ name }) => name);
  const needles = [person.contactId, ...person.upstreamNames, ...former].map(likeTerm);
  let isWhole = true;
  await inSlices('', SLICE_MAX, async (behind) => {
    const [slice] = await database.query(outboxSliceSql, [behind, needles, SLICE_MAX]);
    if (slice?.hits) {
      await foreign.learn((await database.query(outboxCallbacksSql, [slice.hits])).map(({ json }) => envelopeOf(json)));
      if (!(await eraseRows(database, slice.hits, (json) => withoutPerson(json, person, foreign)))) isWhole = false;
    }
    await keepOn();
    return slice;
  });
  await foreign.learn((await database.query(callbackLettersSql, [needles])).map(({ json }) => envelopeOf(json)));
  await eraseLetters(database, needles, (json) => withoutPerson(json, person, foreign));
  return isWhole;
}

async function eraseRows(database: Database, ids: readonly string[], blank: Blank): Promise<boolean> {
  return database.transaction(async (tx) => {
    const rows = await tx.query(outboxRowsSql, [ids]);
    const changed = rows.flatMap(({ id, payload, isPublished }) => {
      const left = blank(payload);
      return left === payload ? [] : [{ id, payload: left, isReady: isPublished || !isCallback(left) }];
    });
    const ready = changed.filter(({ isReady }) => isReady);
    const columns = unnestColumns(ready, ['id', 'payload', ({ payload }) => envelopeOf(payload).aggregateId]);
    if (ready.length > 0) tx.atCommit(rewriteOutboxSql, columns);
    return ready.length === changed.length;
  });
}

async function eraseLetters(database: Database, needles: readonly string[], blank: Blank): Promise<void> {
  await database.transaction(async (tx) => {
    const letters = await tx.query(lettersSql, [needles]);
    const changed = letters.flatMap((letter) => {
      const envelope = blank(letter.envelope);
      return envelope === letter.envelope ? [] : [{ ...letter, envelope }];
    });
    if (changed.length > 0) tx.atCommit(rewriteLettersSql, unnestColumns(changed, ['eventId', 'consumer', 'envelope']));
  });
}

function withoutPerson(json: string, person: ErasedPerson, foreign: ForeignLines): string {
  const envelope = envelopeOf(json);
  const callback = blankCallback(envelope, person, foreign);
  return blankContact(callback ? JSON.stringify(callback) : json, person.contactId);
}

function isCallback(json: string): boolean {
  return envelopeOf(json).subject.startsWith(CALLBACKS);
}

function envelopeOf(json: string): EventEnvelope {
  return JSON.parse(json) as EventEnvelope;
}

/** @returns a pattern of LIKE for texts that hold the term */
export function likeTerm(term: string): string {
  return `%${term.replace(/[\\%_]/g, '\\$&')}%`;
}
