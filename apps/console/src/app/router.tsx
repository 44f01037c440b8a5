import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { queryClient } from '../api/client.js';
import { readSession } from '../api/read-session.js';
import { ACCOUNT, needsEnrolment } from '../api/session.js';
import { PageFallback, PageFault, UnknownPage } from './fallbacks.js';
import { loadPage } from './load-page.js';
import { pages } from './pages.js';
import { Shell } from './shell/shell.js';

const root = createRootRoute({ notFoundComponent: UnknownPage, errorComponent: PageFault });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>) => ({
    to: typeof search['to'] === 'string' ? search['to'] : undefined,
    ended: search['ended'] === true ? true : undefined,
  }),
  component: lazyRouteComponent(() => import('../pages/sign-in/sign-in.page.js'), 'Page'),
});

const acceptInvite = createRoute({
  getParentRoute: () => root,
  path: '/accept-invite',
  component: lazyRouteComponent(() => import('../pages/accept-invite/accept-invite.page.js'), 'Page'),
});

/** Everything behind sign-in. */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: Shell,
  beforeLoad: async ({ location }) => {
    const session = await readSession();
    if (!session) {
      const to = location.pathname === '/' ? undefined : `/app${location.href}`;
      throw redirect({ to: '/sign-in', search: { to, ended: undefined }, replace: true });
    }
    queryClient.setQueryData(['session'], session);
    // The API would refuse whatever another page reads.
    if (needsEnrolment(session) && !location.pathname.endsWith(ACCOUNT)) throw redirect({ to: ACCOUNT, replace: true });
    return { session };
  },
});

const shellPages = pages.map(({ path, load, roles }) =>
  createRoute({
    getParentRoute: () => shell,
    path,
    component: lazyRouteComponent(() => loadPage(load), 'Page'),
    beforeLoad: ({ context }) => {
      // What a role may not see does not exist for it.
      if (roles && !roles.includes(context.session.role)) throw redirect({ to: '/', replace: true });
    },
  }),
);

/** The routes of the console, below `/app`. */
export const router = createRouter({
  routeTree: root.addChildren([signIn, acceptInvite, shell.addChildren(shellPages)]),
  basepath: '/app',
  defaultPreload: 'intent',
  defaultPendingComponent: PageFallback,
  defaultPendingMs: 150,
  defaultErrorComponent: PageFault,
  defaultNotFoundComponent: UnknownPage,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
