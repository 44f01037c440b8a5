import type { AuditedActor, UserActor } from '@switchboard/contracts/grammar/audited-act';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Act } from '../identity/audit.contract.js';

/**
 * Who acts, for the service that commits the act with its event: of one act, and the same when it is asked for again.
 *
 * @returns undefined for what neither a user nor a key does
 */
export function actorOf(act: Act): AuditedActor | undefined {
  const { actor, address, traceId } = act;
  if (actor.type === 'key') return { actId: newCuid(), keyId: actor.id, address, traceId };
  return sessionActorOf(act);
}

/** As `actorOf`, of an act in a session. */
export function sessionActorOf({ actor, address, traceId }: Act): UserActor | undefined {
  if (actor.type !== 'user') return undefined;
  return { actId: newCuid(), userId: actor.id, email: actor.email, address, traceId };
}
