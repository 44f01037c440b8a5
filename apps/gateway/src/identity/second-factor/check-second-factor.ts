import { Inject, Injectable } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { Database, type Transaction } from '@switchboard/postgres';
import { CLOCK, type Clock } from '@switchboard/platform';
import { FailedSignIns } from '../audit/failed-sign-ins.js';
import { DeviceCookies } from '../device/device-cookies.js';
import { LoginThrottle } from '../login-throttle/login-throttle.js';
import { codeSubject } from '../login-throttle/login-throttle.policy.js';
import type { ActSource, User } from '../signed-in.contract.js';
import { hashOfRecoveryCode } from './recovery-code.policy.js';
import { SecondFactorSeeds } from './second-factor-seeds.js';
import { findSecondFactor, hasSecondFactor, takeRecoveryCode, takeStep } from './second-factor.repository.js';
import { stepOfCode } from './time-code.policy.js';

type Person = Pick<User, 'id' | 'email'>;

/** Checks codes of second factors within the limits on attempts; each is taken once. */
@Injectable()
export class CheckSecondFactor {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly seeds: SecondFactorSeeds,
    private readonly throttle: LoginThrottle,
    private readonly devices: DeviceCookies,
    private readonly failures: FailedSignIns,
  ) {}

  /**
   * Asks a person whose password was right for the code of their second factor, if they have one.
   *
   * @param code six digits, or a recovery code
   * @returns whether there is one
   * @throws AppError SECOND_FACTOR_REQUIRED without a code; SECOND_FACTOR_INVALID; RATE_LIMITED
   */
  async pass(person: Person, code: string | null, source: ActSource): Promise<boolean> {
    const [factor] = await this.database.query(findSecondFactor, [person.id]);
    if (!factor?.enabledAt) return false;
    if (code === null) throw new AppError(gatewayErrors.SECOND_FACTOR_REQUIRED);
    await this.require(person, code, source);
    return true;
  }

  /**
   * Takes a code of an enabled factor, or the first one of a factor that waits for it.
   *
   * @throws AppError SECOND_FACTOR_INVALID, where there is no factor too; RATE_LIMITED
   */
  async require(person: Person, code: string, source: ActSource): Promise<void> {
    // Who knows the password must not use up the codes of the person's own browser.
    const device = this.devices.deviceOf(source.browser?.deviceCookie ?? null, person.email);
    const taken = await this.throttle.attemptOf(codeSubject(person.id, device), () => this.take(person.id, code));
    if (taken) return;
    this.failures.record(person, source, 'user.second-factor-failed');
    throw new AppError(gatewayErrors.SECOND_FACTOR_INVALID);
  }

  private async take(userId: string, code: string): Promise<true | null> {
    const digits = code.replace(/\s/g, '');
    if (!/^\d{6}$/.test(digits)) return this.isTaken(takeRecoveryCode, userId, hashOfRecoveryCode(code));
    const [factor] = await this.database.query(findSecondFactor, [userId]);
    if (!factor) return null;
    const step = stepOfCode(this.seeds.open(factor.seedSealed, userId), digits, this.clock.now());
    return step === null ? null : this.isTaken(takeStep, userId, step);
  }

  private async isTaken(
    statement: typeof takeStep | typeof takeRecoveryCode,
    userId: string,
    what: number | Buffer,
  ): Promise<true | null> {
    const [taken] = await this.database.query(statement, [userId, what]);
    return taken ? true : null;
  }
}

/**
 * Makes sure, in the transaction that begins a session, that no second factor was enabled since the password was checked: who
 * enables one ends the sessions that were begun before. The person must be held.
 *
 * @throws AppError SECOND_FACTOR_REQUIRED
 */
export async function requireSameFactor(tx: Transaction, userId: string, isByCode: boolean): Promise<void> {
  const [has] = await tx.query(hasSecondFactor, [userId]);
  if (has?.is === true && !isByCode) throw new AppError(gatewayErrors.SECOND_FACTOR_REQUIRED);
}
