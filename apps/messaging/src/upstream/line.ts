/** A line of the upstream that is to be shown to an access token. */
export interface LineRequest {
  /** Who asks: organizations share what there is of the upstream. */
  readonly organizationId: string;
  readonly businessAccountId: string;
  readonly phoneNumberId: string;
  readonly accessToken: string;
  readonly signal: AbortSignal;
}

/** What came of it. Reading changes nothing, so it may be repeated. */
export type LineOutcome =
  | { readonly state: 'found'; readonly phone: string; readonly name: string }
  | {
      readonly state: 'refused';
      readonly kind: 'disconnected' | 'rejected';
      readonly code: string;
      readonly message: string;
    }
  /** Not answered, or not now. */
  | { readonly state: 'unavailable'; readonly reason: string };
