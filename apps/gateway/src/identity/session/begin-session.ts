import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Transaction } from '@switchboard/postgres';
import type { ActSource, NewSession, SignedIn } from '../signed-in.contract.js';
import { noteUseOfMembership } from '../member/member.repository.js';
import { mintSecret } from '../secret/secret.policy.js';
import { deviceFields } from './device.policy.js';
import { sessionHasEnded } from './hold-session.js';
import { sessionLimits } from './session.policy.js';
import { endSession, holdMembership, insertSession, type SessionRow } from './session.repository.js';

/** Who a session is begun for. */
export interface SessionOwner {
  readonly userId: string;
  readonly organizationId: string;
  /** The hash of the password that was checked for it; null when a standing session goes on. */
  readonly passwordHash: string | null;
  readonly source: ActSource;
}

/**
 * Begins a session with a new secret, in the transaction of what it is begun for.
 *
 * Together with `holdMembership` no session outlives a change of password, a sign-out everywhere, or the end of a
 * membership that was committed before it. The oldest session of a person who has too many ends.
 *
 * @param continued the session that goes on under the new secret: it ends, and the new one lasts no longer; null: the
 * password was just given
 * @returns null when the person no longer belongs there, or the password has changed since it was checked
 * @throws AppError UNAUTHORIZED when the session to be continued has ended
 */
export async function beginSession(
  tx: Transaction,
  { userId, organizationId, passwordHash, source }: SessionOwner,
  now: Date,
  continued: string | null,
): Promise<NewSession | null> {
  const [held] = await tx.query(holdMembership, [userId, organizationId, passwordHash]);
  if (!held) return null;
  const signedInAt = continued === null ? now : await endContinued(tx, continued);
  const sessionId = newCuid();
  const { secret, secretHash } = mintSecret();
  await tx.query(noteUseOfMembership, [userId, organizationId, now]);
  const { address, userAgent } = deviceFields(source);
  const values = [sessionId, secretHash, userId, organizationId, signedInAt, now, address, userAgent];
  await tx.query(insertSession, [...values, sessionLimits.ofPersonMax - 1]);
  return { secret, signedIn: signedInOf({ ...held, sessionId }), deviceCookie: null };
}

async function endContinued(tx: Transaction, sessionId: string): Promise<Date> {
  const [ended] = await tx.query(endSession, [sessionId]);
  if (!ended) throw sessionHasEnded();
  return ended.signedInAt;
}

/** A row as the contract shows it. */
export function signedInOf(row: SessionRow): SignedIn {
  return {
    sessionId: row.sessionId,
    user: { id: row.userId, email: row.email, name: row.userName },
    organization: { id: row.organizationId, name: row.organizationName },
    role: row.role,
    secondFactor: { isEnabled: row.hasSecondFactor, isRequired: row.requiresSecondFactor },
  };
}
