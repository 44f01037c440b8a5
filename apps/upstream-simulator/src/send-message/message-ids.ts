import { randomFillSync } from 'node:crypto';

const ID_BYTES = 24;
const POOL_BYTES = ID_BYTES * 256;

/**
 * Makes the provider's message ids: `wamid.HBgL` and 32 characters of base64, 192 random bits, so that ids do not repeat
 * across restarts either. Randomness is drawn for 256 ids at a time: one system call each would show under load.
 */
export class MessageIds {
  readonly #pool = Buffer.alloc(POOL_BYTES);
  #used = POOL_BYTES;

  /** A new id. */
  next(): string {
    if (this.#used === POOL_BYTES) {
      randomFillSync(this.#pool);
      this.#used = 0;
    }
    const id = `wamid.HBgL${this.#pool.toString('base64', this.#used, this.#used + ID_BYTES)}`;
    this.#used += ID_BYTES;
    return id;
  }
}
