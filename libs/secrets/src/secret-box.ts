import { createHash, randomBytes } from 'node:crypto';
import { openBytes, sealBytes } from './aes-gcm.js';

/** Where a secret is stored: sealed for one place, it opens at no other. */
export interface SecretPlace {
  readonly organizationId: string;
  readonly table: string;
  /** The row's id. */
  readonly row: string;
  readonly column: string;
}

/** The keys that wrap data keys, 32 bytes each. */
export interface MasterKeys {
  /** Wraps what is new. */
  readonly current: Buffer;
  /** Still reads; null outside of a rotation. */
  readonly previous: Buffer | null;
}

/** What values sealed here begin with; those of earlier versions begin with 12 random bytes. */
const MAGIC = Buffer.from('sbx1');
const MASTER_ID_BYTES = 4;
const DATA_KEY_BYTES = 32;
/** The master key's id, and nonce, tag and ciphertext of the data key. */
const WRAPPED_BYTES = MASTER_ID_BYTES + 28 + DATA_KEY_BYTES;
const OPENED_MAX = 10_000;

/**
 * Seals secrets for the database: AES-256-GCM under the organization's data key, which a master key wraps.
 *
 * A sealed value carries its wrapped data key, so that opening it needs no other row; the place is associated data.
 * Source: docs/adr/0041-secrets-at-rest.md.
 */
export class SecretBox {
  private readonly masters: ReadonlyMap<string, Buffer>;
  private readonly currentId: Buffer;
  private readonly opened = new Map<string, string>();

  /** @param options `readsUnbound` opens values of earlier versions too: sealed with a master key itself, for no place. */
  constructor(
    private readonly keys: MasterKeys,
    private readonly options: { readonly readsUnbound?: boolean } = {},
  ) {
    const all = keys.previous === null ? [keys.current] : [keys.current, keys.previous];
    this.masters = new Map(all.map((key) => [idOf(key).toString('hex'), key]));
    this.currentId = idOf(keys.current);
  }

  /** A new data key of an organization, wrapped by the current master key. */
  newDataKey(organizationId: string): Buffer {
    const sealed = sealBytes(randomBytes(DATA_KEY_BYTES), this.keys.current, dataKeyPlace(organizationId));
    return Buffer.concat([this.currentId, sealed]);
  }

  /** @param dataKey the organization's, wrapped. */
  seal(text: string, place: SecretPlace, dataKey: Buffer): Buffer {
    const key = this.unwrap(dataKey, place.organizationId);
    return Buffer.concat([MAGIC, dataKey, sealBytes(Buffer.from(text, 'utf8'), key, associatedData(place))]);
  }

  /** @throws Error when it was sealed for another place or with an unknown master key, or was changed */
  open(sealed: Buffer, place: SecretPlace): string {
    const cacheKey = `${associatedData(place).toString()}${sealed.toString('base64')}`;
    const known = this.opened.get(cacheKey);
    if (known !== undefined) return known;
    const text = this.read(sealed, place).toString('utf8');
    if (this.opened.size >= OPENED_MAX) this.opened.clear();
    this.opened.set(cacheKey, text);
    return text;
  }

  /** Whether a data key, or the one in a sealed value, is wrapped by the current master key. */
  isCurrent(bytes: Buffer): boolean {
    const wrapped = isEnvelope(bytes) ? bytes.subarray(MAGIC.length) : bytes;
    return wrapped.subarray(0, MASTER_ID_BYTES).equals(this.currentId);
  }

  /** Whether a data key is wrapped by a master key that this process has. */
  opens(wrapped: Buffer): boolean {
    return this.masterOf(wrapped) !== undefined;
  }

  private masterOf(wrapped: Buffer): Buffer | undefined {
    return this.masters.get(wrapped.subarray(0, MASTER_ID_BYTES).toString('hex'));
  }

  private read(sealed: Buffer, place: SecretPlace): Buffer {
    if (!isEnvelope(sealed)) {
      if (this.options.readsUnbound) return this.readUnbound(sealed);
      throw new Error('the value is not sealed for any place');
    }
    const wrapped = sealed.subarray(MAGIC.length, MAGIC.length + WRAPPED_BYTES);
    const key = this.unwrap(wrapped, place.organizationId);
    return openBytes(sealed.subarray(MAGIC.length + WRAPPED_BYTES), key, associatedData(place));
  }

  private readUnbound(sealed: Buffer): Buffer {
    for (const master of this.masters.values()) {
      try {
        return openBytes(sealed, master, null);
      } catch {
        // Another master key may have sealed it; without one the value is refused below.
      }
    }
    throw new Error('no master key opens the value');
  }

  private unwrap(wrapped: Buffer, organizationId: string): Buffer {
    const master = this.masterOf(wrapped);
    if (!master) throw new Error('the data key is wrapped by an unknown master key');
    return openBytes(wrapped.subarray(MASTER_ID_BYTES), master, dataKeyPlace(organizationId));
  }
}

function isEnvelope(bytes: Buffer): boolean {
  return bytes.length > MAGIC.length + WRAPPED_BYTES && bytes.subarray(0, MAGIC.length).equals(MAGIC);
}

/** JSON, so that no two places have one form. */
function associatedData({ organizationId, table, row, column }: SecretPlace): Buffer {
  return Buffer.from(JSON.stringify([organizationId, table, row, column]));
}

function dataKeyPlace(organizationId: string): Buffer {
  return Buffer.from(JSON.stringify([organizationId, 'data_key']));
}

/** Identifies the master key that wrapped a data key, and shows nothing else of it. */
function idOf(masterKey: Buffer): Buffer {
  return createHash('sha256').update('master key id').update(masterKey).digest().subarray(0, MASTER_ID_BYTES);
}
