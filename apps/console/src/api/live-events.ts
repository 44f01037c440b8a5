import { call } from './call.js';
import { isSessionReplaced } from './session-state.js';
import { Watchers } from './watchers.js';

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
let retry: ReturnType<typeof setTimeout> | undefined;
/** Attempts in sequence that came to nothing, and those of them that were refused. */
let failures = 0;
let refusals = 0;
const listeners = new Set<LiveListener>();
const watchers = new Watchers();
/** A browser gives up by itself after a refusal; so it is opened again, slowly. */
const RETRY_MS = 5_000;
/** One refusal is mostly a gateway that is full or away for a moment; after a second one, the cursor may be what is refused. */
const REFUSALS_OF_CURSOR = 2;
/** So many failures are more than a gateway that restarts. */
const FAILURES_SHOWN = 3;

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
    refusals = 0;
    count(0);
  };
}

/** False after some failures in sequence, until the stream is there again. */
export function isLive(): boolean {
  return failures < FAILURES_SHOWN;
}

/** Calls back when that changes. @returns ends it */
export const watchLive: Watchers['watch'] = watchers.watch;

/** Only a page that is seen has a stream: browsers allow six connections to a site. */
function follow(): void {
  // With another session's cookie the events would be those of another person.
  if (document.visibilityState === 'hidden' || listeners.size === 0 || isSessionReplaced()) close();
  else if (!source) open();
}

function open(): void {
  clearTimeout(retry);
  // The browser's own reconnects go on where the stream was.
  let isNew = cursor === null;
  source = new EventSource(`/app/api/events${cursor === null ? '' : `?cursor=${cursor}`}`);
  source.addEventListener('ready', ({ lastEventId }) => {
    cursor = lastEventId;
    refusals = 0;
    count(0);
    if (!isNew) return;
    isNew = false;
    for (const listener of listeners) listener.onStart();
  });
  source.addEventListener('message', ({ data, lastEventId }) => {
    cursor = lastEventId;
    const event = JSON.parse(String(data)) as LiveEvent;
    for (const listener of listeners) listener.onEvent(event);
  });
  source.addEventListener('error', () => {
    count(failures + 1);
    // Otherwise the browser is at it.
    if (source?.readyState !== EventSource.CLOSED) return;
    close();
    refusals += 1;
    if (refusals >= REFUSALS_OF_CURSOR) cursor = null;
    retry = setTimeout(follow, RETRY_MS);
    // Perhaps the session has ended, which an EventSource cannot tell: a call leads to signing in then. Any other failure is retried above.
    call('getSession', {}).catch(() => undefined);
  });
}

function count(now: number): void {
  const was = isLive();
  failures = now;
  if (isLive() !== was) watchers.announce();
}

function close(): void {
  clearTimeout(retry);
  source?.close();
  source = null;
}
