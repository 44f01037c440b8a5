import { useQuery } from '@tanstack/react-query';
import type { Session } from './api.generated.js';
import { call } from './call.js';
import { queryClient } from './client.js';
import { dropDrafts, hasAnyDraft, leaveWhenFree, mayLoseDrafts } from './held-page.js';
import { problemOf } from './problem.js';
import { readSession } from './read-session.js';
import { showProblem } from '../ui/notices.js';
import { offerReload } from '../ui/reload-notice.js';
import { currentSession, keepSession, replaceSession, whenEnrolmentIsDue, whenSessionEnds } from './session-state.js';
import { announceSession, whenSessionChangesElsewhere } from './session-tabs.js';

/** What a member may do, as the session says. */
export type Role = Session['role'];

/** Roles that manage the organization. */
export const managing: readonly Role[] = ['OWNER', 'ADMIN'];

const SIGN_IN = '/app/sign-in';
/** Where a second factor is enabled, below `/app`. */
export const ACCOUNT: string = '/settings/account';

/** The session, on pages that need one: the router has read it before they are shown. */
export function useSession(): Session {
  const { data } = useQuery({ queryKey: ['session'], queryFn: readSession, initialData: currentSession });
  if (!data) throw new Error('this page needs a session');
  return data;
}

/** Reads the session anew, after a change of what it says; a failure is shown as a notice. */
export async function refreshSession(): Promise<void> {
  try {
    const session = await call('getSession', {});
    keepSession(session);
    queryClient.setQueryData(['session'], session);
  } catch (error) {
    showProblem(problemOf(error));
  }
}

/** Whether the person can do nothing before they enable a second factor. */
export function needsEnrolment({ secondFactor: { isEnabled, isRequired } }: Session): boolean {
  return isRequired && !isEnabled;
}

/** Whether a page is shown to the person: what the role may not do, or the API leaves closed at present, is not. */
export function isPageOpen(
  session: Session,
  { path, roles }: { readonly path: string; readonly roles?: readonly Role[] },
): boolean {
  return (roles?.includes(session.role) ?? true) && (path === ACCOUNT || !needsEnrolment(session));
}

/** Whether the session's role is one of these. */
export function useIsAllowed(roles: readonly Role[] | undefined): boolean {
  const { role } = useSession();
  return roles === undefined || roles.includes(role);
}

/** Enters the console with a new session, at a path of this site alone. */
export function enter(session: Session, to: string | undefined): void {
  keepSession(session);
  announceSession('changed');
  dropDrafts();
  // A whole load: nothing of a former session stays in memory.
  location.replace(to !== undefined && /^\/app(\/|$)/.test(to) ? to : '/app');
}

/** Ends the session and forgets everything that was read by it; not where that would lose a draft, and the person says no. */
export async function signOut(isEverywhere: boolean): Promise<void> {
  if (!mayLoseDrafts()) return;
  await call(isEverywhere ? 'signOutEverywhere' : 'signOut', {});
  announceSession('ended');
  leave();
}

/**
 * Follows what other tabs do with the session, and what the API says of it. A page that shows a secret is not left before that is put
 * away; one with a draft is not left unasked, unless another tab has signed out.
 */
export function watchSession(): void {
  whenSessionEnds(() => {
    const here = location.pathname + location.search;
    if (!hasAnyDraft()) return leave(here);
    // What was typed stays there to be copied, and nothing more is read for the page.
    replaceSession();
    offerReload('Your session has ended', reload);
  });
  whenEnrolmentIsDue(() => {
    dropDrafts();
    location.assign(`/app${ACCOUNT}`);
  });
  whenSessionChangesElsewhere((change) => {
    replaceSession();
    leaveWhenFree(() => {
      if (change === 'changed' && hasAnyDraft()) offerReload('Your session has changed in another tab', reload);
      else reload();
    });
  });
  // A page that the browser kept alive for Back would show what was read before signing out.
  addEventListener('pageshow', (event) => {
    if (event.persisted) reload();
  });
  // The browser asks, in words of its own, before it closes or reloads the page.
  addEventListener('beforeunload', (event) => {
    if (hasAnyDraft()) event.preventDefault();
  });
}

function reload(): void {
  dropDrafts();
  location.reload();
}

function leave(to?: string): void {
  queryClient.clear();
  dropDrafts();
  location.replace(to === undefined ? SIGN_IN : `${SIGN_IN}?to=${encodeURIComponent(to)}&ended=true`);
}
