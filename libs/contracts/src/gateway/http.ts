import type { Cuid } from '../grammar/cuid.js';
import type { Int } from '../grammar/int.js';
import type { IsoTime } from '../grammar/iso-time.js';

/** The answer to `GET /v1/ping`. Source: docs/api-behaviour.md#ping. */
export interface PingView {
  /** Always true: the key is good. */
  readonly ok: true;
  /** The organization that the key acts for. */
  readonly organizationId: Cuid;
}

/** What a member may do. Source: docs/api-behaviour.md#app-roles. */
export type RoleView = 'OWNER' | 'ADMIN' | 'MEMBER';

/** A person as the application shows them. */
export interface UserView {
  /** The id of the person. */
  readonly id: Cuid;
  /** In small letters. */
  readonly email: string;
  /** The name of the person. */
  readonly name: string;
}

/** An organization that the person belongs to. */
export interface OwnOrganizationView {
  /** The id of the organization. */
  readonly id: Cuid;
  /** The name of the organization. */
  readonly name: string;
  /** The person's role in it. */
  readonly role: RoleView;
}

/** Who is signed in, and where; the answer of everything that begins or changes a session. */
export interface SessionView {
  /** The person that is signed in. */
  readonly user: UserView;
  /** The organization that the session acts for. */
  readonly organization: {
    /** The id of the organization. */
    readonly id: Cuid;
    /** The name of the organization. */
    readonly name: string;
  };
  /** The person's role in the organization. */
  readonly role: RoleView;
  /** Goes into the header `X-CSRF-Token` of every request that is not a GET; changes with the session. */
  readonly csrfToken: string;
  /** Whether the person has one, and whether the organization requires one: then, without it, they can only enable it. */
  readonly secondFactor: {
    /** Whether signing in asks for a code. */
    readonly isEnabled: boolean;
    /** Whether the organization of the session requires one. */
    readonly isRequired: boolean;
  };
  /** All that the person belongs to, by name. */
  readonly organizations: readonly OwnOrganizationView[];
}

/** The second factor of the person. */
export interface SecondFactorView {
  /** Whether signing in asks for a code. */
  readonly isEnabled: boolean;
  /** Whether the organization of the session requires one. */
  readonly isRequired: boolean;
  /** When its first code was given; null where signing in asks for none. */
  readonly enabledAt: IsoTime | null;
  /** Each can be used once, in place of a code. */
  readonly recoveryCodesLeft: Int;
}

/** A second factor that waits for its first code; shown once. */
export interface NewSecondFactorView {
  /** In base 32: what an authenticator app asks for. */
  readonly seed: string;
  /** The same as an address `otpauth://totp/…`, mostly shown as a QR code. */
  readonly uri: string;
}

/** Codes for when the authenticator is lost; shown once. */
export interface RecoveryCodesView {
  /** Ten, each of which can be used once. */
  readonly recoveryCodes: readonly string[];
}

/** The organization of the session. */
export interface OrganizationView {
  /** The organization's own. */
  readonly id: Cuid;
  /** Its name. */
  readonly name: string;
  /** Whether every member must have a second factor. */
  readonly isSecondFactorRequired: boolean;
}

/** One of the open sessions of the person. */
export interface OwnSessionView {
  /** The session's own. */
  readonly id: Cuid;
  /** The browser and its system in a few words, as it says itself; null where it says nothing. */
  readonly device: string | null;
  /** The network address that it was used from last. */
  readonly address: string | null;
  /** The organization that it is in. */
  readonly organization: {
    /** The organization's own. */
    readonly id: Cuid;
    /** Its name. */
    readonly name: string;
  };
  /** When the password was given. */
  readonly createdAt: IsoTime;
  /** At most a minute late. */
  readonly lastUsedAt: IsoTime;
  /** Whether it is the session that asks. */
  readonly isCurrent: boolean;
}

/** A member of the organization. */
export interface MemberView {
  /** Of the membership, not of the person. */
  readonly id: Cuid;
  /** The person. */
  readonly user: UserView;
  /** What the member may do. */
  readonly role: RoleView;
  /** When the person joined. */
  readonly createdAt: IsoTime;
}

/** An invitation that is open. */
export interface InviteView {
  /** The id of the invitation. */
  readonly id: Cuid;
  /** The address of the invited person. */
  readonly email: string;
  /** The role that the person gets. */
  readonly role: RoleView;
  /** When it was made. */
  readonly createdAt: IsoTime;
  /** Until when it can be accepted. */
  readonly expiresAt: IsoTime;
}

/** An invitation as its maker sees it, once. */
export interface NewInviteView extends InviteView {
  /** A secret for the invited person alone: its holder can accept the invitation. */
  readonly link: string;
  /** What the link carries behind its `#`. */
  readonly token: string;
}

/** A recipient of the sandbox that behaves in a way of its own. */
export interface SandboxRecipientView {
  /** Its number, E.164. */
  readonly phone: string;
  /** What becomes of a message to it. */
  readonly effect: string;
}

/** What the sandbox of the local run offers. */
export interface SandboxView {
  /** The numbers to which messages go in a way of their own. */
  readonly recipients: readonly SandboxRecipientView[];
}

/** What the organization pays for. Source: docs/api-behaviour.md#plans. */
export interface PlanView {
  /** The name of the plan. */
  readonly plan: string;
  /** Whether the subscription is paid for. */
  readonly subscriptionStatus: 'ACTIVE' | 'PAST_DUE' | 'CANCELED';
  /** With an operator's exceptions for this organization. */
  readonly limits: PlanLimitsView;
  /** Scopes that the plan does not include. */
  readonly excludedScopes: readonly string[];
  /** Members and open invitations. */
  readonly seatsTaken: Int;
  /** This month's messages; null while the count is not available. */
  readonly usage: PlanUsageView | null;
}

/** What was used of a month's messages. */
export interface PlanUsageView {
  /** In UTC: `YYYY-MM`. */
  readonly month: string;
  /** Outbound messages that count in the month. */
  readonly messages: Int;
}

/** The numbers of a plan. */
export interface PlanLimitsView {
  /** Requests in a minute, over all keys. */
  readonly requestsPerMinute: Int;
  /** Requests that an organization at rest may make at once. */
  readonly requestBurst: Int;
  /** Outbound messages in a UTC month. */
  readonly messagesPerMonth: Int;
  /** Connected channels. */
  readonly channels: Int;
  /** Members and open invitations. */
  readonly seats: Int;
}

/** An API key as the application lists it. Source: docs/api-behaviour.md#app-keys. */
export interface ApiKeyView {
  /** The id of the key. */
  readonly id: Cuid;
  /** What the key is for; seen in the application alone. */
  readonly label: string;
  /** The first 12 characters of the secret, to find it again in one's own configuration. */
  readonly prefix: string;
  /** Null: all scopes. */
  readonly scopes: readonly string[] | null;
  /** Whether the key can be used. */
  readonly status: 'ACTIVE' | 'REVOKED';
  /** When it was made. */
  readonly createdAt: IsoTime;
  /** As they were called then; null for a key that no user made. */
  readonly createdBy: {
    /** The id of the person. */
    readonly id: Cuid;
    /** The email address of the person. */
    readonly email: string;
  } | null;
  /** Of the last request that was answered 2xx; at most 5 s late. */
  readonly lastUsedAt: IsoTime | null;
  /** Where that request came from. */
  readonly lastUsedAddress: string | null;
  /** When it was revoked; null while it is active. */
  readonly revokedAt: IsoTime | null;
}

/** An API key as its maker sees it, once. */
export interface NewApiKeyView extends ApiKeyView {
  /** The key itself. It is not stored and never shown again. */
  readonly secret: string;
  /** What the maker should think of; null mostly. */
  readonly hint: string | null;
}

/** One act of the audit log. */
export interface AuditEntryView {
  /** Counts from 1 without a gap within the organization. */
  readonly sequence: Int;
  /** For example `api-key.revoked`. */
  readonly action: string;
  /** Who did it, as they were called then: an API key has its id, an operator has the name of his account as id, the platform itself nothing. */
  readonly actor: {
    /** What kind of actor it was. */
    readonly type: 'user' | 'key' | 'operator' | 'system';
    /** The id of the actor; null for the platform itself. */
    readonly id: string | null;
    /** The email address of a user; null for others. */
    readonly email: string | null;
  };
  /** Where the request came from. */
  readonly address: string | null;
  /** The request's `X-Request-Id`. */
  readonly traceId: string | null;
  /** When it happened. */
  readonly at: IsoTime;
  /** The values before the act; null when there were none. */
  readonly before: Readonly<Record<string, unknown>> | null;
  /** The state after the act; null: deleted. */
  readonly after: Readonly<Record<string, unknown>> | null;
  /** 64 hex digits over this act and all before it. */
  readonly hash: string;
}
