import type { AuditEntry } from '../../api/api.generated.js';
import { mayBeDone, problemOf } from '../../api/problem.js';

/** Webhooks whose secret may have been replaced: no answer says so, or it is awaited. It outlives the panel, which goes with its tab. */
const inDoubt = new Set<string>();

/**
 * Rotates a webhook's secret, and keeps in mind whether that may have happened without an answer: a second rotation would make the
 * secret that no one has seen the previous one, and the one that the receiver has would sign nothing any more.
 */
export async function rotateOnce<Secret>(id: string, rotate: () => Promise<Secret>): Promise<Secret> {
  inDoubt.add(id);
  try {
    const made = await rotate();
    inDoubt.delete(id);
    return made;
  } catch (error) {
    if (!mayBeDone(problemOf(error))) inDoubt.delete(id);
    throw error;
  }
}

/** Whether the secret may be another one than was last seen. */
export function isRotationInDoubt(id: string): boolean {
  return inDoubt.has(id);
}

/** The present secret has been seen. */
export function settleRotation(id: string): void {
  inDoubt.delete(id);
}

/** Until when the secret before an earlier rotation signs too; null when none does. @param entries of `webhook.secret-rotated` */
export function previousSignsUntil(entries: readonly AuditEntry[], id: string, now: number): string | null {
  const times = entries
    .filter(({ after }) => after?.['id'] === id)
    .map(({ after }) => after?.['previousSecretValidUntil'])
    .filter((until): until is string => typeof until === 'string' && Date.parse(until) > now);
  return times.toSorted().at(-1) ?? null;
}
