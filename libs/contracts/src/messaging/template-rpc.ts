import { defineRpc } from '../grammar/define-rpc.js';
import type { IsoTime } from '../grammar/iso-time.js';

/** A template as the upstream lists it. */
export interface UpstreamTemplate {
  readonly id: string;
  readonly name: string;
  /** With an underscore: `en_US`. */
  readonly language: string;
  /** The upstream's own word. */
  readonly status: string;
  readonly category: string;
  readonly parameterFormat: 'POSITIONAL' | 'NAMED';
  readonly components: readonly Readonly<Record<string, unknown>>[];
}

/** A page of the upstream's list. */
export interface UpstreamTemplatePage {
  readonly templates: readonly UpstreamTemplate[];
  /** Asks for the page that follows; null at the end. */
  readonly next: string | null;
  /** By the upstream's clock: what changed after it may not be on the page. */
  readonly asOf: IsoTime;
}

/**
 * Asks the upstream for a page of the templates of a business account, by the token of one of its channels.
 *
 * The token stays in messaging. A page holds as many templates as fit into one message of the broker.
 * The deadline covers the upstream's 5 s, twice where a page was too large.
 *
 * @throws CHANNEL_NOT_FOUND when no channel of the organization is of the account; UPSTREAM_NOT_CONNECTED when none is
 * connected, or the upstream refuses their tokens; UPSTREAM_REJECTED; SERVICE_UNAVAILABLE when the upstream did not answer,
 * or limits our calls
 */
export const listUpstreamTemplatesRpc = defineRpc<
  { readonly businessAccountId: string; readonly after: string | null },
  UpstreamTemplatePage
>('messaging', 'list-upstream-templates', { deadlineMs: 12_000 });
