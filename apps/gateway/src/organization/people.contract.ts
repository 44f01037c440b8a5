/** What a member may do, the most powerful first. Source: decisions, "The application". */
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

/** A session that stands: who is signed in, where, and as what. */
export interface SignedIn {
  readonly sessionId: string;
  readonly user: User;
  readonly organization: OrganizationName;
  readonly role: Role;
}

/** A session that was just made, or was given a new secret. */
export interface NewSession {
  /** 256 bits, base64url; told once and stored as a hash alone. */
  readonly secret: string;
  readonly signedIn: SignedIn;
}

/** Where a security-relevant act came from, for the audit log. */
export interface ActSource {
  readonly address: string;
  /** 32 hex digits. */
  readonly traceId: string;
}

/** Sessions that stand. */
export interface Sessions {
  /**
   * Who shows this secret; null when no session has it, or it has ended by time, sign-out or removal. Exact: nothing is
   * cached. Moves the session's last use on, at most once a minute.
   */
  find(secret: string): Promise<SignedIn | null>;
  /** What the person belongs to, by name. */
  organizationsOf(userId: string): Promise<readonly (OrganizationName & { readonly role: Role })[]>;
  /** Ends one session. */
  end(signedIn: SignedIn, source: ActSource): Promise<void>;
  /** Ends every session of the person, in all organizations. */
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
   * Begins a session in the organization that the person joined first.
   *
   * @param attempt `formerSecret`: of a session that the browser still shows; it ends
   * @throws AppError UNAUTHORIZED, the same in words and time for an unknown address and a wrong password; RATE_LIMITED
   * after too many guesses; FORBIDDEN for somebody who belongs to no organization; SERVICE_UNAVAILABLE when too many
   * passwords are being checked
   */
  signIn(
    attempt: { readonly email: string; readonly password: string; readonly formerSecret: string | null },
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

/** Everything that the edge knows of people. */
export interface People {
  readonly sessions: Sessions;
  readonly signIn: SignIn;
}

/** Token of `People`. */
export const PEOPLE = Symbol('People');
