import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningStack, SeededOrganization } from '@switchboard/dev';
import { Api, type ApiAnswer } from './api.js';
import { connectToEachGateway } from './gateway-connection.js';
import {
  combinations,
  listFaults,
  sendFaults,
  wrongList,
  wrongSend,
  type WrongRequest,
  type Wrongs,
} from './order-of-checks.js';
import { operator } from './operator.js';
import { StackDatabase } from './stack-database.js';
import type { OwnStack } from './start-everything.js';

/** What the limits and their order promise over so many gateways, as tests. */
export const describeLimits = (gateways: number, running: () => OwnStack): void =>
  describe(`limits over ${gateways} gateways`, () => {
    let stack: RunningStack;
    let dataDir: string;
    let database: StackDatabase;
    let baseUrl: string;
    let organizations: readonly SeededOrganization[];

    beforeAll(async () => {
      ({ stack, dataDir } = running());
      ({ baseUrl = '', organizations = [] } = stack.devJson);
      database = await StackDatabase.open(stack);
    });

    afterAll(async () => database?.close());

    const named = (name: string): SeededOrganization => {
      const found = organizations.find((one) => one.name === name);
      if (!found) throw new Error(`there is no ${name}`);
      return found;
    };

    describe('the order of checks', () => {
      let wrongs: Wrongs;
      let own: SeededOrganization;

      beforeAll(async () => {
        own = named('Initech');
        wrongs = {
          key: own.apiKey,
          scopelessKey: await database.issueKey(own.id, ['contacts:read']),
          phone: '+14155550170',
          optedOutPhone: '+14155550171',
          takenKey: 'of-another-body',
        };
        const first = JSON.stringify({ to: wrongs.phone, text: 'the first under its key' });
        const sent = await new Api(baseUrl, own.apiKey).ask('POST', '/v1/messages', first, {
          'idempotency-key': wrongs.takenKey,
        });
        expect(sent.status).toBe(200);
        const optedOut = JSON.stringify({ phone: wrongs.optedOutPhone });
        expect((await new Api(baseUrl, own.apiKey).ask('POST', '/v1/opt-outs', optedOut)).status).toBe(201);
      });

      /** Brings the organization about and asks. */
      async function answerTo(request: WrongRequest): Promise<ApiAnswer> {
        await database.setTerms(own.id, request.terms);
        await database.query('UPDATE messaging.channel SET status = $2 WHERE organization_id = $1', [
          own.id,
          request.isDisconnected ? 'DISCONNECTED' : 'CONNECTED',
        ]);
        if (request.isLimited) await new Api(baseUrl, own.apiKey).get('/v1/ping');
        const { method, path, key, headers, body } = request;
        return new Api(baseUrl, key).ask(method, path, body ?? undefined, { ...headers });
      }

      it.each([
        ['POST /v1/messages', sendFaults, wrongSend],
        ['GET /v1/conversations', listFaults, wrongList],
      ] as const)(
        'of %s: of several faults the first in the documented order is answered',
        async (_route, faults, wrong) => {
          const right = await answerTo(wrong(new Set(), wrongs));
          expect(right.status).toBe(200);
          const all = combinations(faults);
          expect(all.length).toBeGreaterThan((faults.length * (faults.length - 1)) / 2);
          for (const some of all) {
            const names = some.map(({ name }) => name);
            const { status, headers, body } = await answerTo(wrong(new Set(names), wrongs));
            const [earliest] = some;
            expect({ names, status, code: body?.error?.code, message: body?.error?.message }).toEqual({
              names,
              status: earliest?.status,
              code: earliest?.code,
              message: expect.stringMatching(earliest?.says ?? /never/),
            });
            // Every authenticated answer carries the rate, whatever else is wrong.
            const rate = ['limit', 'remaining', 'reset'].map((part) => headers.get(`ratelimit-${part}`));
            if (status === 401) expect(rate).toEqual([null, null, null]);
            else expect([names, rate.every((value) => /^\d+$/.test(value ?? ''))]).toEqual([names, true]);
            expect(headers.has('retry-after')).toBe(status === 429);
          }
        },
      );
    });

    describe('the rate limit', () => {
      let own: SeededOrganization;
      let api: Api;

      beforeAll(() => {
        own = named('Acme');
        api = new Api(baseUrl, own.apiKey);
      });

      const sentMessages = async (): Promise<number> => {
        const [row] = await database.query<{ count: number }>(
          'SELECT count(*)::int AS count FROM messaging.message WHERE organization_id = $1',
          [own.id],
        );
        return row?.count ?? 0;
      };

      it('lets a burst pass exactly once, whichever gateway is asked, and the others wait', async () => {
        const connections = await connectToEachGateway(stack, own.apiKey);
        expect(connections).toHaveLength(gateways);
        await database.setTerms(own.id, { requestsPerMinute: 1, burst: 57 });
        const startedMs = performance.now();
        const answers = await Promise.all(
          connections.flatMap((connection) => Array.from({ length: 300 / gateways }, () => connection.get('/v1/ping'))),
        );
        const elapsedS = (performance.now() - startedMs) / 1_000;
        for (const connection of connections) connection.close();
        const passed = answers.filter(({ status }) => status === 200);
        const refused = answers.filter(({ status }) => status === 429);
        expect(passed.length + refused.length).toBe(300);
        expect(passed.length).toBeGreaterThanOrEqual(57);
        // What the rate gives back meanwhile, of which a quick machine sees none.
        expect(passed.length).toBeLessThanOrEqual(57 + Math.floor(elapsedS / 60));
        // One that began before the first was counted, and came after it, sees one fewer.
        const left = passed.map(({ headers }) => Number(headers.get('ratelimit-remaining'))).sort((a, b) => a - b);
        expect(left.filter((remaining, index) => remaining !== index && remaining !== index - 1)).toEqual([]);
        for (const { headers } of refused) {
          expect(headers.get('ratelimit-limit')).toBe('57');
          expect(headers.get('ratelimit-remaining')).toBe('0');
          expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(Math.max(1, 59 - elapsedS));
          expect(headers.get('retry-after')).toMatch(/^\d+$/);
        }
      });

      it('then lets pass what its rate gives back, and never more', async () => {
        await database.setTerms(own.id, { requestsPerMinute: 1_200, burst: 10 });
        const startedMs = performance.now();
        let passed = 0;
        const flood = async (): Promise<void> => {
          while (passed < 80 && performance.now() - startedMs < 300_000) {
            if ((await api.get('/v1/ping')).status === 200) passed++;
          }
        };
        await Promise.all(Array.from({ length: 12 }, flood));
        const elapsedS = (performance.now() - startedMs) / 1_000;
        expect(passed).toBeLessThanOrEqual(10 + 20 * elapsedS + 1);
        expect(passed).toBeGreaterThanOrEqual(80);
      });

      it('of a raised plan counts from the very next request on, whichever gateway is asked, and so do its scopes and quota', async () => {
        const connections = await connectToEachGateway(stack, own.apiKey);
        const askAll = async (): Promise<Set<string>> => {
          const answers = await Promise.all(connections.map((connection) => connection.get('/v1/analytics/usage')));
          return new Set(answers.map(({ status, headers }) => `${status} ${headers.get('ratelimit-limit')}`));
        };
        const setPlan = (plan: string): Promise<unknown> =>
          database.query('UPDATE gateway.organization SET plan = $2 WHERE id = $1', [own.id, plan]);
        // One request of each connection and a send, and the next a minute later.
        const burst = connections.length + 1;
        await database.setTerms(own.id, { requestsPerMinute: 1, burst, messagesPerMonth: 0 });
        await setPlan('TRIAL');
        try {
          expect(await askAll()).toEqual(new Set([`402 ${burst}`]));
          expect((await api.send('+14155550173', 'over the quota')).status).toBe(402);
          expect(await askAll()).toEqual(new Set([`429 ${burst}`]));
          await operator(dataDir, `plan set ${own.id} --plan GROWTH --reset-overrides`);
          expect(await askAll()).toEqual(new Set(['200 1000']));
          expect((await api.send('+14155550173', 'within it')).status).toBe(200);
        } finally {
          for (const connection of connections) connection.close();
          await setPlan('SCALE');
          await database.setTerms(own.id, {});
        }
      });

      it('refuses before it reads: no body, no message, and no more of the rate', async () => {
        await database.setTerms(own.id, { requestsPerMinute: 1, burst: 1 });
        expect((await api.get('/v1/ping')).status).toBe(200);
        const before = await sentMessages();
        const first = await api.send('+14155550172', 'refused');
        const answers = await Promise.all(
          Array.from({ length: 40 }, () => api.send('+14155550172', 'x'.repeat(100_000))),
        );
        expect(new Set(answers.map(({ status, body }) => `${status} ${body?.error?.code}`))).toEqual(
          new Set(['429 RATE_LIMITED']),
        );
        expect(await sentMessages()).toBe(before);
        const waits = [first, ...answers].map(({ headers }) => Number(headers.get('retry-after')));
        expect(Math.max(...waits)).toBe(waits[0]);
      });

      it('is answered with failures on our side, too', async () => {
        await database.setTerms(own.id, {});
        const messaging = stack.process('messaging').pid;
        process.kill(messaging, 'SIGSTOP');
        try {
          const answer = await api.get('/v1/channels');
          expect([answer.status, answer.headers.get('ratelimit-limit')]).toEqual([503, '5000']);
          expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
        } finally {
          process.kill(messaging, 'SIGCONT');
        }
      });
    });
  });
