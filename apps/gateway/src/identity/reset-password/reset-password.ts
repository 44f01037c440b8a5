import { randomBytes } from 'node:crypto';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { Database } from '@switchboard/postgres';
import type { Act } from '../audit.contract.js';
import { appendAuditOfPerson } from '../audit/append-audit-of-person.js';
import { accountSubject } from '../login-throttle/login-throttle.policy.js';
import { forgetAttempts } from '../login-throttle/login-throttle.repository.js';
import { hashPassword } from '../password/password.policy.js';
import { endSessionsOfUser } from '../session/session.repository.js';
import { emailKey } from '../user/email.policy.js';
import { findUserByEmail, setPasswordHash } from '../user/user.repository.js';

/** A password that was just made. */
export interface ResetPassword {
  /** 144 random bits, base64url; shown once. */
  readonly password: string;
  /** Audit logs that it is in: of every organization of the person's. */
  readonly logs: number;
}

/**
 * Gives a person a new password, ends all their sessions and forgets login attempts at their account.
 *
 * @throws AppError NOT_FOUND when the address has no account
 */
export async function resetPassword(
  database: Pick<Database, 'transaction'>,
  act: Omit<Act, 'organizationId'>,
  email: string,
): Promise<ResetPassword> {
  const password = randomBytes(18).toString('base64url');
  const passwordHash = await hashPassword(password);
  return database.transaction(async (tx) => {
    const [user] = await tx.query(findUserByEmail, [emailKey(email)]);
    if (!user) throw new AppError(serviceErrors.NOT_FOUND, `There is no account of ${email}`);
    await tx.query(setPasswordHash, [user.id, passwordHash]);
    await tx.query(endSessionsOfUser, [user.id, null, null]);
    await tx.query(forgetAttempts, [accountSubject(user.email)]);
    const after = { userId: user.id, email: user.email };
    const entry = { ...act, action: 'user.password-reset', before: null, after } as const;
    return { password, logs: await appendAuditOfPerson(tx, user.id, entry) };
  });
}
