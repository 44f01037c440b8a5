import type { ClaimedKey, KeyClaim, KeyName, TakenKey } from './idempotency-key.repository.js';

/** A message that wants to be sent, with or without a key. */
export interface ClaimingMessage {
  readonly organizationId: string;
  readonly messageId: string;
  readonly claim?: KeyClaim | undefined;
}

/** Whose keys are, while messages are let through one after the other: a key belongs to the first that passes. */
export class KeyHolders {
  private readonly holders: Map<string, TakenKey>;

  /** @param taken what is stored under the messages' keys */
  constructor(taken: readonly TakenKey[]) {
    this.holders = new Map(taken.map((key) => [nameOf(key), key]));
  }

  /** Who has the message's key, when another does. One that is stored under its own id is never in its own way. */
  otherThan(message: ClaimingMessage): TakenKey | null {
    const [claimed] = claimedKeysOf(message);
    const holder = claimed && this.holders.get(nameOf(claimed));
    return holder && holder.messageId !== message.messageId ? holder : null;
  }

  /** The message has passed, and its key is its own. */
  take(message: ClaimingMessage): void {
    for (const claimed of claimedKeysOf(message)) {
      this.holders.set(nameOf(claimed), { ...claimed, answer: null, ageMs: 0 });
    }
  }
}

/** The message's claim with whose it is; none when it claims nothing. */
export function claimedKeysOf({ organizationId, messageId, claim }: ClaimingMessage): ClaimedKey[] {
  return claim ? [{ organizationId, messageId, ...claim }] : [];
}

function nameOf({ organizationId, keySha256 }: KeyName): string {
  return `${organizationId} ${keySha256}`;
}
