import { Injectable } from '@nestjs/common';
import { verify } from '@node-rs/argon2';
import { Turns } from '../turn/turns.js';
import { hashPassword, normalPassword } from './password.policy.js';

/**
 * Hashes at once. They run on the four threads that Node also opens files and asks for names with: two are left to those,
 * and each hash takes 19 MiB.
 */
const AT_ONCE_MAX = 2;
/** About one second of work; who would wait longer is told to come back. */
const WAITING_MAX = 64;

/**
 * What is checked where there is no account, at the cost of those that exist: made of 32 random bytes that nobody kept. Not made
 * at a start, which could fail, nor by the first who asks, whom it would cost twice the time.
 */
const NOBODYS_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$73XBj2vDHebh99h8kV3AOQ$cpUjOdMxh41Hym7zgmRqcROJLbFvk5yhWVrWSzuxXFw';

/** Checks and hashes passwords, few at a time and never on the thread that serves requests. */
@Injectable()
export class Passwords {
  private readonly turns = new Turns(AT_ONCE_MAX, WAITING_MAX);

  /**
   * Whether the password is the one of the hash.
   *
   * @param passwordHash null for nobody's: it takes as long, and is false
   * @throws AppError SERVICE_UNAVAILABLE when too many wait already
   */
  async verify(passwordHash: string | null, password: string): Promise<boolean> {
    return this.turns.run(async () => {
      const known = passwordHash ?? NOBODYS_HASH;
      return (await verify(known, normalPassword(password))) && passwordHash !== null;
    });
  }

  /** The hash to store. @throws AppError SERVICE_UNAVAILABLE when too many wait already */
  async hash(password: string): Promise<string> {
    return this.turns.run(() => hashPassword(password));
  }
}
