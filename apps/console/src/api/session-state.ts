import type { Session } from './api.generated.js';
import { leaveWhenFree } from './held-page.js';

let current: Session | null = null;
let isReplaced = false;
let onLeave: () => void = () => undefined;
let onEnrolmentDue: () => void = () => undefined;

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

/** Notes that another tab has replaced the session: what is read from now on would be about that one. Only a load of the page goes on. */
export function replaceSession(): void {
  isReplaced = true;
}

/** Whether another tab has replaced the session of this page. */
export function isSessionReplaced(): boolean {
  return isReplaced;
}

/** Sets what happens when the API says that there is no session any more. */
export function whenSessionEnds(listener: () => void): void {
  onLeave = listener;
}

/**
 * Forgets the session after a 401, once nothing holds the page. Until then it stays known: whatever asks for it would take the page away
 * otherwise. @param shown the session of the refused request: a late answer ends no session that came after it
 */
export function leaveSession(shown: Session | null): void {
  forgetWhenFree(shown, () => onLeave());
}

/** Sets what happens when the organization has begun to require a second factor that the person lacks. */
export function whenEnrolmentIsDue(listener: () => void): void {
  onEnrolmentDue = listener;
}

/** Forgets what was known of the session: it was read before the organization required a second factor. When, and @param shown as above */
export function leaveForEnrolment(shown: Session | null): void {
  forgetWhenFree(shown, () => onEnrolmentDue());
}

function forgetWhenFree(shown: Session | null, leave: () => void): void {
  if (current === null || current !== shown) return;
  leaveWhenFree(() => {
    if (current !== shown) return;
    current = null;
    leave();
  });
}
