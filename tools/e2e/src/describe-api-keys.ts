import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningStack, SeededOrganization } from '@switchboard/dev';
import { gatewayRoutes } from '@switchboard/gateway/routes';
import type { AppClient } from '@switchboard/testing/app-client';
import { eventually } from '@switchboard/testing/eventually';
import { Api } from './api.js';
import { signedInClient } from './app-client.js';
import { operator } from './operator.js';
import { personIn } from './people.js';
import { PipelinedLoad, type LoadedRequest } from './pipelined-load.js';
import { parseScrape, valuesOf } from './scrape.js';
import { StackDatabase } from './stack-database.js';
import type { OwnStack } from './start-everything.js';
import { unknownId } from './tenant-values.js';

const ROUNDS = 6;
const ROUNDS_MAX = 10 * ROUNDS;
const CONNECTIONS = 32;
const DEPTH = 3;

const routes = (await gatewayRoutes()).filter(({ access }) => access === 'key');
const scoped = routes.flatMap(({ method, path, scope }): [string, string, string, string][] =>
  scope === null ? [] : [[`${method} ${path}`, method, path.replaceAll(/:\w+/g, unknownId()), scope]],
);
const allScopes = [
  ...new Set(scoped.map(([, , , scope]) => scope)),
  'templates:read',
  'templates:send',
  'analytics:read',
];

/** What API keys promise over so many gateways, as tests; the last spoils the audit log. */
export const describeApiKeys = (gateways: number, running: () => OwnStack): void =>
  describe(`API keys over ${gateways} gateways`, () => {
    let stack: RunningStack;
    let dataDir: string;
    let database: StackDatabase;
    let baseUrl: string;
    let acme: SeededOrganization;
    let globex: SeededOrganization;
    let owner: AppClient;

    beforeAll(async () => {
      ({ stack, dataDir } = running());
      const [first, second] = stack.devJson.organizations ?? [];
      if (!first || !second) throw new Error('there are not two organizations');
      [acme, globex] = [first, second];
      baseUrl = stack.devJson.baseUrl ?? '';
      database = await StackDatabase.open(stack);
      owner = await signedIn(acme, 'OWNER');
      // What is tested here is not the rate.
      await operator(dataDir, `plan set ${acme.id} --requests-per-minute 60000000 --request-burst 1000000`);
    });

    afterAll(async () => database?.close());

    const signedIn = (organization: SeededOrganization, role: string): Promise<AppClient> =>
      signedInClient(baseUrl, personIn(organization, role));

    async function makeKey(client: AppClient): Promise<{ id: string; secret: string }> {
      const { status, body } = await client.post('/app/api/api-keys', { label: 'under load' });
      if (status !== 201) throw new Error(`no key: ${status} ${JSON.stringify(body)}`);
      return { id: String(body?.id), secret: String(body?.['secret']) };
    }

    /** Requests for ping that each gateway has answered so far. */
    async function served(): Promise<number[]> {
      const processes = stack.devJson.processes.filter(({ name }) => name.startsWith('gateway'));
      return Promise.all(
        processes.map(async ({ metrics = '' }) => {
          const scraped = parseScrape(await (await fetch(metrics)).text());
          const counts = valuesOf(scraped, 'http_server_request_duration_seconds_count', { route: '/v1/ping' });
          return counts.reduce((sum, one) => sum + one, 0);
        }),
      );
    }

    it('a key is accepted by no gateway for any request that begins after its revoke call has returned, under load', async () => {
      const rounds: string[] = [];
      const before = await served();
      let spread = before.map(() => 0);
      // The kernel gives each connection to any of them: until each had its part in it.
      const isSpread = (): boolean => spread.every((count) => count >= 50);
      for (let round = 1; round <= ROUNDS || (!isSpread() && round <= ROUNDS_MAX); round++) {
        const { id, secret } = await makeKey(owner);
        const head = `GET /v1/ping HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\n\r\n`;
        const load = new PipelinedLoad({ url: baseUrl, head }, CONNECTIONS, DEPTH);
        const count = (wanted: (request: LoadedRequest) => boolean): number => load.requests.filter(wanted).length;
        await eventually(() => count(({ status }) => status === 200) >= 1_000 || undefined, { deadlineMs: 60_000 });
        const revoked = await owner.post(`/app/api/api-keys/${id}/revoke`);
        const returnedMs = performance.now();
        expect(revoked.status).toBe(200);
        const isAfter = ({ beganMs }: LoadedRequest): boolean => beganMs > returnedMs;
        await eventually(() => count((one) => isAfter(one) && one.status !== 0) >= 100 || undefined, {
          deadlineMs: 60_000,
        });
        await load.stop();
        const accepted = count((one) => one.status === 200 && !isAfter(one));
        const late = load.requests.filter(isAfter);
        rounds.push(
          `${accepted} before, ${late.length} after, ${late.filter(({ status }) => status === 200).length} accepted after`,
        );
        expect(late.filter(({ status }) => status !== 401 && status !== 429)).toEqual([]);
        spread = (await served()).map((count, index) => count - (before[index] ?? 0));
      }
      process.stderr.write(
        `revocation, ${gateways} gateways (${spread.join(', ')} requests):\n  ${rounds.join('\n  ')}\n`,
      );
      expect(isSpread()).toBe(true);
    });

    it.each(scoped)(
      '%s denies a key of all other scopes, before its body is looked at, and no key of its own',
      async (_name, method, path, scope) => {
        const others = await database.issueKey(
          acme.id,
          allScopes.filter((one) => one !== scope),
        );
        const own = await database.issueKey(acme.id, [scope]);
        for (const body of method === 'GET' || method === 'DELETE' ? [undefined] : ['{}', '{"broken']) {
          const denied = await new Api(baseUrl, others).ask(method, path, body);
          expect([denied.status, denied.body?.error?.code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
          expect(denied.body?.error?.message).toContain(`\`${scope}\``);
          const allowed = await new Api(baseUrl, own).ask(method, path, body);
          expect([401, 403]).not.toContain(allowed.status);
        }
      },
    );

    it('ping needs no scope, and every other route under /v1 one', async () => {
      expect(routes.filter(({ scope }) => scope === null).map(({ path }) => path)).toEqual(['/v1/ping']);
      const any = await database.issueKey(acme.id, ['analytics:read']);
      expect((await new Api(baseUrl, any).get('/v1/ping')).status).toBe(200);
    });

    it('an operator changes plan and subscription, which the next request at any gateway knows, and ends keys', async () => {
      const api = new Api(baseUrl, globex.apiKey);
      const everywhere = async (ask: () => ReturnType<Api['get']>): Promise<unknown[]> => {
        const answers = await Promise.all(Array.from({ length: 3 * gateways }, ask));
        const seen = answers.map(({ status, headers, body }) => [
          status,
          headers.get('ratelimit-limit'),
          body?.error?.message,
        ]);
        return [...new Set(seen.map((one) => JSON.stringify(one)))].map((one) => JSON.parse(one) as unknown);
      };
      const contacts = (): ReturnType<Api['get']> => api.get('/v1/contacts');
      const send = (): ReturnType<Api['get']> => api.ask('POST', '/v1/messages', '{"to":"+14155550199","text":"x"}');
      expect(await everywhere(contacts)).toEqual([[200, '300', null]]);
      await operator(dataDir, `plan set ${globex.id} --plan GROWTH --request-burst 777`);
      expect(await everywhere(contacts)).toEqual([[200, '777', null]]);
      await operator(dataDir, `subscription set ${globex.id} PAST_DUE`);
      expect(await everywhere(contacts)).toEqual([[200, '777', null]]);
      expect(await everywhere(send)).toEqual([[402, '777', expect.stringContaining('past due')]]);
      await operator(dataDir, `subscription set ${globex.id} CANCELED`);
      expect(await everywhere(contacts)).toEqual([[402, '777', 'The subscription is canceled']]);
      expect(await everywhere(() => api.get('/v1/ping'))).toEqual([[200, '777', null]]);
      const admin = await signedIn(globex, 'ADMIN');
      expect((await admin.get('/app/api/plan')).body).toMatchObject({
        plan: 'GROWTH',
        subscriptionStatus: 'CANCELED',
        limits: { requestBurst: 777, requestsPerMinute: 6_000 },
      });
      const { id, secret } = await makeKey(admin);
      await operator(dataDir, `api-keys revoke ${id}`);
      expect((await new Api(baseUrl, secret).get('/v1/ping')).status).toBe(401);
      const log = (await admin.get('/app/api/audit-log?limit=100')).body?.items ?? [];
      const operated = log.filter(({ actor }) => Object(actor).type === 'operator').map(({ action }) => action);
      expect(operated).toEqual(['api-key.revoked', 'subscription.changed', 'subscription.changed', 'plan.changed']);
      await expect(operator(dataDir, `plan set ${globex.id} --plan GOLD`)).rejects.toMatchObject({
        code: 1,
        stderr: 'There is no plan GOLD; there are TRIAL, STARTER, GROWTH, SCALE\n',
      });
    });

    it('npm run audit:verify finds the log of all this as it was written, and a row that was changed', async () => {
      expect(await operator(dataDir, 'audit verify')).toMatch(/^\d+ rows in \d+ chains are as they were written/);
      await database.query(
        `UPDATE gateway.audit_entry SET address = '192.0.2.1' WHERE organization_id = $1 AND sequence = 2`,
        [acme.id],
      );
      await expect(operator(dataDir, 'audit verify')).rejects.toMatchObject({
        code: 1,
        stdout: expect.stringMatching(new RegExp(`^${acme.id}: row 2 is not what was written`)),
      });
    });
  });
