import type { OptOutSource } from '@switchboard/contracts/contacts/http';

/** An opt-out of a contact; its id carries its time. */
export interface OptOut {
  readonly id: string;
  /** A channel, or `ALL_CHANNELS`. */
  readonly channelId: string;
  readonly source: OptOutSource;
  readonly reason: string | null;
}

/** What was applied to a contact, so that it is applied once; what the upstream reported, in its own order too. */
export interface AppliedStatements {
  /** Ids of the last changes of number. */
  readonly moves: readonly string[];
  /** When the last of them was, by the upstream's time: since then it has its number. Absent: an earlier release applied it, or there is none. */
  readonly movedAt?: string;
  /**
   * By channel: when a preference was last stated, and all statements of that moment; none where only the moment is known, of which
   * every statement was applied then. `order`: of the one that holds, where it is known.
   */
  readonly preferences: Readonly<
    Record<string, { readonly at: string; readonly ids: readonly string[]; readonly order?: string }>
  >;
  /** The last erased contacts, as `groupId` of what is held of them, whose opt-outs were taken over. */
  readonly takenGroups?: readonly string[];
}

/** An alias that led to a contact until a moment, by our clock; then it was free, or another contact's. */
export interface FormerAlias {
  readonly organizationId: string;
  readonly contactId: string;
  readonly alias: string;
  readonly until: Date;
  /** ISO 8601, by the upstream: when the person's number changed. Absent: it was given up in another way. */
  readonly movedAt?: string;
}

/** By channel: when a preference was last stated, ISO 8601; under `ERASED`, when the contact was erased. */
export type StatedTimes = Readonly<Record<string, string>>;

/** Consent, of a contact or without one. */
export type Consent = Pick<Contact, 'appliedStatements' | 'optOuts'>;

/** What is held for an alias since the contact that had it was erased, or gave it up. */
export interface HeldConsent {
  readonly optOuts: readonly Pick<OptOut, 'channelId' | 'source'>[];
  readonly statedAt: StatedTimes;
  /** The same under every alias that the erased contact had; null: it was held before there were groups, or there is no opt-out. */
  readonly groupId: string | null;
}

/** A contact with all that its changes depend on. */
export interface Contact {
  readonly organizationId: string;
  readonly id: string;
  /** E.164 as first seen; empty when only an id of the upstream is known. */
  readonly phone: string;
  /** What it is found by, sorted: every E.164 form of its number, and the upstream's own ids as `user:…`. */
  readonly aliases: readonly string[];
  readonly messagingId: string;
  readonly name: string | null;
  readonly email: string | null;
  /** In the order of their ids: oldest first. */
  readonly optOuts: readonly OptOut[];
  readonly appliedStatements: AppliedStatements | null;
  /** The contact of the same person that goes on; null: it goes on itself. A merged contact has no aliases and no opt-outs. */
  readonly mergedInto: string | null;
  /** Grows with each change: by one, and after a restore once to above its floor. */
  readonly version: number;
  /** The version that other services may hold of a state that this database has lost; 0 before the first restore. */
  readonly versionFloor: number;
  readonly updatedAt: Date;
}
