import { timingSafeEqual } from 'node:crypto';
import { serviceSignature } from './sign.js';

const hexDigest = /^[0-9a-f]{64}$/;

/**
 * Whether the value of `X-Service-Signature` belongs to these bytes and this secret; false for an absent or malformed one.
 *
 * Compares in constant time, so that a sender cannot find the digest byte by byte.
 *
 * @param body the raw bytes of the request, before any parsing.
 */
export function verifyServiceSignature(body: Uint8Array, header: string | undefined, secret: string): boolean {
  if (header === undefined || !hexDigest.test(header)) return false;
  return timingSafeEqual(Buffer.from(header, 'hex'), serviceSignature(body, secret));
}
