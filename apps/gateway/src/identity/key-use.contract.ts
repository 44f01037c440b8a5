/** Takes note of keys that were used with success; `lastUsedAt` shows it within a few seconds. */
export interface KeyUses {
  /** @param address where the request came from; text that is no IP address is not kept */
  record(keyId: string, address: string): void;
}

/** Token of `KeyUses`. */
export const KEY_USES = Symbol('KeyUses');
