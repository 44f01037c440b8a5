import type { Session } from './api.generated.js';

let current: Session | null = null;
let onLeave: () => void = () => undefined;

/** The session that requests show; kept in memory alone, so that nothing of it survives the page. */
export function currentSession(): Session | null {
  return current;
}

/** The token of the session for requests that change something; null before sign-in. */
export function csrfToken(): string | null {
  return current?.csrfToken ?? null;
}

/** Keeps the session of an answer. */
export function keepSession(session: Session): void {
  current = session;
}

/** Sets what happens when the API says that there is no session any more. */
export function whenSessionEnds(listener: () => void): void {
  onLeave = listener;
}

/** Forgets the session after a 401. */
export function leaveSession(): void {
  if (current === null) return;
  current = null;
  onLeave();
}
