import { hash } from 'node:crypto';
import { networkOf } from '../../network/network.policy.js';

/** How an account sees a browser: it has signed in to the account or was let in by a session, or it has not. */
export const acquaintances = ['known', 'stranger'] as const;

/** One of them. */
export type Acquaintance = (typeof acquaintances)[number];

/** How many attempts a subject has, and how long it then waits. */
export interface AttemptAllowance {
  /** Wrong passwords without a wait. */
  readonly free: number;
  /** The wait after the first one beyond; doubles with each further one. */
  readonly firstWaitMs: number;
  readonly waitMaxMs: number;
}

/** Attempts are forgotten after a day without any. */
export const ATTEMPTS_KEPT_MS = 24 * 3_600_000;

/**
 * Of one device, or of one account by all strangers together: some 100 attempts a day at most. Source: NIST SP 800-63B,
 * 3.2.2.
 */
export const accountAllowance: AttemptAllowance = { free: 10, firstWaitMs: 1_000, waitMaxMs: 900_000 };

/** Of one network address, at any accounts: while it would have to wait, its attempts are checked one after the other. */
export const addressAllowance: AttemptAllowance = { free: 50, firstWaitMs: 1_000, waitMaxMs: 60_000 };

/** The subject of attempts at an account, whether it exists or not. @param email in small letters */
export function accountSubject(email: string): Buffer {
  return hash('sha256', `account:${email}`, 'buffer');
}

/** The subject of attempts of a browser that an account knows. @param device of `DeviceCookies` */
export function deviceSubject(device: string): Buffer {
  return hash('sha256', `device:${device}`, 'buffer');
}

/**
 * The subject of attempts at the codes of a second factor: of all browsers that the account knows together, or of all strangers. A
 * code is one of a million, and attempts of each browser for itself would be as many as there are browsers.
 */
export function codeSubject(userId: string, of: Acquaintance): Buffer {
  return hash('sha256', `code:${userId}:${of}`, 'buffer');
}

/** The subject of attempts at the current password by those who are signed in. */
export function ownPasswordSubject(userId: string): Buffer {
  return hash('sha256', `own-password:${userId}`, 'buffer');
}

/** The subject of attempts from a network address: of IPv6 the first 64 bits, which one customer has. */
export function addressSubject(address: string): Buffer {
  return hash('sha256', `address:${networkOf(address)}`, 'buffer');
}
