import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'svc_live_';
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** The largest multiple of 62 below 256: bytes from there on would favour the first digits. */
const FAIR_BYTE_MAX = 248;
const OUR_SHAPE = /^svc_live_[0-9A-Za-z]{38}$/;
/** Longer than any key that was ever given out; what is longer is not worth a hash. */
const KEY_LENGTH_MAX = 256;
const SHOWN_LENGTH = 12;

/** A key that was just made; `secret` is shown once and never stored. */
export interface MintedKey {
  readonly secret: string;
  /** The first 12 characters, for lists. */
  readonly prefix: string;
  /** SHA-256 of the secret, 64 hex digits: all that is stored. */
  readonly hash: string;
}

/**
 * Makes a key: `svc_live_`, 32 characters `[0-9A-Za-z]`, 6 characters of checksum.
 *
 * @param fill fills the array with random bytes from a CSPRNG
 * Source: docs/api-behaviour.md#keys.
 */
export function mintKey(fill: (length: number) => Uint8Array = randomBytes): MintedKey {
  let body = '';
  while (body.length < SECRET_LENGTH) {
    for (const byte of fill(SECRET_LENGTH + 8)) {
      if (byte < FAIR_BYTE_MAX && body.length < SECRET_LENGTH) body += DIGITS[byte % DIGITS.length];
    }
  }
  const secret = PREFIX + body + checksumOf(body);
  return { secret, prefix: secret.slice(0, SHOWN_LENGTH), hash: hashOfKey(secret) };
}

/** SHA-256 of a key as 64 hex digits: how keys are stored and looked up. */
export function hashOfKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/**
 * Whether a key is worth a look-up: anything that starts with `svc_`, but a key of exactly our shape only with the right
 * checksum, so that a mistyped one costs nothing.
 */
export function isPlausibleKey(key: string): boolean {
  if (!key.startsWith('svc_') || key.length > KEY_LENGTH_MAX) return false;
  if (!OUR_SHAPE.test(key)) return true;
  const body = key.slice(PREFIX.length, -CHECKSUM_LENGTH);
  return key.endsWith(checksumOf(body));
}

/** CRC-32 of the 32 random characters in base 62 (digits, capitals, small letters), most significant first, 6 long. */
function checksumOf(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    text = (DIGITS[rest % DIGITS.length] ?? '') + text;
    rest = Math.floor(rest / DIGITS.length);
  }
  return text;
}
