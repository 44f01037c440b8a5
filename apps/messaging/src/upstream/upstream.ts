import type { TemplateListOutcome, TemplateListRequest } from './template-list.js';

/** A text on its way to the upstream. */
export interface UpstreamText {
  /** Who sends: organizations share what there is of the upstream. */
  readonly organizationId: string;
  /** The upstream's id of the sending line. */
  readonly phoneNumberId: string;
  readonly accessToken: string;
  /** E.164, in the form that the caller gave. */
  readonly to: string;
  readonly text: string;
  /** Our message id; comes back with every status of the message. */
  readonly reference: string;
}

/** Why a refusal for good was given, as far as it has consequences beyond the message. */
export type RefusalKind = 'rejected' | 'disconnected' | 'opted-out';

/** What came of one request to the upstream. */
export type UpstreamOutcome =
  | { readonly state: 'accepted'; readonly upstreamMessageId: string; readonly messagingId: string | null }
  | { readonly state: 'refused'; readonly kind: RefusalKind; readonly code: string; readonly message: string }
  /** Provably not taken; may be sent again. */
  | { readonly state: 'not-taken'; readonly code: string; readonly message: string; readonly retry: RetryPace }
  /** It may have been taken; must never be repeated blindly. */
  | { readonly state: 'unknown'; readonly reason: string };

/**
 * How soon a message that was not taken may go again: `pair` is the limit of one recipient, `slow` one of the account.
 * `unbegun`: none of it left here, so it counts as no attempt.
 */
export type RetryPace = 'unbegun' | 'normal' | 'pair' | 'slow';

/** Until when a request may begin and go on. */
export interface SendLimits {
  /** Monotonic milliseconds, connecting included: what has not begun to leave by then never does, and is not taken. */
  readonly beginByMs: number;
  /** To be called right before the first byte may leave; when it throws none does, and the message is not taken. */
  readonly onBegin: () => void;
  /** Aborts when nothing may begin any more. */
  readonly noneBegins: AbortSignal;
  /** Aborts when the request is given up: unknown if it has begun, else not taken. */
  readonly giveUp: AbortSignal;
}

/** The one port to a provider. Injected under this name; a second adapter is a second class. */
export abstract class Upstream {
  /** Sends once and returns the outcome; never throws, never repeats. */
  abstract sendText(text: UpstreamText, limits: SendLimits): Promise<UpstreamOutcome>;

  /** Reads a page of templates; never throws. */
  abstract listTemplates(request: TemplateListRequest): Promise<TemplateListOutcome>;

  /** Closes its connections. */
  abstract close(): Promise<void>;
}
