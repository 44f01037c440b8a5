import { Secret, TOTP } from 'otpauth';

/** What authenticator apps show next to the address. */
const ISSUER = 'Switchboard';
const PERIOD_SECONDS = 30;
/** Steps before and after the present one whose codes are taken: clocks are apart. Source: RFC 6238, 5.2. */
const WINDOW = 1;

/** A new seed: 160 random bits in base 32. Source: RFC 4226, 4, R6. */
export function newSeed(): string {
  return new Secret({ size: 20 }).base32;
}

/** The address by which authenticator apps take a seed, mostly from a picture. */
export function seedUri(seed: string, email: string): string {
  return totpOf(seed, email).toString();
}

/** The time step whose code a text is; null where it is none of those around `nowMs`. Compared in constant time. */
export function stepOfCode(seed: string, code: string, nowMs: number): number | null {
  const delta = totpOf(seed, '').validate({ token: code, timestamp: nowMs, window: WINDOW });
  return delta === null ? null : Math.floor(nowMs / (PERIOD_SECONDS * 1_000)) + delta;
}

/** The same parameters as every authenticator app knows: SHA-1, six digits, half a minute. Source: RFC 6238. */
function totpOf(seed: string, label: string): TOTP {
  const secret = Secret.fromBase32(seed);
  return new TOTP({ issuer: ISSUER, label, algorithm: 'SHA1', digits: 6, period: PERIOD_SECONDS, secret });
}
