import { call } from './call.js';

/** An event as webhooks carry it; `data` has the resource under its own name. */
export interface LiveEvent {
  readonly event: string;
  readonly data: { readonly id: string; readonly [resource: string]: unknown };
}

/** What a page does with the stream of events. */
export interface LiveListener {
  onEvent(event: LiveEvent): void;
  /** The stream starts anew without knowing what was missed: whatever is shown may be old. */
  onStart(): void;
}

/** Where the stream goes on after a pause; null: nothing was read so far. */
let cursor: string | null = null;
let source: EventSource | null = null;
let retry: number | undefined;
const listeners = new Set<LiveListener>();
/** A browser gives up by itself after a refusal; so it is opened again, slowly. */
const RETRY_MS = 5_000;

/** Hears what happens in the organization as it happens. @returns ends it */
export function listen(listener: LiveListener): () => void {
  listeners.add(listener);
  if (listeners.size === 1) document.addEventListener('visibilitychange', follow);
  follow();
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    document.removeEventListener('visibilitychange', follow);
    close();
    cursor = null;
  };
}

/** Only a page that is seen has a stream: browsers allow six connections to a site. */
function follow(): void {
  if (document.visibilityState === 'hidden' || listeners.size === 0) close();
  else if (!source) open();
}

function open(): void {
  clearTimeout(retry);
  const isNew = cursor === null;
  source = new EventSource(`/app/api/events${cursor === null ? '' : `?cursor=${cursor}`}`);
  source.addEventListener('ready', ({ lastEventId }) => {
    cursor = lastEventId;
    if (isNew) for (const listener of listeners) listener.onStart();
  });
  source.addEventListener('message', ({ data, lastEventId }) => {
    cursor = lastEventId;
    const event = JSON.parse(String(data)) as LiveEvent;
    for (const listener of listeners) listener.onEvent(event);
  });
  source.addEventListener('error', () => {
    // Otherwise the browser is at it.
    if (source?.readyState !== EventSource.CLOSED) return;
    close();
    // Refused: perhaps where it was is no longer kept.
    cursor = null;
    retry = window.setTimeout(follow, RETRY_MS);
    // Perhaps the session has ended, which an EventSource cannot tell: a call leads to signing in then. Any other failure is retried above.
    call('getSession', {}).catch(() => undefined);
  });
}

function close(): void {
  clearTimeout(retry);
  source?.close();
  source = null;
}
