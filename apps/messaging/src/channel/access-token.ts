import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CACHE_MAX = 10_000;

/** Seals a channel's token for the database: AES-256-GCM; nonce, tag, ciphertext. */
export function sealAccessToken(token: string, key: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const body = Buffer.concat([cipher.update(token, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

/** Opens sealed tokens; keeps the last 10,000 by their ciphertext, so that a send does not decrypt anew. */
export class AccessTokens {
  private readonly opened = new Map<string, string>();

  constructor(private readonly key: Buffer) {}

  /** Seals a token, as `sealAccessToken`. */
  seal(token: string): Buffer {
    return sealAccessToken(token, this.key);
  }

  /** @throws Error when the token was sealed with another key or changed */
  open(sealed: Buffer): string {
    const cacheKey = sealed.toString('base64');
    const known = this.opened.get(cacheKey);
    if (known !== undefined) return known;
    const decipher = createDecipheriv('aes-256-gcm', this.key, sealed.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const body = sealed.subarray(NONCE_BYTES + TAG_BYTES);
    const token = Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
    if (this.opened.size >= CACHE_MAX) this.opened.clear();
    this.opened.set(cacheKey, token);
    return token;
  }
}
