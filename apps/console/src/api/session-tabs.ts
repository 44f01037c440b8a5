import type { Session } from './api.generated.js';
import { queryClient } from './client.js';
import { keepSession } from './session-state.js';

/** All tabs of the browser share the session's cookie; each keeps the token that belongs to it. */
const others = new BroadcastChannel('switchboard-session');

/** What has become of the session: it is another one, or goes on under a new token; or it has ended. */
export type SessionChange = 'changed' | 'ended';

/** Says to other tabs what has become of the session. */
export function announceSession(change: SessionChange): void {
  others.postMessage(change);
}

/** Keeps a session that continues under a new token. Other tabs load anew: every change with their token would be refused. */
export function renewSession(session: Session): void {
  keepSession(session);
  queryClient.setQueryData(['session'], session);
  announceSession('changed');
}

/** Calls the listener when another tab has begun, renewed or ended the session. */
export function whenSessionChangesElsewhere(listener: (change: SessionChange) => void): void {
  others.addEventListener('message', ({ data }) => listener(data === 'ended' ? 'ended' : 'changed'));
}
