import type { UpstreamTemplate } from '@switchboard/contracts/messaging/template-rpc';

/** A page of a business account's templates to be read at the upstream. */
export interface TemplateListRequest {
  /** Who asks: organizations share what there is of the upstream. */
  readonly organizationId: string;
  readonly businessAccountId: string;
  readonly accessToken: string;
  /** The cursor that the page before ended with; null for the first page. */
  readonly after: string | null;
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** What came of it. Reading changes nothing, so it may be repeated. */
export type TemplateListOutcome =
  | {
      readonly state: 'listed';
      readonly templates: readonly UpstreamTemplate[];
      /** Null at the end. */
      readonly next: string | null;
      /** By the upstream's clock, in milliseconds: what changed after it may not be on the page. */
      readonly asOfMs: number;
      readonly bytes: number;
    }
  | {
      readonly state: 'refused';
      readonly kind: 'disconnected' | 'rejected';
      readonly code: string;
      readonly message: string;
    }
  /** Not answered, or not now. */
  | { readonly state: 'unavailable'; readonly reason: string };
