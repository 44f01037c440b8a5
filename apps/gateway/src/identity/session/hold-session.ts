import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { Transaction } from '@switchboard/postgres';
import type { Role } from '../signed-in.contract.js';
import { holdSession } from './session.repository.js';

/**
 * Checks, in the transaction of an act, that its session has not ended, and holds the session until the act commits.
 *
 * A request is admitted before its body is read, which may take half a minute. A transaction that ends the session meanwhile
 * (sign-out, a new password, another role or the end of the membership) either comes first, and the act is refused, or waits
 * for the act and answers after it. It locks the person before this: see `endSessionsOfUser`.
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
