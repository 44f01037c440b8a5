import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { Transaction } from '@switchboard/postgres';
import type { Role } from '../people.contract.js';
import { holdSession } from './session.repository.js';

/**
 * Makes sure, in the transaction of an act, that the session it is done in still stands, and holds it until the act does.
 *
 * A request is let in before its body is read, which may take half a minute. Whoever ends the session meanwhile (by signing
 * out, by a new password, another role or the end of the membership) either comes first, and the act is refused, or waits for
 * the act and answers after it. The person whose sessions are ended is locked before this: see `endSessionsOfUser`.
 *
 * @returns the person's role there, which no session outlives: it is theirs until the transaction ends
 * @throws AppError UNAUTHORIZED
 */
export async function roleInSession(tx: Transaction, sessionId: string, organizationId: string): Promise<Role> {
  const [held] = await tx.query(holdSession, [sessionId, organizationId]);
  if (!held) throw sessionHasEnded();
  return held.role;
}

/** The refusal of what was asked in a session that has ended since. */
export function sessionHasEnded(): AppError {
  return new AppError(gatewayErrors.UNAUTHORIZED, 'The session has ended; sign in again');
}
