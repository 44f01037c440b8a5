import type { Incarnation } from '@switchboard/nats';

/** An incarnation as the database holds it. */
export interface OwnIncarnation extends Incarnation {
  /** The token before: the broker's while the present one is on its way there. */
  readonly previousToken: string | null;
}

/**
 * What a comparison says of the database.
 *
 * - `first`: it was never compared; whatever the broker holds, nothing is known.
 * - `same`: it is the one that was shown to the broker last.
 * - `restored`: the broker was shown a newer one, so this one is from a backup.
 * - `ahead`: the broker has an older one, or none: it has lost some of its memory.
 */
export type Comparison = 'first' | 'same' | 'restored' | 'ahead';

/**
 * Compares a database with the broker's copy. A service writes the next token only when the broker has the present one, so
 * that a database that goes on is never behind, and ahead by one token at most.
 */
export function compareIncarnations(own: OwnIncarnation | undefined, mirror: Incarnation | null): Comparison {
  if (!own) return 'first';
  if (!mirror) return 'ahead';
  if (mirror.token === own.token || mirror.token === own.previousToken) return 'same';
  return mirror.number < own.number ? 'ahead' : 'restored';
}
