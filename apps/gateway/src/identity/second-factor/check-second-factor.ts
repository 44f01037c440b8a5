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
import {
  countRecoveryCodes,
  findSecondFactor,
  hasSecondFactor,
  takeRecoveryCode,
  takeStep,
  type SecondFactorRow,
} from './second-factor.repository.js';
import { stepOfCode } from './time-code.policy.js';

type Person = Pick<User, 'id' | 'email'>;

/** The code that was taken, as the audit log shows it. */
export type TakenCode =
  | { readonly secondFactor: 'time-code' }
  | { readonly secondFactor: 'recovery-code'; readonly recoveryCodesLeft: number };

/** How a person passed: by a code, or without one because no second factor was asked for. */
export type PassedFactor = TakenCode | typeof NO_SECOND_FACTOR;

/** Of a person who was asked for no code. */
export const NO_SECOND_FACTOR = { secondFactor: 'none' } as const;

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
   * @returns how they passed
   * @throws AppError SECOND_FACTOR_REQUIRED without a code; SECOND_FACTOR_INVALID; RATE_LIMITED
   */
  async pass(person: Person, code: string | null, source: ActSource): Promise<PassedFactor> {
    const [factor] = await this.database.query(findSecondFactor, [person.id]);
    if (!factor?.enabledAt) return NO_SECOND_FACTOR;
    if (code === null) throw new AppError(gatewayErrors.SECOND_FACTOR_REQUIRED);
    return this.takeCounted(person, code, source, factor);
  }

  /**
   * Takes a code of an enabled factor, or the first one of a factor that waits for it.
   *
   * @throws AppError SECOND_FACTOR_INVALID, where there is no factor too; RATE_LIMITED
   */
  async require(person: Person, code: string, source: ActSource): Promise<TakenCode> {
    const [factor] = await this.database.query(findSecondFactor, [person.id]);
    return this.takeCounted(person, code, source, factor);
  }

  private async takeCounted(
    person: Person,
    code: string,
    source: ActSource,
    factor: SecondFactorRow | undefined,
  ): Promise<TakenCode> {
    // Who knows the password must not use up the codes of the person's own browsers.
    const device = this.devices.deviceOf(source.browser?.deviceCookie ?? null, person.email);
    const of = device !== null && device.epoch === factor?.deviceEpoch ? 'known' : 'stranger';
    const taken = await this.throttle.attemptOf(codeSubject(person.id, of), () => this.take(person.id, code));
    if (taken) return taken;
    this.failures.record(person, source, 'user.second-factor-failed');
    throw new AppError(gatewayErrors.SECOND_FACTOR_INVALID);
  }

  private async take(userId: string, code: string): Promise<TakenCode | null> {
    const digits = code.replace(/\s/g, '');
    if (!/^\d{6}$/.test(digits)) return this.takeRecoveryCode(userId, code);
    const [factor] = await this.database.query(findSecondFactor, [userId]);
    if (!factor) return null;
    const step = stepOfCode(this.seeds.open(factor.seedSealed, userId), digits, this.clock.now());
    const [taken] = step === null ? [] : await this.database.query(takeStep, [userId, step]);
    return taken ? { secondFactor: 'time-code' } : null;
  }

  private async takeRecoveryCode(userId: string, code: string): Promise<TakenCode | null> {
    const [taken] = await this.database.query(takeRecoveryCode, [userId, hashOfRecoveryCode(code)]);
    if (!taken) return null;
    // Behind the code: of two that are taken at once neither counts the other.
    const [counted] = await this.database.query(countRecoveryCodes, [userId]);
    return { secondFactor: 'recovery-code', recoveryCodesLeft: counted?.left ?? 0 };
  }
}

/**
 * Makes sure, in the transaction that begins a session, that no second factor was enabled since the password was checked: who
 * enables one ends the sessions that were begun before. The person must be held.
 *
 * @throws AppError SECOND_FACTOR_REQUIRED
 */
export async function requireSameFactor(
  tx: Transaction,
  userId: string,
  { secondFactor }: PassedFactor,
): Promise<void> {
  const [has] = await tx.query(hasSecondFactor, [userId]);
  if (has?.is === true && secondFactor === 'none') throw new AppError(gatewayErrors.SECOND_FACTOR_REQUIRED);
}
