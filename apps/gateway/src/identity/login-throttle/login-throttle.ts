import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@switchboard/postgres';
import { CLOCK, type Clock } from '@switchboard/platform';
import { DeviceCookies } from '../device/device-cookies.js';
import type { ActSource } from '../signed-in.contract.js';
import { Semaphore } from '../semaphore/semaphore.js';
import { AttemptCounts } from './attempt-counts.js';
import { DeviceEpochs } from './device-epochs.js';
import {
  accountSubject,
  addressAllowance,
  addressSubject,
  deviceSubject,
  type Acquaintance,
} from './login-throttle.policy.js';
import { SubjectLanes } from './subject-lanes.js';

/** One try of a password. */
export interface LoginAttempt {
  /** In small letters; of an account that may not exist. */
  readonly email: string;
  readonly source: Pick<ActSource, 'address' | 'browser'>;
  /** Reads the present epoch of the account's devices; null for an account that does not exist. */
  readonly deviceEpoch: () => Promise<number | null>;
}

/** What an attempt is for: the check itself. @returns null for a wrong password */
type Check<Result> = (acquaintance: Acquaintance) => Promise<Result | null>;

/** Attempts that are counted at once: they wait for each other's rows, on connections that admission needs. */
const RUNNING_MAX = 2;
/** Attempts that wait to be counted; the next is answered 503. */
const WAITING_MAX = 64;
/** Attempts of one network that wait for the one that is checked; about a second of work. */
const WAITING_OF_NETWORK_MAX = 32;
/** Attempts at one account, from browsers that it knows, that wait for the one that is checked: a person makes one at a time. */
const WAITING_OF_ACCOUNT_MAX = 2;

/**
 * Limits failed logins, over all replicas together, without letting anybody lock others out.
 *
 * A browser that an account knows has attempts of its own. Strangers share those of the account. A network address that has
 * failed too often, at whatever accounts, goes on one attempt after the other: its failures are slow, a right password is taken.
 * The browsers that an account knows go on one after the other too: a person can have as many as they like, and with right
 * passwords, of which none is counted, would fill the places of all other known ones.
 *
 * A flood of attempts must not slow other requests down: a process counts few at once, and refuses a subject that it has
 * just refused without a query.
 */
@Injectable()
export class LoginThrottle {
  private readonly counts: AttemptCounts;
  private readonly networks = new SubjectLanes(WAITING_OF_NETWORK_MAX);
  private readonly accounts = new SubjectLanes(WAITING_OF_ACCOUNT_MAX);
  private readonly epochs = new DeviceEpochs();
  private readonly counting = {
    known: new Semaphore(RUNNING_MAX, WAITING_MAX),
    stranger: new Semaphore(RUNNING_MAX, WAITING_MAX),
  };

  constructor(
    @Inject(Database) database: Pick<Database, 'query'>,
    @Inject(CLOCK) clock: Clock,
    private readonly devices: DeviceCookies,
  ) {
    this.counts = new AttemptCounts(database, clock);
  }

  /**
   * Counts an attempt, checks it and forgets it when it was right.
   *
   * @returns what the check returns
   * @throws AppError RATE_LIMITED when its device, or for a stranger its account, has to wait, or when too many of a network
   * that has failed too often wait, or too many of the browsers that the account knows; SERVICE_UNAVAILABLE when too many come
   * at once
   */
  async attempt<Result>(attempt: LoginAttempt, check: Check<Result>): Promise<Result | null> {
    const [account, network] = [accountSubject(attempt.email), addressSubject(attempt.source.address)];
    const device = await this.knownDevice(account, attempt);
    if (device !== null) return this.known(device, account, check);
    this.counts.refuseKnown(account);
    let mustQueue = false;
    const count = async (): Promise<void> => {
      await this.count(account);
      mustQueue = await this.counts.isWaiting(network);
    };
    const work = (): Promise<Result | null> => check('stranger');
    const result = await this.counted(account, 'stranger', count, () =>
      mustQueue ? this.networks.run(network, work) : work(),
    );
    if (result === null) await this.counts.add(network, addressAllowance);
    return result;
  }

  /** The same for attempts that are counted by one subject alone, whatever their address: those of a person who is known. */
  async attemptOf<Result>(subject: Buffer, check: Check<Result>): Promise<Result | null> {
    return this.known(subject, subject, check);
  }

  /** The subject of a browser that the account knows; null for a stranger. A mark of a past epoch takes no place of known ones. */
  private async knownDevice(account: Buffer, { email, source, deviceEpoch }: LoginAttempt): Promise<Buffer | null> {
    const device = this.devices.deviceOf(source.browser?.deviceCookie ?? null, email);
    if (device === null || this.epochs.isPast(account, device.epoch)) return null;
    const subject = deviceSubject(device.id);
    this.counts.refuseKnown(subject);
    const epoch = await this.accounts.run(account, () => this.counting.known.run(deviceEpoch));
    if (epoch !== null) this.epochs.note(account, epoch);
    return epoch === device.epoch ? subject : null;
  }

  /** @param lane of all attempts that go on one after the other */
  private async known<Result>(subject: Buffer, lane: Buffer, check: Check<Result>): Promise<Result | null> {
    this.counts.refuseKnown(subject);
    const count = (): Promise<void> => this.count(subject);
    return this.accounts.run(lane, () => this.counted(subject, 'known', count, () => check('known')));
  }

  /** Counted before it is checked: of many at once no more pass than one after the other. */
  private async counted<Result>(
    subject: Buffer,
    of: Acquaintance,
    count: () => Promise<void>,
    check: () => Promise<Result | null>,
  ): Promise<Result | null> {
    await this.counting[of].run(count);
    try {
      const result = await check();
      if (result !== null) await this.counts.forget(subject);
      return result;
    } catch (error) {
      // Nothing was found wrong: no attempt is used up.
      await this.counts.refund(subject);
      throw error;
    }
  }

  private async count(subject: Buffer): Promise<void> {
    // A wait may have become known while this attempt waited.
    this.counts.refuseKnown(subject);
    if (!(await this.counts.add(subject))) throw await this.counts.refusalOf(subject);
  }
}
