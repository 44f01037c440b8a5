import type { ConsumerTopology } from '@switchboard/contracts/consumers';
import type { auditActions } from '@switchboard/contracts/gateway/audit-actions';
import type { AuditEntryView } from '@switchboard/contracts/gateway/http';
import type { AuditedActor } from '@switchboard/contracts/grammar/audited-act';
import type { Page } from '@switchboard/contracts/grammar/page';
import type { Transaction } from '@switchboard/postgres';

/** One of `auditActions`. */
export type AuditAction = (typeof auditActions)[number];

/** Who did it: a user as he was called then, an API key, an operator by the name of his account, or the platform by itself. */
export type AuditActor =
  | { readonly type: 'user'; readonly id: string; readonly email: string }
  | { readonly type: 'key'; readonly id: string }
  | { readonly type: 'operator'; readonly id: string | null }
  | { readonly type: 'system' };

/** The organization, the actor and the origin of an act: an argument of every use case that writes into the log. */
export interface Act {
  readonly organizationId: string;
  readonly actor: AuditActor;
  /** Where the request came from; text that is no IP address is not kept. Null: from inside. */
  readonly address: string | null;
  /** 32 hex digits, the request's `X-Request-Id`; null where there was none. */
  readonly traceId: string | null;
}

/** An act of a person in their session. */
export interface SessionAct extends Act {
  /** The session of the request; it must not have ended when the act commits. */
  readonly sessionId: string;
}

/** What an act changed, as JSON for readers of the log: never a secret, a hash or a token. */
export type AuditedState = Readonly<Record<string, unknown>> | null;

/** One act to be written. */
export interface NewAuditEntry extends Act {
  readonly action: AuditAction;
  /** Null: there was nothing. */
  readonly before: AuditedState;
  /** Null: there is nothing left. */
  readonly after: AuditedState;
}

/** Which part of the log is asked for. */
export interface AuditPageRequest {
  readonly organizationId: string;
  readonly limit: number;
  /** Of the page before. */
  readonly cursor: string | null;
  readonly action: AuditAction | null;
  /** An actor's id. */
  readonly actor: string | null;
  /** Inclusive. */
  readonly since: Date | null;
  /** Exclusive. */
  readonly until: Date | null;
}

/** Reads the log. */
export interface AuditLog {
  /** Newest first. */
  list(request: AuditPageRequest): Promise<Page<AuditEntryView>>;
}

/** Token of `AuditLog`. */
export const AUDIT_LOG = Symbol('AuditLog');

/** Writes into the log what other services have done. */
export interface AuditTrail {
  /**
   * Writes an act that another service has committed already; the caller answers only once it is in the log.
   *
   * @throws Error when it could not be written; the process's log then names the act
   */
  record(entry: NewAuditEntry): Promise<void>;

  /** Writes an act in the transaction that takes its event; of one organization a transaction. */
  append(tx: Transaction, entry: NewAuditEntry): void;

  /**
   * Writes an act whose event brings it, too: it is in the log once. An act that cannot be written now is, by its event.
   *
   * @param consumer of the act's event
   * @param by as the service was given it; absent: no event brings the act, which is written as `record` does
   */
  recordAct(consumer: ConsumerTopology, by: AuditedActor | undefined, entry: NewAuditEntry): Promise<void>;
}

/** Token of `AuditTrail`. */
export const AUDIT_TRAIL = Symbol('AuditTrail');
