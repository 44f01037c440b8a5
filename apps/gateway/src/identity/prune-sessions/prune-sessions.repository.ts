import { statement, type Statement } from '@switchboard/postgres';

/** A row that was deleted. */
export interface PrunedRow {
  readonly is: true;
}

/**
 * What has no use any more, a bounded part at a time, the oldest first by the index of its age. What somebody else holds is
 * left for the next time: nobody waits, and two replicas share the work.
 *
 * $1 the age, $2 how many rows at most.
 */
function prune(table: string, key: string, age: string): Statement<PrunedRow> {
  return statement(
    `gateway.prune-${table}`,
    `DELETE FROM ${table} WHERE ${key} = ANY (ARRAY(
       SELECT ${key} FROM ${table} WHERE ${age} <= $1 ORDER BY ${age} LIMIT $2 FOR UPDATE SKIP LOCKED))
     RETURNING true AS is`,
  );
}

/** Sessions past their absolute end; idle ones wait for it, and are refused all the while. */
export const pruneSessions = prune('session', 'id', 'signed_in_at');
/** Invitations that have expired. */
export const pruneInvites = prune('invite', 'id', 'expires_at');
/** Guesses that are forgotten. */
export const pruneGuesses = prune('password_guess', 'subject', 'last_at');
