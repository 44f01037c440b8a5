import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { Database } from '@switchboard/postgres';
import type { Act } from '../audit.contract.js';
import { appendAuditOfPerson } from '../audit/append-audit-of-person.js';
import { endSessionsOfUser } from '../session/session.repository.js';
import { emailKey } from '../user/email.policy.js';
import { findUserByEmail, lockUser } from '../user/user.repository.js';

/**
 * Ends every session of a person, in all organizations.
 *
 * @returns how many there were
 * @throws AppError NOT_FOUND when the address has no account
 */
export function endSessions(
  database: Pick<Database, 'transaction'>,
  act: Omit<Act, 'organizationId'>,
  email: string,
): Promise<number> {
  return database.transaction(async (tx) => {
    const [user] = await tx.query(findUserByEmail, [emailKey(email)]);
    if (!user) throw new AppError(serviceErrors.NOT_FOUND, `There is no account of ${email}`);
    await tx.query(lockUser, [user.id]);
    const ended = await tx.query(endSessionsOfUser, [user.id, null, null]);
    const after = { userId: user.id, email: user.email };
    await appendAuditOfPerson(tx, user.id, { ...act, action: 'user.signed-out-everywhere', before: null, after });
    return ended.length;
  });
}
