import type { TemplateParameters } from '@switchboard/contracts/messaging/template-parameters';
import type { LineOutcome, LineRequest } from './line.js';
import type { TemplateListOutcome, TemplateListRequest } from './template-list.js';

/** A message on its way to the upstream, whatever its content. */
export interface UpstreamMessage {
  /** Who sends: organizations share what there is of the upstream. */
  readonly organizationId: string;
  /** The upstream's id of the sending line. */
  readonly phoneNumberId: string;
  readonly accessToken: string;
  /** E.164, in the form that the caller gave. */
  readonly to: string;
  /** Our message id; comes back with every status of the message. */
  readonly reference: string;
  /** A bulk send: it leaves connections to those of the organization that somebody waits for. */
  readonly isBackground?: boolean;
}

/** A text on its way to the upstream. */
export interface UpstreamText extends UpstreamMessage {
  readonly text: string;
}

/** A template on its way to the upstream, with what its places are filled with. */
export interface UpstreamTemplateMessage extends UpstreamMessage {
  readonly template: {
    readonly name: string;
    readonly language: string;
    readonly parameters: TemplateParameters;
  };
}

/**
 * Why a refusal for good was given, as far as it has consequences beyond the message: for the channel (`disconnected`: its
 * access, `blocked`: its account, country or payment), the contact, or every other message of the template.
 */
export type RefusalKind =
  'rejected' | 'disconnected' | 'blocked' | 'opted-out' | 'template-missing' | 'template-paused' | 'template-disabled';

/** What came of one request to the upstream. */
export type UpstreamOutcome =
  | { readonly state: 'accepted'; readonly upstreamMessageId: string; readonly messagingId: string | null }
  | { readonly state: 'refused'; readonly kind: RefusalKind; readonly code: string; readonly message: string }
  /** Provably not taken; may be sent again. */
  | {
      readonly state: 'not-taken';
      readonly code: string;
      readonly message: string;
      readonly retry: RetryPace;
      /** Which limit of the upstream was hit; absent for every other cause. */
      readonly limit?: UpstreamLimit;
      /** The organization's share of the connections is in use: nothing was asked, and nothing is known of the upstream. */
      readonly isShareFull?: true;
    }
  /** It may have been taken; must never be repeated blindly. */
  | {
      readonly state: 'unknown';
      readonly reason: string;
      /** Of an answer that says nothing about the message; absent without one. */
      readonly code?: string;
    };

/**
 * How soon a message that was not taken may go again: `pair` is the limit of one recipient, `slow` one of the account.
 * `not-begun`: none of it left here, so it counts as no attempt.
 */
export type RetryPace = 'not-begun' | 'normal' | 'pair' | 'slow';

/**
 * A limit of the upstream: `throughput` of the channel or the account, which a slower pace keeps; `pair` of one recipient;
 * `spam` of the account, by the quality of what it sends.
 */
export type UpstreamLimit = 'throughput' | 'pair' | 'spam';

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

  /** As `sendText`, for a template. */
  abstract sendTemplate(template: UpstreamTemplateMessage, limits: SendLimits): Promise<UpstreamOutcome>;

  /** Reads a page of templates; never throws. */
  abstract listTemplates(request: TemplateListRequest): Promise<TemplateListOutcome>;

  /** Looks a line up by an access token; never throws. */
  abstract findLine(request: LineRequest): Promise<LineOutcome>;

  /** Closes its connections. */
  abstract close(): Promise<void>;
}
