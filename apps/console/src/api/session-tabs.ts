import type { Session } from './api.generated.js';
import { queryClient } from './client.js';
import { keepSession } from './session-state.js';

/** All tabs of the browser share the session's cookie; each keeps the token that belongs to it. */
const others = new BroadcastChannel('switchboard-session');

/** Says to other tabs that the session is another one, or has ended. */
export function announceSession(): void {
  others.postMessage('changed');
}

/** Keeps a session that continues under a new token. Other tabs load anew: every change with their token would be refused. */
export function renewSession(session: Session): void {
  keepSession(session);
  queryClient.setQueryData(['session'], session);
  announceSession();
}

/** Calls the listener when another tab has begun, renewed or ended the session. */
export function whenSessionChangesElsewhere(listener: () => void): void {
  others.addEventListener('message', listener);
}
