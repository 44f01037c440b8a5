import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { Database } from '@switchboard/postgres';
import { emailKey } from './email.policy.js';
import { findUserByEmail, type UserRow } from './user.repository.js';

/**
 * The account of an address, for an operator.
 *
 * @throws AppError NOT_FOUND when the address has none
 */
export async function accountOf(database: Pick<Database, 'query'>, email: string): Promise<UserRow> {
  const [user] = await database.query(findUserByEmail, [emailKey(email)]);
  if (!user) throw new AppError(serviceErrors.NOT_FOUND, `There is no account of ${email}`);
  return user;
}
