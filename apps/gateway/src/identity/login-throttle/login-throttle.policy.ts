import { hash } from 'node:crypto';
import { isIPv6 } from 'node:net';

/** How guesses about one subject are slowed down. */
export interface GuessAllowance {
  /** Wrong guesses that cost no wait. */
  readonly free: number;
  /** The wait after the first one beyond; doubles with each further one. */
  readonly firstWaitMs: number;
  readonly waitMaxMs: number;
}

/** Wrong guesses are forgotten after a day without any. */
export const GUESSES_KEPT_MS = 24 * 3_600_000;

/** About one account, from wherever: some 100 guesses a day at most. Source: NIST SP 800-63B, 3.2.2. */
export const accountAllowance: GuessAllowance = { free: 10, firstWaitMs: 1_000, waitMaxMs: 900_000 };

/** From one address, about whatever accounts; many people may share one. */
export const addressAllowance: GuessAllowance = { free: 50, firstWaitMs: 1_000, waitMaxMs: 60_000 };

/** The subject of guesses about an account, whether it exists or not. @param email in small letters */
export function accountSubject(email: string): Buffer {
  return hash('sha256', `account:${email}`, 'buffer');
}

/** The subject of guesses from a network address: of IPv6 the first half, which one customer has. */
export function addressSubject(address: string): Buffer {
  return hash('sha256', `address:${networkOf(address)}`, 'buffer');
}

function networkOf(address: string): string {
  const [bare = ''] = address.split('%');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare);
  if (mapped) return mapped[1] ?? bare;
  if (!isIPv6(bare)) return bare;
  const [head = '', tail] = bare.split('::');
  const groups = head === '' ? [] : head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length);
  const all = [...groups, ...Array.from({ length: missing }, () => '0'), ...(tail ? tail.split(':') : [])];
  return all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, '').toLowerCase())
    .join(':');
}
