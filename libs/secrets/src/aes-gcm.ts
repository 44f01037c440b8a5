import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM with a random nonce: nonce, tag, ciphertext. */
export function sealBytes(bytes: Buffer, key: Buffer, associatedData: Buffer | null): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  if (associatedData !== null) cipher.setAAD(associatedData);
  const body = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

/** @throws Error when key or associated data are others, or a byte was changed */
export function openBytes(sealed: Buffer, key: Buffer, associatedData: Buffer | null): Buffer {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) throw new Error('the value is too short to be sealed');
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  if (associatedData !== null) decipher.setAAD(associatedData);
  decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
}
