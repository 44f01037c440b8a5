import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Stage } from '@switchboard/chaos/stage';
import type { RunningStack, SeededOrganization } from '@switchboard/dev';
import { gatewayRoutes, type GatewayRoute } from '@switchboard/gateway/routes';
import type { AppAnswer, AppBody, AppClient } from '@switchboard/testing';
import { appClient, signedInClient } from './app-client.js';
import { Simulator } from './api.js';
import { walkThroughApp } from './app-walk.js';
import { personIn, type Person } from './people.js';
import { StackDatabase } from './stack-database.js';
import { newPhone } from './tenant-values.js';

const routes = (await gatewayRoutes()).filter(({ method }) => method !== 'HEAD');
const named = (list: readonly GatewayRoute[]): [string, GatewayRoute][] =>
  list.map((route) => [`${route.method} ${route.path}`, route]);
const ofSessions = named(routes.filter(({ access }) => access === 'session'));
const ofVisitors = named(routes.filter(({ access }) => access === 'visitor'));
const limited = ofSessions.filter(([, { roles }]) => roles !== null && !roles.includes('MEMBER'));
/** It has no end: describe-app-events.ts reads it. */
const isStream = ({ path }: GatewayRoute): boolean => path === '/app/api/events';
const withIds = ofSessions.filter(([, { path }]) => path.includes('/:id') && !path.includes('/:deliveryId'));

/** Makes what the `:id` after a segment names. A segment that is not here fails the tests of its routes. */
const made: Readonly<Record<string, (page: AppClient, baseUrl: string) => Promise<string | undefined>>> = {
  members: async (page, baseUrl) => {
    const email = `m${Date.now()}@people.example`;
    const invite = await page.post('/app/api/invites', { email, role: 'MEMBER' });
    const acceptance = { token: invite.body?.['token'], password: 'correct horse battery staple' };
    await appClient(baseUrl).post('/app/api/invites/accept', acceptance);
    const { body } = await page.get('/app/api/members');
    return body?.items?.find(({ user }) => Object(user).email === email)?.id;
  },
  sessions: async (page) => (await page.get('/app/api/sessions')).body?.items?.[0]?.id,
  invites: async (page) =>
    (await page.post('/app/api/invites', { email: `i${Date.now()}@people.example`, role: 'MEMBER' })).body?.id,
  messages: async (page) => (await sent(page)).id,
  conversations: async (page) => String((await sent(page))['conversationId']),
  contacts: async (page) => (await page.post('/app/api/contacts', { phone: newPhone() })).body?.id,
  'opt-outs': async (page) => (await page.post('/app/api/opt-outs', { phone: newPhone() })).body?.id,
  templates: async (page) => (await page.get('/app/api/templates')).body?.items?.[0]?.id,
  // Not the one that sends.
  channels: async (page) => {
    const { body } = await page.get('/app/api/channels');
    return (body?.items?.find(({ isDefault }) => isDefault === false) ?? body?.items?.[0])?.id;
  },
  send: async (page) => {
    const { body } = await page.get('/app/api/templates?status=APPROVED');
    const templateId = body?.items?.find(({ variables }) => Array.isArray(variables) && variables.length === 0)?.id;
    const scheduledAt = new Date(Date.now() + 86_400_000).toISOString();
    const job = { templateId, recipients: [{ to: '+14155550199' }], scheduledAt };
    return (await page.post('/app/api/templates/send', job)).body?.id;
  },
  // Nothing listens there: what is sent fails at once.
  webhooks: async (page) =>
    (await page.post('/app/api/webhooks', { url: 'http://127.0.0.1:9/', events: ['message.sent'] })).body?.id,
  'api-keys': async (page) => (await page.post('/app/api/api-keys', { label: 'app' })).body?.id,
};
async function sent(page: AppClient): Promise<AppBody> {
  return (await page.post('/app/api/messages', { to: newPhone(), text: 'app' })).body ?? {};
}

/** What routes that take a body need, so that the id alone decides. */
const bodies: Readonly<Record<string, unknown>> = {
  'PATCH /app/api/conversations/:id': { status: 'PENDING' },
  'PATCH /app/api/members/:id': { role: 'MEMBER' },
  'POST /app/api/webhooks/:id/replay': { since: '2026-01-01' },
};

/** Source: docs/api-behaviour.md#app-roles. A literal: it checks what the declarations say. */
const openToMembers = [
  'DELETE /app/api/contacts/:id',
  'DELETE /app/api/opt-outs/:id',
  'DELETE /app/api/sessions/:id',
  'GET /app/api/analytics/delivery',
  'GET /app/api/analytics/templates',
  'GET /app/api/analytics/usage',
  'GET /app/api/channels',
  'GET /app/api/channels/:id',
  'GET /app/api/contacts',
  'GET /app/api/contacts/:id',
  'GET /app/api/conversations',
  'GET /app/api/conversations/:id',
  'GET /app/api/conversations/:id/messages',
  'GET /app/api/events',
  'GET /app/api/messages',
  'GET /app/api/messages/:id',
  'GET /app/api/messages/:id/timeline',
  'GET /app/api/opt-outs',
  'GET /app/api/opt-outs/:id',
  'GET /app/api/organization',
  'GET /app/api/sandbox',
  'GET /app/api/second-factor',
  'GET /app/api/session',
  'GET /app/api/sessions',
  'GET /app/api/templates',
  'GET /app/api/templates/:id',
  'GET /app/api/templates/send',
  'GET /app/api/templates/send/:id',
  'GET /app/api/templates/send/:id/recipients',
  'PATCH /app/api/conversations/:id',
  'POST /app/api/contacts',
  'POST /app/api/messages',
  'POST /app/api/opt-outs',
  'POST /app/api/password',
  'POST /app/api/sandbox/inbound',
  'POST /app/api/sandbox/preferences',
  'POST /app/api/sandbox/read',
  'POST /app/api/second-factor',
  'POST /app/api/second-factor/disable',
  'POST /app/api/second-factor/enable',
  'POST /app/api/second-factor/recovery-codes',
  'POST /app/api/sign-out',
  'POST /app/api/sign-out-everywhere',
  'POST /app/api/switch-organization',
  'POST /app/api/templates/send',
  'POST /app/api/templates/send/:id/cancel',
  'POST /app/api/templates/send/:id/pause',
  'POST /app/api/templates/send/:id/resume',
];

/** Which routes of the application are open to whom, as tests that need no stack. */
export const describeAppRoles = (): void =>
  describe('the roles of the application', () => {
    it('leave to members their own session and password, and to visitors what begins a session', () => {
      const open = ofSessions.filter((one) => !limited.includes(one));
      expect(open.map(([name]) => name).sort()).toEqual(openToMembers);
      expect(ofVisitors.map(([name]) => name).sort()).toEqual([
        'POST /app/api/invites/accept',
        'POST /app/api/sign-in',
      ]);
    });

    it('are owner and admin alike for everything else but the second factor that an owner requires', () => {
      expect(limited.length).toBeGreaterThan(8);
      const ofOwners = ['PATCH /app/api/organization'];
      for (const [name, { roles }] of limited) {
        expect([name, roles]).toEqual([name, ofOwners.includes(name) ? ['OWNER'] : ['OWNER', 'ADMIN']]);
      }
    });
  });

/** What every route of the application's API promises over two gateways, as tests; failed attempts to sign in are moved in time. */
export const describeApp = (running: () => Stage): void =>
  describe('the API of the application', () => {
    let stack: RunningStack;
    let baseUrl: string;
    let simulator: Simulator;
    let organizations: readonly SeededOrganization[];

    beforeAll(() => {
      ({ stack } = running());
      baseUrl = stack.devJson.baseUrl ?? '';
      simulator = new Simulator(stack.devJson.simulatorUrl ?? '');
      organizations = stack.devJson.organizations ?? [];
    });

    const userOf = (name: string, role: string): Person => {
      const organization = organizations.find((one) => one.name === name);
      if (!organization) throw new Error(`dev.json has no ${name}`);
      return personIn(organization, role);
    };
    const signedIn = (name: string, role: string): Promise<AppClient> => signedInClient(baseUrl, userOf(name, role));
    const ask = (page: AppClient, route: GatewayRoute, id: string, headers = {}): Promise<AppAnswer> => {
      const body = route.method === 'GET' || route.method === 'DELETE' ? undefined : (bodies[nameOf(route)] ?? {});
      return page.ask(route.method, route.path.replace(/:(id|deliveryId)/g, id), body, headers);
    };
    const nameOf = ({ method, path }: GatewayRoute): string => `${method} ${path}`;

    it('lets everybody in whom dev.json names, in their roles', async () => {
      for (const { id, name, users = [] } of organizations) {
        expect(users.map(({ role }) => role)).toEqual(['OWNER', 'ADMIN', 'MEMBER']);
        for (const user of users) {
          const { body } = await appClient(baseUrl).signIn(user);
          expect([body?.['organization'], body?.['role']]).toEqual([{ id, name }, user.role]);
        }
      }
    });

    it.each(ofSessions)('%s: 401 without a session, with one that ended, and with a key', async (_name, route) => {
      const page = await signedIn('Acme', 'OWNER');
      const { cookie } = page;
      await page.post('/app/api/sign-out');
      page.cookie = cookie;
      const key = { authorization: `Bearer ${organizations[0]?.apiKey ?? ''}` };
      const answers = [await ask(page, route, 'c0000000'), await ask(appClient(baseUrl), route, 'c0000000', key)];
      for (const { status, body, headers } of answers) {
        expect([status, body?.error?.code]).toEqual([401, 'UNAUTHORIZED']);
        expect(headers.get('cache-control')).toBe('no-store');
      }
    });

    it.each(ofSessions.filter(([, { method }]) => method !== 'GET'))(
      '%s: 403 without the token of the session and from elsewhere',
      async (_name, route) => {
        const page = await signedIn('Acme', 'OWNER');
        const refused = [
          { 'x-csrf-token': null },
          { 'x-csrf-token': 'x' },
          { origin: null },
          { origin: 'https://attacker.example' },
        ];
        for (const headers of refused) expect((await ask(page, route, 'c0000000', headers)).status).toBe(403);
        expect((await page.get('/app/api/session')).status).toBe(200);
      },
    );

    it.each(ofVisitors)('%s: 403 from elsewhere', async (_name, route) => {
      const answer = await ask(appClient(baseUrl), route, '', { origin: 'https://attacker.example' });
      expect([answer.status, answer.body?.error?.code]).toEqual([403, 'FORBIDDEN']);
    });

    it.each(limited)('%s: 403 for a member', async (_name, route) => {
      const answer = await ask(await signedIn('Acme', 'MEMBER'), route, 'c0000000');
      expect([answer.status, answer.body?.error?.code]).toEqual([403, 'FORBIDDEN']);
    });

    it.each(withIds)(
      '%s: 404 for what belongs to another organization, as if it did not exist',
      async (_name, route) => {
        const segment = /([^/]+)\/:id/.exec(route.path)?.[1] ?? '';
        const make = made[segment];
        if (!make) throw new Error(`${route.path} takes the id of \`${segment}\`: add it to \`made\``);
        const id = await make(await signedIn('Acme', 'OWNER'), baseUrl);
        const stranger = await signedIn('Initech', 'OWNER');
        const [foreign, unknown] = [await ask(stranger, route, String(id)), await ask(stranger, route, 'c0000000')];
        expect([foreign.status, foreign.body]).toEqual([404, unknown.body]);
        // It is there for its own: the organization is what decided.
        expect((await ask(await signedIn('Acme', 'OWNER'), route, String(id))).status).toBeLessThan(300);
      },
    );

    it('shows nothing of one organization in the lists of another', async () => {
      const [acme, stranger] = [await signedIn('Acme', 'OWNER'), await signedIn('Initech', 'OWNER')];
      const ids = await Promise.all(Object.values(made).map((make) => make(acme, baseUrl)));
      const lists = ofSessions.filter(
        ([, route]) => route.method === 'GET' && !route.path.includes(':') && !isStream(route),
      );
      for (const [, { path }] of lists) {
        const text = JSON.stringify((await stranger.get(path)).body);
        for (const id of [...ids, organizations[0]?.id]) expect(text).not.toContain(id);
      }
      expect(ids).not.toContain(undefined);
    });

    it('ends a session for every replica at once', async () => {
      for (let round = 0; round < 10; round++) {
        const page = await signedIn('Globex', 'ADMIN');
        const { cookie } = page;
        await page.post('/app/api/sign-out-everywhere');
        page.cookie = cookie;
        // Each on a connection of its own: whichever replica takes it.
        const answers = await Promise.all(
          Array.from({ length: 8 }, () => page.ask('GET', '/app/api/session', undefined, { connection: 'close' })),
        );
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
      }
    });

    it('allows as many failed attempts with two replicas as with one', async () => {
      const { email } = userOf('Globex', 'MEMBER');
      const attempt = async (index: number): Promise<number> => {
        const body = { email, password: `wrong ${index}` };
        return (await appClient(baseUrl).ask('POST', '/app/api/sign-in', body, { connection: 'close' })).status;
      };
      const first = await attempt(0);
      // As counted by a replica whose clock is an hour ahead: the wait after ten does not pass while the others are checked.
      const database = await StackDatabase.open(stack);
      await database.query(`UPDATE gateway.login_throttle SET last_attempt_at = last_attempt_at + interval '1 hour'`);
      await database.close();
      const statuses = [first, ...(await Promise.all(Array.from({ length: 23 }, (_, index) => attempt(index + 1))))];
      expect(statuses.filter((status) => status === 401)).toHaveLength(10);
      expect(statuses.filter((status) => status === 429)).toHaveLength(14);
    });

    it('is walked through by the canaries, every route of it', async () => {
      const { used } = await walkThroughApp(baseUrl, userOf('Acme', 'OWNER'), simulator);
      expect([...ofSessions, ...ofVisitors].map(([name]) => name).filter((name) => !used.has(name))).toEqual([]);
    });
  });
