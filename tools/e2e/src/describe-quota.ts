import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { QuotaRacing } from '@switchboard/chaos/races/quota-race';
import type { Stage } from '@switchboard/chaos/stage';
import type { RunningStack } from '@switchboard/dev';
import { itOnOneDay as it, testSeed } from '@switchboard/testing';
import { SeededRandom } from '@switchboard/testing/seeded-random';
import { Api } from './api.js';
import { StackDatabase } from './stack-database.js';

/** The chaos fault `quota-race` has 200, and kills a replica ten times. */
const SENDERS = 60;
/** The moment of the kill is drawn from it; printed, so that a run can be repeated with it. */
const seed = testSeed();
const root = resolve(import.meta.dirname, '..', '..', '..');
/** Magic recipient of the simulator: refused for good. */
const REFUSED = '+12015550106';

/** What the monthly quota promises, as tests; it lifts and lowers the limits of the first organization. */
export const describeQuota = (running: () => Stage): void =>
  describe('the monthly quota, with two gateways and two replicas of messaging', () => {
    let stage: Stage;
    let stack: RunningStack;
    let database: StackDatabase;
    let acme: Api;
    let organizationId: string;
    let phones = 0;

    beforeAll(async () => {
      process.stderr.write(`quota: seed ${seed}\n`);
      stage = running();
      stack = stage.stack;
      const [first] = stack.devJson.organizations ?? [];
      if (!first || !stack.devJson.baseUrl) throw new Error('the stack has nothing to test');
      database = await StackDatabase.open(stack);
      acme = new Api(stack.devJson.baseUrl, first.apiKey);
      organizationId = first.id;
    });

    afterAll(async () => database?.close());

    const nextPhone = (): string => `+1415${5_560_000 + ++phones}`;
    const quota = (): Promise<{ readonly used: number; readonly counted: number }> => database.quota(organizationId);

    it('lets exactly the rest of it pass of concurrent senders, and never more while a replica is killed', async () => {
      const random = new SeededRandom(seed);
      const racing = new QuotaRacing(stage, SENDERS);
      const calm = await racing.exactly(23);
      expect(calm).toEqual({ passed: 23, refused: SENDERS - 23, findings: [] });
      const unruly = await racing.whileKilling('messaging-2', 30, async () => {
        await wait(random.integer(40, 200));
        await stack.process('messaging-2').kill('SIGKILL');
      });
      await racing.close();
      expect(unruly.findings).toEqual([]);
      expect(await admin('quota', 'check')).toMatchObject({ code: 0, out: expect.stringContaining('agree') });
    });

    it('answers those whom it refuses why and until when, and stores nothing', async () => {
      await database.setTerms(organizationId, { messagesPerMonth: 0 });
      const refused = await acme.send(nextPhone(), 'edge');
      expect([refused.status, refused.body?.error]).toEqual([
        402,
        {
          code: 'PAYMENT_REQUIRED',
          message: expect.stringMatching(
            /^The monthly quota of [\d,]+ messages is used up; it resets on \d{4}-\d{2}-01 at 00:00 UTC$/,
          ),
        },
      ]);
      expect(refused.headers.get('x-message-id')).toBeNull();
    });

    it('counts again for the next request when the plan is raised, and refuses at once when it is lowered', async () => {
      const { used } = await quota();
      await database.setTerms(organizationId, { messagesPerMonth: used + 1 });
      expect([
        (await acme.send(nextPhone(), 'one more')).status,
        (await acme.send(nextPhone(), 'too many')).status,
      ]).toEqual([200, 402]);
      await database.setTerms(organizationId, { messagesPerMonth: 0 });
      expect((await acme.send(nextPhone(), 'none')).status).toBe(402);
      await database.setTerms(organizationId, {});
      expect((await acme.send(nextPhone(), 'the plan of a million')).status).toBe(200);
    });

    it('counts what the upstream refuses for good: one more allows one attempt, however often it is tried', async () => {
      const { used } = await quota();
      await database.setTerms(organizationId, { messagesPerMonth: used + 1 });
      const refused = await acme.send(REFUSED, 'refused');
      expect([refused.status, refused.body?.error?.code]).toEqual([400, 'UPSTREAM_REJECTED']);
      expect(refused.headers.get('x-message-id')).not.toBeNull();
      for (const phone of [REFUSED, REFUSED, nextPhone()]) expect((await acme.send(phone, 'no more')).status).toBe(402);
      expect(await quota()).toEqual({ used: used + 1, counted: used + 1 });
    });

    it('can be checked and repaired by an operator', async () => {
      // The month may have turned since the test before: one counter of it, and none that differs.
      await database.setTerms(organizationId, {});
      expect((await acme.send(nextPhone(), 'of this month')).status).toBe(200);
      await admin('quota', 'check', organizationId, '--repair');
      const { used } = await quota();
      const before = await admin('quota', 'show', organizationId, '--json');
      expect(JSON.parse(before.out.split('\n')[0] ?? '')).toMatchObject({ organization: organizationId, used });
      await database.query(
        `UPDATE messaging.quota SET used = used + 5 WHERE organization_id = $1
           AND month = to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM')`,
        [organizationId],
      );
      const wrong = await admin('quota', 'check', organizationId);
      expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('1 counters differ')]);
      expect(await admin('quota', 'check', organizationId, '--repair')).toMatchObject({ code: 0 });
      expect(await quota()).toEqual({ used, counted: used });
      expect(await admin('quota', 'check', organizationId)).toMatchObject({ code: 0 });
      const [entry] = await database.query(
        `SELECT before, after FROM gateway.audit_entry WHERE organization_id = $1 AND action = 'quota.repaired'
         ORDER BY at DESC`,
        [organizationId],
      );
      const month = expect.stringMatching(/^\d{4}-\d{2}$/);
      expect(entry).toEqual({ before: { month, used: used + 5 }, after: { month, used } });
    });

    it('adds to the subscription: past due refuses sending alone, canceled all but ping', async () => {
      const ask = async (): Promise<unknown[]> => {
        const answers = [
          await acme.send(nextPhone(), 'paid?'),
          await acme.get('/v1/conversations'),
          await acme.get('/v1/ping'),
        ];
        return answers.map(({ status, body }) => (status === 402 ? body?.error?.message : status));
      };
      await database.setTerms(organizationId, { status: 'PAST_DUE', messagesPerMonth: 0 });
      expect(await ask()).toEqual(['A payment is past due: sending is refused until it is settled', 200, 200]);
      await database.setTerms(organizationId, { status: 'CANCELED', messagesPerMonth: 0 });
      expect(await ask()).toEqual(['The subscription is canceled', 'The subscription is canceled', 200]);
      await database.setTerms(organizationId, {});
      expect(await ask()).toEqual([200, 200, 200]);
    });

    interface Said {
      readonly code: number;
      readonly out: string;
      readonly err: string;
    }

    /** Runs the operator's command as a program of its own. */
    async function admin(...args: string[]): Promise<Said> {
      const program = [join(root, 'tools', 'admin', 'dist', 'main.js'), ...args];
      const options = ['--database-url', stack.devJson.databaseUrl];
      return new Promise((done) => {
        execFile(process.execPath, [...program, ...options], (error, out, err) =>
          done({ code: error ? Number(error.code) : 0, out, err }),
        );
      });
    }
  });
