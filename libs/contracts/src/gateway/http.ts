import type { Cuid } from '../grammar/cuid.js';
import type { Int } from '../grammar/int.js';
import type { IsoTime } from '../grammar/iso-time.js';

/** The answer to `GET /v1/ping`. Source: docs/api-behaviour.md#ping. */
export interface PingView {
  readonly ok: true;
  /** The organization that the key acts for. */
  readonly organizationId: Cuid;
}

/** What a member may do. Source: docs/api-behaviour.md#app-roles. */
export type RoleView = 'OWNER' | 'ADMIN' | 'MEMBER';

/** A person as the application shows them. */
export interface UserView {
  readonly id: Cuid;
  /** In small letters. */
  readonly email: string;
  readonly name: string;
}

/** An organization that the person belongs to. */
export interface OwnOrganizationView {
  readonly id: Cuid;
  readonly name: string;
  readonly role: RoleView;
}

/** Who is signed in, and where; the answer of everything that begins or changes a session. */
export interface SessionView {
  readonly user: UserView;
  readonly organization: { readonly id: Cuid; readonly name: string };
  readonly role: RoleView;
  /** Goes into the header `X-CSRF-Token` of every request that is not a GET; changes with the session. */
  readonly csrfToken: string;
  /** All that the person belongs to, by name. */
  readonly organizations: readonly OwnOrganizationView[];
}

/** A member of the organization. */
export interface MemberView {
  /** Of the membership, not of the person. */
  readonly id: Cuid;
  readonly user: UserView;
  readonly role: RoleView;
  readonly createdAt: IsoTime;
}

/** An invitation that is open. */
export interface InviteView {
  readonly id: Cuid;
  readonly email: string;
  readonly role: RoleView;
  readonly createdAt: IsoTime;
  readonly expiresAt: IsoTime;
}

/** An invitation as its maker sees it, once. */
export interface NewInviteView extends InviteView {
  /** A secret for the invited person alone: its holder can accept the invitation. */
  readonly link: string;
  /** What the link carries behind its `#`. */
  readonly token: string;
}

/** What the organization pays for. Source: docs/api-behaviour.md#plans. */
export interface PlanView {
  readonly plan: string;
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
  readonly messages: Int;
}

/** The numbers of a plan. */
export interface PlanLimitsView {
  readonly requestsPerMinute: Int;
  readonly requestBurst: Int;
  readonly messagesPerMonth: Int;
  readonly channels: Int;
  readonly seats: Int;
}

/** An API key as the application lists it. Source: docs/api-behaviour.md#app-keys. */
export interface ApiKeyView {
  readonly id: Cuid;
  readonly label: string;
  /** The first 12 characters of the secret, to find it again in one's own configuration. */
  readonly prefix: string;
  /** Null: all scopes. */
  readonly scopes: readonly string[] | null;
  readonly status: 'ACTIVE' | 'REVOKED';
  readonly createdAt: IsoTime;
  /** As they were called then; null for a key that no user made. */
  readonly createdBy: { readonly id: Cuid; readonly email: string } | null;
  /** Of the last request that was answered 2xx; at most 5 s late. */
  readonly lastUsedAt: IsoTime | null;
  /** Where that request came from. */
  readonly lastUsedAddress: string | null;
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
  /** Who did it, as they were called then: an operator has the name of his account as id, the platform itself nothing. */
  readonly actor: {
    readonly type: 'user' | 'operator' | 'system';
    readonly id: string | null;
    readonly email: string | null;
  };
  /** Where the request came from. */
  readonly address: string | null;
  /** The request's `X-Request-Id`. */
  readonly traceId: string | null;
  readonly at: IsoTime;
  /** What stood before; null: nothing. */
  readonly before: Readonly<Record<string, unknown>> | null;
  /** The state after the act; null: deleted. */
  readonly after: Readonly<Record<string, unknown>> | null;
  /** 64 hex digits over this act and all before it. */
  readonly hash: string;
}
