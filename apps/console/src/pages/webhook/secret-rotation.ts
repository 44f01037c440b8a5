import type { AuditEntry } from '../../api/api.generated.js';
import { mayBeDone, problemOf } from '../../api/problem.js';
import { Watchers } from '../../api/watchers.js';

/** What is known of a webhook's rotations. */
export interface Rotation {
  /** `doubtful`: no answer says whether one was made. */
  readonly state: 'idle' | 'pending' | 'doubtful';
  /** Rotations that were made in this page: a secret that was revealed before the last of them is not the present one. */
  readonly made: number;
}

const NONE: Rotation = { state: 'idle', made: 0 };
/** By webhook. It outlives the panel, which goes with its tab. */
const rotations = new Map<string, Rotation>();
const watchers = new Watchers();

/** The same object until it changes. */
export function rotationOf(id: string): Rotation {
  return rotations.get(id) ?? NONE;
}

/** Calls back after each change. @returns ends it */
export const watchRotations: Watchers['watch'] = watchers.watch;

/**
 * Rotates a webhook's secret, and keeps in mind whether that may have happened without an answer: a second rotation would make the
 * secret that no one has seen the previous one, and the one that the receiver has would sign nothing any more.
 */
export async function rotateOnce<Secret>(id: string, rotate: () => Promise<Secret>): Promise<Secret> {
  const { made } = rotationOf(id);
  change(id, { state: 'pending', made });
  try {
    const secret = await rotate();
    change(id, { state: 'idle', made: made + 1 });
    return secret;
  } catch (error) {
    change(id, { state: mayBeDone(problemOf(error)) ? 'doubtful' : 'idle', made });
    throw error;
  }
}

/** The present secret has been seen: that ends a doubt, but no rotation that is under way. */
export function settleRotation(id: string): void {
  const { state, made } = rotationOf(id);
  if (state === 'doubtful') change(id, { state: 'idle', made });
}

/** Until when the secret before an earlier rotation signs too; null when none does. @param entries of `webhook.secret-rotated` */
export function previousSignsUntil(entries: readonly AuditEntry[], id: string, now: number): string | null {
  const times = entries
    .filter(({ after }) => after?.['id'] === id)
    .map(({ after }) => after?.['previousSecretValidUntil'])
    .filter((until): until is string => typeof until === 'string' && Date.parse(until) > now);
  return times.toSorted().at(-1) ?? null;
}

function change(id: string, rotation: Rotation): void {
  rotations.set(id, rotation);
  watchers.announce();
}
