import { createCipheriv, createDecipheriv, createHash, createHmac } from 'node:crypto';

/** Of the one cipher suite here, TLS_AES_128_GCM_SHA256: bytes of its hash, key, nonce and tag. */
const HASH_BYTES = 32;
const KEY_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ALERT = 21;
const APPLICATION_DATA = 23;

export const sha256 = (...parts: readonly Uint8Array[]): Buffer =>
  createHash('sha256').update(Buffer.concat(parts)).digest();

export const hmac = (key: Uint8Array, data: Uint8Array): Buffer => createHmac('sha256', key).update(data).digest();

/** HKDF-Extract. Source: RFC 5869, 2.2. */
export const extract = hmac;

/** HKDF-Expand-Label, of one block. Source: RFC 8446, 7.1. */
export function expandLabel(secret: Uint8Array, label: string, context: Uint8Array, bytes = HASH_BYTES): Buffer {
  const name = Buffer.from(`tls13 ${label}`);
  const info = [Buffer.of(0, bytes, name.length), name, Buffer.of(context.length), context, Buffer.of(1)];
  return hmac(secret, Buffer.concat(info)).subarray(0, bytes);
}

/** A record in clear. Source: RFC 8446, 5.1. */
export const recordOf = (type: number, body: Uint8Array): Buffer =>
  Buffer.concat([Buffer.of(type, 3, 3, body.length >> 8, body.length & 255), body]);

/** The keys of one direction of TLS 1.3, which seal or open one record after another. */
export class RecordKeys {
  private readonly key: Buffer;
  private readonly iv: Buffer;
  private sequence = 0;

  constructor(private readonly secret: Buffer) {
    this.key = expandLabel(secret, 'key', Buffer.of(), KEY_BYTES);
    this.iv = expandLabel(secret, 'iv', Buffer.of(), NONCE_BYTES);
  }

  /** Those behind a KeyUpdate. Source: RFC 8446, 7.2. */
  next(): RecordKeys {
    return new RecordKeys(expandLabel(this.secret, 'traffic upd', Buffer.of()));
  }

  /** Source: RFC 8446, 4.4.4. */
  finished(transcript: Buffer): Buffer {
    return hmac(expandLabel(this.secret, 'finished', Buffer.of()), transcript);
  }

  /** @returns the encrypted record, its header included */
  seal(type: number, body: Uint8Array): Buffer {
    const header = recordOf(APPLICATION_DATA, Buffer.alloc(body.length + 1 + TAG_BYTES)).subarray(0, 5);
    const cipher = createCipheriv('aes-128-gcm', this.key, this.nonce()).setAAD(header);
    const sealed = Buffer.concat([cipher.update(body), cipher.update(Buffer.of(type)), cipher.final()]);
    return Buffer.concat([header, sealed, cipher.getAuthTag()]);
  }

  /** @param record with its header. @throws when it is not sealed with these keys, or is an alert */
  open(record: Buffer): Buffer {
    const decipher = createDecipheriv('aes-128-gcm', this.key, this.nonce()).setAAD(record.subarray(0, 5));
    decipher.setAuthTag(record.subarray(-TAG_BYTES));
    const opened = Buffer.concat([decipher.update(record.subarray(5, -TAG_BYTES)), decipher.final()]);
    if (opened.at(-1) === ALERT) throw new Error(`the other end sent alert ${opened.at(1)}`);
    return opened.subarray(0, -1);
  }

  private nonce(): Buffer {
    const nonce = Buffer.from(this.iv);
    const tail = NONCE_BYTES - 4;
    nonce.writeUInt32BE((nonce.readUInt32BE(tail) ^ this.sequence) >>> 0, tail);
    this.sequence += 1;
    return nonce;
  }
}
