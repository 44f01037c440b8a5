import type { OutboundEnd, OutboundRequest } from './outbound.js';
import type { OutboundOptions } from './outbound-http.client.js';

/** What a thread is made with. */
export type ThreadOptions = Pick<OutboundOptions, 'allowPrivate' | 'refusedHosts' | 'authorities' | 'deadlineMs'>;

/** A request that the thread would begin later is never sent: its caller waits no longer than the deadline and this. */
export const LATE_MS = 1_000;

/** Asks the thread for a request, or to end one early. */
export type ThreadAsk =
  | ({
      readonly kind: 'post';
      readonly id: number;
      readonly body: Uint8Array<ArrayBuffer>;
      /** Milliseconds since 1970. */
      readonly askedAtMs: number;
    } & Pick<OutboundRequest, 'url' | 'headers'>)
  | { readonly kind: 'abort'; readonly id: number };

/** What the thread says: once, that it has begun to work, before it takes the first request; and how each request ended. */
export type ThreadSaid =
  { readonly kind: 'ready' } | { readonly kind: 'end'; readonly id: number; readonly end: OutboundEnd };
