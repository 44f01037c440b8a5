import { Injectable } from '@nestjs/common';
import { Database } from '@switchboard/postgres';
import { FailedSignIns, type FailedAttempt } from '../audit/failed-sign-ins.js';
import { LoginThrottle } from '../login-throttle/login-throttle.js';
import { ownPasswordSubject } from '../login-throttle/login-throttle.policy.js';
import type { ActSource, User } from '../signed-in.contract.js';
import { findUser, findUserByEmail, type UserRow } from '../user/user.repository.js';
import { Passwords } from './passwords.js';

/** What a password was found to be. */
export interface CheckedPassword {
  /** Null: the address has no account. */
  readonly account: UserRow | null;
  readonly isRight: boolean;
}

/** Checks passwords within the limits on attempts, and has failed ones in the audit log. */
@Injectable()
export class CheckPassword {
  constructor(
    private readonly database: Database,
    private readonly passwords: Passwords,
    private readonly throttle: LoginThrottle,
    private readonly failures: FailedSignIns,
  ) {}

  /**
   * Checks the password of an address. An address without an account costs as much work as a wrong password.
   *
   * @param email in small letters
   * @param isNewTaken whether an address without an account is no failure: it gets one with this password
   * @throws AppError RATE_LIMITED; SERVICE_UNAVAILABLE
   */
  async ofEmail(email: string, password: string, source: ActSource, isNewTaken = false): Promise<CheckedPassword> {
    let checked: CheckedPassword = { account: null, isRight: false };
    let found: Promise<UserRow | null> | undefined;
    const find = (): Promise<UserRow | null> =>
      (found ??= this.database.query(findUserByEmail, [email]).then(([row = null]) => row));
    const deviceEpoch = async (): Promise<number | null> => (await find())?.deviceEpoch ?? null;
    await this.throttle.attempt({ email, source, deviceEpoch }, async (acquaintance) => {
      const account = await find();
      const isRight = await this.passwords.verify(account?.passwordHash ?? null, password, acquaintance);
      checked = { account, isRight };
      return isRight || (account === null && isNewTaken) ? checked : null;
    });
    if (checked.account && !checked.isRight) this.failures.record(checked.account, source);
    return checked;
  }

  /**
   * Checks the current password of a person who is signed in: a stolen session must not allow more attempts than the sign-in
   * page does, and strangers must not use up those of the session.
   *
   * @returns null for a wrong one
   * @throws AppError RATE_LIMITED; SERVICE_UNAVAILABLE
   */
  async ofPerson(
    { id, email }: User,
    password: string,
    source: ActSource,
    failure: FailedAttempt = 'user.password-change-failed',
  ): Promise<UserRow | null> {
    const right = await this.throttle.attemptOf(ownPasswordSubject(id), async (acquaintance) => {
      const [user] = await this.database.query(findUser, [id]);
      return user && (await this.passwords.verify(user.passwordHash, password, acquaintance)) ? user : null;
    });
    if (!right) this.failures.record({ id, email }, source, failure);
    return right;
  }
}
