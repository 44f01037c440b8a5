import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

const SIGNATURE = /^sha256=([0-9a-f]{64})$/i;

/** Whether a header has the form of the provider's signature; whose it is, the body decides. */
export function isSignature(shown: unknown): shown is string {
  return typeof shown === 'string' && SIGNATURE.test(shown);
}

/**
 * Whether the provider signed these bytes: HMAC-SHA256 of the raw body, keyed with the app secret.
 *
 * Compared in constant time. Source: provider's "Webhooks", "Validate payloads".
 */
export function isSignedByProvider(body: Uint8Array, signature: unknown, appSecret: string): boolean {
  const hex = typeof signature === 'string' ? SIGNATURE.exec(signature)?.[1] : undefined;
  const expected = createHmac('sha256', appSecret).update(body).digest();
  return timingSafeEqual(expected, hex === undefined ? Buffer.alloc(expected.length) : Buffer.from(hex, 'hex'));
}

/** Whether two secrets are the same, in a time that depends on neither their content nor their length. */
export function isSameSecret(shown: unknown, secret: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(typeof shown === 'string' ? shown : ''), digest(secret)) && shown === secret;
}
