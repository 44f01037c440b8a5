import type { Scope } from './admission.contract.js';

/** What a member may do, the most powerful first. Source: docs/api-behaviour.md#app-roles. */
export const roles = ['OWNER', 'ADMIN', 'MEMBER'] as const;

/** One role. */
export type Role = (typeof roles)[number];

/** A person. */
export interface User {
  readonly id: string;
  /** In small letters. */
  readonly email: string;
  readonly name: string;
}

/** An organization by name. */
export interface OrganizationName {
  readonly id: string;
  readonly name: string;
}

/** An open session: its person, organization and role. */
export interface SignedIn {
  readonly sessionId: string;
  readonly user: User;
  readonly organization: OrganizationName;
  readonly role: Role;
  readonly secondFactor: SecondFactorNeed;
}

/** Whether a person has a second factor, and whether the organization of the session requires one. */
export interface SecondFactorNeed {
  readonly isEnabled: boolean;
  readonly isRequired: boolean;
}

/** A session that was just made, or was given a new secret. */
export interface NewSession {
  /** 256 bits, base64url; shown once, and stored as a hash alone. */
  readonly secret: string;
  readonly signedIn: SignedIn;
  /** Lets the browser have attempts of its own from now on; null: it keeps the one that it has. */
  readonly deviceCookie: string | null;
}

/** What a browser says of itself. */
export interface Browser {
  readonly userAgent: string | null;
  /** The cookie of `NewSession.deviceCookie`, if it has one. */
  readonly deviceCookie: string | null;
}

/** Where a security-relevant act came from, for the audit log. */
export interface ActSource {
  readonly address: string;
  /** 32 hex digits. */
  readonly traceId: string;
  /** Absent for what is no request. */
  readonly browser?: Browser;
}

/** A session as its person sees it. */
export interface OwnSession {
  readonly id: string;
  /** In a few words; null where the program says nothing of itself. */
  readonly device: string | null;
  /** That it was used from last. */
  readonly address: string | null;
  readonly organization: OrganizationName;
  /** When the password was given. */
  readonly createdAt: Date;
  /** At most a minute late. */
  readonly lastUsedAt: Date;
  /** Whether it is the one that asks. */
  readonly isCurrent: boolean;
}

/** The open sessions. */
export interface Sessions {
  /**
   * The session of a secret; null when no session has it, or it has ended by time, sign-out or removal. Exact: nothing is
   * cached. Moves the session's last use on, at most once a minute, with the address that it comes from.
   */
  find(secret: string, address?: string): Promise<SignedIn | null>;
  /** Which of these have not ended, by whatever; exact, and no use of them. @param sessionIds at most some thousand */
  stillOpen(sessionIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** The open sessions of the person, in all organizations. */
  list(signedIn: SignedIn, page: PageInput): Promise<PageOf<OwnSession>>;
  /**
   * Ends one of the person's sessions, in whatever organization.
   *
   * @throws AppError NOT_FOUND for one that is not theirs; UNAUTHORIZED when the acting session ended meanwhile
   */
  endOne(signedIn: SignedIn, id: string, source: ActSource): Promise<void>;
  /** The organizations of a person, by name. */
  organizationsOf(userId: string): Promise<readonly (OrganizationName & { readonly role: Role })[]>;
  /** Ends one session. @throws AppError UNAUTHORIZED when it ended meanwhile, or goes on under another secret */
  end(signedIn: SignedIn, source: ActSource): Promise<void>;
  /** Ends every session of the person, in all organizations. @throws AppError UNAUTHORIZED when this one ended meanwhile */
  endEverywhere(signedIn: SignedIn, source: ActSource): Promise<void>;
  /**
   * Goes on in another organization, with a new secret.
   *
   * @throws AppError NOT_FOUND when the person does not belong there; UNAUTHORIZED when the session ended meanwhile
   */
  switchOrganization(signedIn: SignedIn, organizationId: string, source: ActSource): Promise<NewSession>;
}

/** Passwords in exchange for sessions. */
export interface SignIn {
  /**
   * Begins a session in the organization that the person used last, else in the one they joined first.
   *
   * @param attempt `formerSecret`: of a session that the browser still shows; it ends
   * @param attempt `code`: of the second factor, for those who have one: six digits, or a recovery code
   * @throws AppError SECOND_FACTOR_REQUIRED, SECOND_FACTOR_INVALID after a right password; UNAUTHORIZED, the same in words and time for an unknown address and a wrong password; RATE_LIMITED
   * after too many attempts; FORBIDDEN for a person who belongs to no organization; SERVICE_UNAVAILABLE when too many
   * passwords are being checked
   */
  signIn(
    attempt: {
      readonly email: string;
      readonly password: string;
      readonly code?: string | null;
      readonly formerSecret: string | null;
    },
    source: ActSource,
  ): Promise<NewSession>;
  /**
   * Changes the password, ends every other session of the person and gives this one a new secret.
   *
   * @throws AppError VALIDATION_FAILED for a wrong current password or a new one that is refused; RATE_LIMITED; CONFLICT
   */
  changePassword(
    signedIn: SignedIn,
    change: { readonly current: string; readonly next: string },
    source: ActSource,
  ): Promise<NewSession>;
}

/** A second factor that waits for its first code. */
export interface NewSecondFactor {
  /** 160 bits in base 32; shown once, and stored sealed. */
  readonly seed: string;
  /** `otpauth://totp/…` */
  readonly uri: string;
}

/** The second factor of a person, from within a session. */
export interface SecondFactorState {
  /** Null: signing in asks for no code. */
  readonly enabledAt: Date | null;
  readonly recoveryCodesLeft: number;
  /** By the organization of the session. */
  readonly isRequired: boolean;
}

/** What proves that a person is the one of the session. */
export interface SecondFactorProof {
  readonly password: string;
  /** Six digits, or a recovery code; each is taken once. */
  readonly code: string;
}

/**
 * Second factors: codes by time (RFC 6238) with recovery codes. A wrong password is VALIDATION_FAILED, a wrong or used code
 * SECOND_FACTOR_INVALID, both are RATE_LIMITED; UNAUTHORIZED when the session ended meanwhile.
 */
export interface SecondFactors {
  state(signedIn: SignedIn): Promise<SecondFactorState>;
  /** Makes a seed, in place of one that waits. @throws AppError CONFLICT when a factor is enabled */
  begin(signedIn: SignedIn, password: string, source: ActSource): Promise<NewSecondFactor>;
  /**
   * Enables the one that waits, by its first code, and ends all other sessions of the person.
   *
   * @returns recovery codes, which are shown once
   * @throws AppError CONFLICT when none waits
   */
  enable(signedIn: SignedIn, code: string, source: ActSource): Promise<readonly string[]>;
  /** @throws AppError CONFLICT when there is none */
  disable(signedIn: SignedIn, proof: SecondFactorProof, source: ActSource): Promise<void>;
  /** Makes recovery codes in place of the former ones. @throws AppError CONFLICT when there is no factor */
  renewRecoveryCodes(signedIn: SignedIn, proof: SecondFactorProof, source: ActSource): Promise<readonly string[]>;
  /**
   * Says whether every member of the organization must have one, from their next request on.
   *
   * @throws AppError FORBIDDEN for all but owners; UNAUTHORIZED when the session ended meanwhile
   */
  requireIn(signedIn: SignedIn, isRequired: boolean, source: ActSource): Promise<void>;
}

/** A person's membership of an organization. */
export interface Member {
  /** Of the membership, not of the person. */
  readonly id: string;
  readonly user: User;
  readonly role: Role;
  readonly createdAt: Date;
}

/** Which part of a list is asked for: newest first, after the cursor. */
export interface PageInput {
  readonly limit: number;
  readonly cursor: string | null;
}

/** A part of a list; `nextCursor` is absent at the end. */
export interface PageOf<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string;
}

/**
 * The members of an organization. Owners manage all members, administrators all but owners. The role of the acting person is
 * read when the change is made, not when the request came: UNAUTHORIZED when their session has ended since.
 */
export interface Members {
  list(organizationId: string, page: PageInput): Promise<PageOf<Member>>;
  /**
   * Changes a member's role and ends their sessions in the organization. A change of the own role renews the session's secret.
   *
   * @throws AppError NOT_FOUND; FORBIDDEN; CONFLICT when no owner would remain
   */
  changeRole(
    signedIn: SignedIn,
    change: { readonly id: string; readonly role: Role },
    source: ActSource,
  ): Promise<{ readonly member: Member; readonly renewed: NewSession | null }>;
  /** Ends a membership and its sessions. @throws AppError NOT_FOUND; FORBIDDEN; CONFLICT when no owner would remain */
  remove(signedIn: SignedIn, id: string, source: ActSource): Promise<void>;
}

/** An invitation that is open. */
export interface Invite {
  readonly id: string;
  /** In small letters. */
  readonly email: string;
  readonly role: Role;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Invitations to an organization; as with members, the session must not have ended when the change commits. */
export interface Invites {
  /** Those that can still be accepted. */
  list(organizationId: string, page: PageInput): Promise<PageOf<Invite>>;
  /**
   * Invites an address for seven days; an earlier invitation of it ends.
   *
   * @returns with the secret, which is shown once
   * @throws AppError FORBIDDEN for a role beyond the own; CONFLICT for a member; PAYMENT_REQUIRED when no seat is left
   */
  create(
    signedIn: SignedIn,
    input: { readonly email: string; readonly role: Role },
    source: ActSource,
  ): Promise<Invite & { readonly secret: string }>;
  /** Takes an invitation back. @throws AppError NOT_FOUND; FORBIDDEN */
  revoke(signedIn: SignedIn, id: string, source: ActSource): Promise<void>;
  /**
   * Makes the invited person a member, once, and signs them in there. A person without an account gets one; one who has an
   * account signs in to it, by its password or by a session of it.
   *
   * Whoever holds the secret learns as little as possible about the address: a password that no new account may have is
   * refused alike whether there is an account or not, and so are too many attempts.
   *
   * @param acceptance `password`: the one they have, or the one they want; null with `formerSecret` of a session of the
   * invited address; `name`: null for the address
   * @throws AppError NOT_FOUND for an invitation that does not exist (any more), or whose maker may no longer invite in that
   * role; UNAUTHORIZED for an account that is not signed in to; VALIDATION_FAILED for a new password that is refused;
   * RATE_LIMITED; CONFLICT; PAYMENT_REQUIRED; SERVICE_UNAVAILABLE
   */
  accept(
    acceptance: {
      readonly secret: string;
      readonly name: string | null;
      readonly password: string | null;
      /** Of the second factor, next to the password of somebody who has one. */
      readonly code?: string | null;
      readonly formerSecret: string | null;
    },
    source: ActSource,
  ): Promise<NewSession>;
}

/** What an organization pays for, with an operator's exceptions. */
export interface PlanState {
  readonly plan: string;
  readonly subscriptionStatus: 'ACTIVE' | 'PAST_DUE' | 'CANCELED';
  readonly requestsPerMinute: number;
  readonly requestBurst: number;
  readonly messagesPerMonth: number;
  readonly channels: number;
  readonly seats: number;
  readonly excludedScopes: readonly string[];
  /** Members and open invitations. */
  readonly seatsTaken: number;
}

/** All that the APIs use of people. */
export interface People {
  readonly sessions: Sessions;
  readonly signIn: SignIn;
  readonly secondFactors: SecondFactors;
  readonly members: Members;
  readonly invites: Invites;
  /** @throws Error for an organization that does not exist: a bug */
  planOf(organizationId: string): Promise<PlanState>;
  /** What admission says to a key, for a member: why the plan does not cover a scope, or null, and the quota's number. */
  paidFor(
    organizationId: string,
    scope: Scope,
  ): Promise<{ readonly refusal: string | null; readonly messagesPerMonth: number }>;
}

/** Token of `People`. */
export const PEOPLE = Symbol('People');
