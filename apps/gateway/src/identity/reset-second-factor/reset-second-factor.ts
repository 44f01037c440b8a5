import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { Database } from '@switchboard/postgres';
import type { Act } from '../audit.contract.js';
import { appendAuditOfPerson } from '../audit/append-audit-of-person.js';
import { acquaintances, codeSubject } from '../login-throttle/login-throttle.policy.js';
import { forgetAttempts } from '../login-throttle/login-throttle.repository.js';
import { deleteSecondFactor } from '../second-factor/second-factor.repository.js';
import { endSessionsOfUser } from '../session/session.repository.js';
import { forgetDevices, lockUser } from '../user/user.repository.js';
import { accountOf } from '../user/account-of.js';

/**
 * Takes a lost second factor from a person, with its recovery codes, ends their sessions and forgets their browsers: they sign in by
 * password alone, and enrol anew where their organization requires it.
 *
 * @returns the number of audit logs that it is in: of every organization of the person's
 * @throws AppError NOT_FOUND when the address has no account; CONFLICT when it has no second factor
 */
export function resetSecondFactor(
  database: Pick<Database, 'transaction'>,
  act: Omit<Act, 'organizationId'>,
  email: string,
): Promise<number> {
  return database.transaction(async (tx) => {
    const user = await accountOf(tx, email);
    await tx.query(lockUser, [user.id]);
    const [deleted] = await tx.query(deleteSecondFactor, [user.id]);
    if (!deleted) throw new AppError(serviceErrors.CONFLICT, `${email} has no second factor`);
    await tx.query(endSessionsOfUser, [user.id, null, null]);
    await tx.query(forgetDevices, [user.id]);
    for (const of of acquaintances) await tx.query(forgetAttempts, [codeSubject(user.id, of)]);
    const after = { userId: user.id, email: user.email };
    return appendAuditOfPerson(tx, user.id, { ...act, action: 'user.second-factor-reset', before: null, after });
  });
}
