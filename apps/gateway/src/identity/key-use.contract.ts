import type { Transaction } from '@switchboard/postgres';

/** Takes note of keys that were used with success; `lastUsedAt` shows it when it was written. */
export interface KeyUses {
  /** Whether none is to be written. */
  readonly isEmpty: boolean;
  /** @param address where the request came from; text that is no IP address is not kept */
  record(keyId: string, address: string): void;
  /** Writes what was recorded so far. @returns to be called when that may not be stored: it is written again with the next */
  writeAtCommit(tx: Transaction): () => void;
}

/** Token of `KeyUses`. */
export const KEY_USES = Symbol('KeyUses');
