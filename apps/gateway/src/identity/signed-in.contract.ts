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

/** Half a year without a sign-in: then a browser is a stranger's again. */
export const DEVICE_KNOWN_MS = 180 * 86_400_000;

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
