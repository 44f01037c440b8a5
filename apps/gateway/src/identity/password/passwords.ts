import { Injectable } from '@nestjs/common';
import { verify } from '@node-rs/argon2';
import type { Acquaintance } from '../login-throttle/login-throttle.policy.js';
import { Semaphore } from '../semaphore/semaphore.js';
import { hashPassword, normalPassword } from './password.policy.js';

/**
 * Hashes at once, of strangers and of those who are known. They run on the four threads on which Node also opens files and
 * resolves names: one is left for those, and each hash takes 19 MiB.
 */
const RUNNING_MAX = { stranger: 2, known: 1 } as const;
/** About one second of work; the next is answered 503. */
const WAITING_MAX = 64;

/**
 * The hash that is checked where there is no account, at the cost of the others: of 32 random bytes that were not kept. It is
 * not made at start, which could fail, nor by the first request that needs it, which would take twice the time.
 */
const DECOY_HASH = '$argon2id$v=19$m=19456,t=2,p=1$73XBj2vDHebh99h8kV3AOQ$cpUjOdMxh41Hym7zgmRqcROJLbFvk5yhWVrWSzuxXFw';

/**
 * Checks and hashes passwords, few at a time and never on the thread that serves requests. Strangers wait for strangers
 * alone: a flood of their attempts delays no known browser.
 */
@Injectable()
export class Passwords {
  private readonly semaphores = {
    stranger: new Semaphore(RUNNING_MAX.stranger, WAITING_MAX),
    known: new Semaphore(RUNNING_MAX.known, WAITING_MAX),
  };

  /**
   * Whether the password is the one of the hash.
   *
   * @param passwordHash null where there is no account: it takes as long, and is false
   * @throws AppError SERVICE_UNAVAILABLE when too many wait already
   */
  async verify(passwordHash: string | null, password: string, of: Acquaintance = 'stranger'): Promise<boolean> {
    return this.semaphores[of].run(async () => {
      const known = passwordHash ?? DECOY_HASH;
      return (await verify(known, normalPassword(password))) && passwordHash !== null;
    });
  }

  /** The hash to store. @throws AppError SERVICE_UNAVAILABLE when too many wait already */
  async hash(password: string, of: Acquaintance = 'stranger'): Promise<string> {
    return this.semaphores[of].run(() => hashPassword(password));
  }
}
