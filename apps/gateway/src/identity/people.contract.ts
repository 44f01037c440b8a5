import type { Scope } from './admission.contract.js';
import type { SecondFactors } from './second-factor.contract.js';
import type { ActSource, NewSession, OrganizationName, Role, SignedIn, User } from './signed-in.contract.js';

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
  /**
   * Which of these have not ended, by whatever, and have the second factor that their organization requires; exact, and no use
   * of them.
   *
   * @param sessionIds at most some thousand
   */
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
   * @param attempt `formerSecret`: of a session that the browser still shows, perhaps another person's; it ends, as
   * by signing out. `code`: of the second factor, for those who have one: six digits, or a recovery code
   * @throws AppError SECOND_FACTOR_REQUIRED, SECOND_FACTOR_INVALID after a right password; UNAUTHORIZED, the same in words
   * and time for an unknown address and a wrong password; RATE_LIMITED after too many attempts; FORBIDDEN for a person who
   * belongs to no organization; SERVICE_UNAVAILABLE when too many passwords are being checked
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
   * Changes the password, ends every other session of the person, forgets all other browsers and gives this one a new secret.
   *
   * @throws AppError VALIDATION_FAILED for a wrong current password or a new one that is refused; RATE_LIMITED; CONFLICT
   */
  changePassword(
    signedIn: SignedIn,
    change: { readonly current: string; readonly next: string },
    source: ActSource,
  ): Promise<NewSession>;
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
   * Changes a member's role and ends their sessions in the organization. A change of one's own role renews the session's secret.
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
   * @throws AppError FORBIDDEN for a role above one's own; CONFLICT for a member; PAYMENT_REQUIRED when no seat is left
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
   * invited address; `name`: null for the address; of an account only where it goes by its address
   * @throws AppError NOT_FOUND for an invitation that does not exist (any more), or whose maker may no longer invite in that
   * role; UNAUTHORIZED for an account that is not signed in to; VALIDATION_FAILED for a new password that is refused;
   * RATE_LIMITED; CONFLICT; PAYMENT_REQUIRED; SERVICE_UNAVAILABLE
   */
  accept(
    acceptance: {
      readonly secret: string;
      readonly name: string | null;
      readonly password: string | null;
      /** Of the second factor, next to the password of a person who has one. */
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
