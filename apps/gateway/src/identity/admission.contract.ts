/** What a key may be limited to. Source: docs/api-behaviour.md#scopes. */
export const scopes = [
  'messages:send',
  'messages:read',
  'conversations:read',
  'conversations:write',
  'contacts:read',
  'contacts:write',
  'opt_outs:read',
  'opt_outs:write',
  'templates:read',
  'templates:send',
  'analytics:read',
  'channels:read',
  'events:read',
] as const;

/** One scope; every route under /v1 but ping needs exactly one. */
export type Scope = (typeof scopes)[number];

/**
 * What must be paid for a request: a subscription that covers its scope; any that is not canceled, for what steers what was accepted
 * before; nothing, for what is taken from everyone.
 */
export type Payment = 'scope' | 'any-plan' | 'nothing';

/** One request to admit. */
export interface AdmissionRequest {
  /** The key as it was shown; null when none was, or nothing that could be one. */
  readonly key: string | null;
  /** What the route needs; null for a route that needs none and never answers 402. */
  readonly scope: Scope | null;
  /** What must be paid for the request; its scope by default. */
  readonly payment?: Payment | undefined;
  /** What the request takes of the organization's rate. */
  readonly cost: 0 | 1;
}

/** An organization's rate limit after the request. */
export interface RateState {
  /** Requests that an organization at rest may make at once. */
  readonly limit: number;
  /** Requests that would pass now. */
  readonly remaining: number;
  /** Whole seconds until `remaining` is `limit` again. */
  readonly resetSeconds: number;
}

/** An admitted request, with what is checked later in the order of checks. */
export interface Admitted {
  readonly state: 'admitted';
  readonly organizationId: string;
  readonly keyId: string;
  /** The key's own list; null means all. */
  readonly scopes: readonly string[] | null;
  readonly rate: RateState;
  /** False: 403, right after the rate limit. */
  readonly hasScope: boolean;
  /** Why the plan or the subscription does not cover the request, for 402; null when it does. */
  readonly paymentRefusal: string | null;
  /** How many messages it may send in a UTC month; messaging counts them. */
  readonly messagesPerMonth: number;
}

/** The outcome of an admission. */
export type Verdict =
  | { readonly state: 'unknown-key' }
  | {
      readonly state: 'limited';
      readonly organizationId: string;
      readonly keyId: string;
      readonly rate: RateState;
      /** Whole seconds, at least 1. */
      readonly retryAfterSeconds: number;
    }
  | Admitted;

/** Admits requests: key, revocation, rate, scope and plan in one statement. */
export interface Admission {
  /**
   * A missing, malformed, unknown and revoked key all give `unknown-key`. Revocation is exact: nothing is cached.
   *
   * @throws AppError SERVICE_UNAVAILABLE, in bounded time, when the database does not answer
   */
  admit(request: AdmissionRequest): Promise<Verdict>;
}

/** Token of `Admission`. */
export const ADMISSION = Symbol('Admission');
