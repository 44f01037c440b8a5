import type { Database } from '@switchboard/postgres';
import type { Act } from '../audit.contract.js';
import { appendAuditOfPerson } from '../audit/append-audit-of-person.js';
import { endSessionsOfUser } from '../session/session.repository.js';
import { lockUser } from '../user/user.repository.js';
import { accountOf } from '../user/account-of.js';

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
    const user = await accountOf(tx, email);
    await tx.query(lockUser, [user.id]);
    const ended = await tx.query(endSessionsOfUser, [user.id, null, null]);
    const after = { userId: user.id, email: user.email };
    await appendAuditOfPerson(tx, user.id, { ...act, action: 'user.signed-out-everywhere', before: null, after });
    return ended.length;
  });
}
