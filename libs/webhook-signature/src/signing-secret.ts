import { randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';

/** Standard Webhooks asks for 24 to 64 bytes; 32 are as many as the digest has. */
const SECRET_BYTES = 32;

/**
 * A new signing secret: `whsec_` and the base 64 of 32 random bytes.
 *
 * Source: docs/api-behaviour.md#webhooks-signature.
 */
export function newSigningSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** The key of `X-Service-Signature`: the UTF-8 bytes of the whole secret as it is shown. */
export function serviceKey(secret: string): Buffer {
  return Buffer.from(secret, 'utf8');
}

/** The key of `webhook-signature`: the bytes that the secret's base-64 part stands for. */
export function standardKey(secret: string): Buffer {
  return Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
}
