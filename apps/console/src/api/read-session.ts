import type { Session } from './api.generated.js';
import { call } from './call.js';
import { problemOf } from './problem.js';
import { currentSession, keepSession } from './session-state.js';

/** The session of the browser; null when there is none. @throws Problem when the API does not answer */
export async function readSession(): Promise<Session | null> {
  const known = currentSession();
  if (known) return known;
  try {
    const session = await call('getSession', {});
    keepSession(session);
    return session;
  } catch (error) {
    if (problemOf(error).status === 401) return null;
    throw error;
  }
}
