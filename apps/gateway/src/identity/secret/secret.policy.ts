import { hash, randomBytes } from 'node:crypto';

/** A secret that was just made. */
export interface MintedSecret {
  /** 256 bits from a CSPRNG, base64url: 43 characters. */
  readonly secret: string;
  /** SHA-256 of it: all that is stored. */
  readonly secretHash: Buffer;
}

/** Makes the secret of a session or of an invitation. */
export function mintSecret(): MintedSecret {
  const secret = randomBytes(32).toString('base64url');
  return { secret, secretHash: hashOfSecret(secret) };
}

/**
 * How secrets are stored and looked up. A plain hash is enough for 256 random bits, and as the hash is what is compared,
 * the time that it takes reveals nothing of the secret.
 */
export function hashOfSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** Whether a text is worth a look-up. */
export function isPlausibleSecret(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}
