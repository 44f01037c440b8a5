import type { Cuid } from './cuid.js';

/** From where somebody acts, as the gateway knows it, and the act's id. */
interface ActOrigin {
  /** Minted by the gateway, the same whenever it asks again: the act's event has it, and is in the log once. */
  readonly actId: Cuid;
  /** Null: from inside. */
  readonly address: string | null;
  /** 32 hex digits. */
  readonly traceId: string | null;
}

/** A signed-in user who acts. */
export interface UserActor extends ActOrigin {
  readonly userId: Cuid;
  /** As the user was called then. */
  readonly email: string;
}

/** An API key by which somebody acts. */
export interface KeyActor extends ActOrigin {
  readonly keyId: Cuid;
}

/** Who acts, for the audit log. */
export type AuditedActor = UserActor | KeyActor;

/**
 * A request for an act that the audit log holds: the act's event is committed with the act, and once, however often it is asked for.
 * `by` is absent from a gateway of the release before, which writes the log alone.
 */
export interface AuditedRequest<By extends AuditedActor = AuditedActor> {
  readonly by?: By;
}

/** What the audit log says of an act. */
export interface ActFacts<Action extends string, By extends AuditedActor = AuditedActor> {
  readonly action: Action;
  /** Null: there was nothing. */
  readonly before: Readonly<Record<string, unknown>> | null;
  /** Null: there is nothing left. */
  readonly after: Readonly<Record<string, unknown>> | null;
  readonly by: By;
}

/** Whether an act has left all that the audit log shows of it as it was: there is nothing to be written. */
export function changesNothing({ before, after }: Pick<ActFacts<string>, 'before' | 'after'>): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}
