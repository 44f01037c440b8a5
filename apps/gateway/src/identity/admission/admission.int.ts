import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '@switchboard/postgres';
import { askAgain, testServers } from '@switchboard/testing';
import fc from 'fast-check';
import { issueKey, type IssuedKey } from '../../../test/gateway-harness.js';
import { gatewayMigrations } from '../../migrations/all.js';
import { hashOfKey, mintKey } from '../api-key/api-key.policy.js';
import type { Verdict } from '../admission.contract.js';
import { runAdmissions, type KeyAnswer, type KeyQuestion } from './admission.batch.js';
import { DatabaseAdmission } from './admission.js';

const servers = testServers();
let database: Database;
let replicas: Database[];

beforeAll(async () => {
  const prepared = await servers.serviceDatabase('gateway', gatewayMigrations);
  database = await prepared.database();
  replicas = await Promise.all([1, 2, 3].map(() => prepared.database()));
});

const question = (key: { readonly secret: string }, cost: 0 | 1 = 1): KeyQuestion => ({
  hash: hashOfKey(key.secret),
  cost,
  askedMs: performance.now(),
});

/** What a caller can see of an answer, without what depends on how much time has passed. */
function seen(answer: KeyAnswer): unknown {
  if (!answer) return null;
  const { isGranted, rate } = answer.answer;
  return { organizationId: answer.key.organizationId, isGranted, limit: rate.limit, remaining: rate.remaining };
}

async function run(questions: readonly KeyQuestion[]): Promise<KeyAnswer[]> {
  const outcomes = await runAdmissions(database, questions);
  return outcomes.map((outcome) => {
    if ('ok' in outcome) return outcome.ok;
    throw outcome.error;
  });
}

/** Time hardly matters at one request a minute: what a test asks within a second, it asks at once. */
const SLOW = { requestsPerMinute: 1 };

describe('admission', () => {
  it('answers a batch as its questions one by one: keys, organizations, strangers, costs and revoked keys mixed', async () => {
    const shape = fc.array(fc.record({ who: fc.nat({ max: 5 }), cost: fc.constantFrom<0 | 1>(0, 1, 1, 1) }), {
      minLength: 1,
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(shape, fc.integer({ min: 1, max: 6 }), async (asks, burst) => {
        const world = async (): Promise<IssuedKey[]> => {
          const first = await issueKey(database, { ...SLOW, burst });
          const second = await issueKey(database, { ...SLOW, burst: burst + 2 });
          const sibling = await issueKey(database, { organizationId: first.organizationId });
          const revoked = await issueKey(database, { organizationId: second.organizationId });
          await database.dataSource.query('UPDATE gateway.api_key SET revoked_at = now() WHERE id = $1', [
            revoked.keyId,
          ]);
          return [first, second, sibling, revoked, { organizationId: '', keyId: '', secret: mintKey().secret }];
        };
        const [together, apart] = [await world(), await world()];
        const pick = (keys: IssuedKey[], who: number): IssuedKey => keys[who % keys.length] ?? fail();
        const batch = await run(asks.map(({ who, cost }) => question(pick(together, who), cost)));
        const single: KeyAnswer[] = [];
        for (const { who, cost } of asks) single.push(...(await run([question(pick(apart, who), cost)])));
        const names = new Map(
          apart.map(({ organizationId }, index) => [organizationId, together[index]?.organizationId]),
        );
        expect(batch.map(seen)).toEqual(
          single.map((answer) => {
            const one = seen(answer) as { organizationId: string } | null;
            return one && { ...one, organizationId: names.get(one.organizationId) };
          }),
        );
      }),
      { numRuns: 25 },
    );
  });

  it('is the generic cell rate algorithm: a full burst, then one request per interval, never more', async () => {
    const key = await issueKey(database, { requestsPerMinute: 1, burst: 3 });
    const setAhead = (aheadMicros: number): Promise<unknown> =>
      database.dataSource.query(
        `UPDATE gateway.rate_limit SET theoretical_arrival =
           (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + $2 WHERE organization_id = $1`,
        [key.organizationId, aheadMicros],
      );
    const burst = await run([1, 2, 3, 4].map(() => question(key)));
    expect(burst.map((answer) => answer?.answer.isGranted)).toEqual([true, true, true, false]);
    expect(burst.map((answer) => answer?.answer.rate.remaining)).toEqual([2, 1, 0, 0]);
    expect(burst[3]?.answer.retryAfterSeconds).toBe(60);
    expect(burst[3]?.answer.rate.resetSeconds).toBe(180);
    // Just over the tolerance of two intervals: refused, and what was stored does not move on.
    await setAhead(174_000_000);
    const [late] = await run([question(key)]);
    expect(late?.answer.isGranted).toBe(false);
    expect(late?.answer.retryAfterSeconds).toBeGreaterThanOrEqual(1);
    expect(late?.answer.retryAfterSeconds).toBeLessThanOrEqual(54);
    await setAhead(114_000_000);
    expect((await run([question(key), question(key)])).map((answer) => answer?.answer.isGranted)).toEqual([
      true,
      false,
    ]);
    // A long rest gives back the burst and no more.
    await setAhead(-3_600_000_000);
    const rested = await run([1, 2, 3, 4, 5].map(() => question(key)));
    expect(rested.filter((answer) => answer?.answer.isGranted)).toHaveLength(3);
  });

  it('counts what was taken under a slower plan as requests of the faster one', async () => {
    // So slow that hardly a request comes back while a busy machine asks.
    const key = await issueKey(database, { requestsPerMinute: 2, burst: 60 });
    const granted = async (asked: number): Promise<number> => {
      const answers = await run(Array.from({ length: asked }, () => question(key)));
      return answers.filter((answer) => answer?.answer.isGranted).length;
    };
    const setRate = (requestsPerMinute: number, burst: number): Promise<unknown> =>
      database.dataSource.query(
        'UPDATE gateway.organization SET requests_per_minute = $2, request_burst = $3 WHERE id = $1',
        [key.organizationId, requestsPerMinute, burst],
      );
    expect(await granted(70)).toBe(60);
    // One request in half a minute gives way to two: 60 of 200 are taken.
    await setRate(4, 200);
    const left = await granted(300);
    expect([left >= 140, left < 150]).toEqual([true, true]);
    // Under the slower plan again, what is owed at most is a burst of it.
    await setRate(1, 2);
    expect(await granted(10)).toBeLessThanOrEqual(2);
    await setRate(60, 60);
    expect(await granted(1)).toBe(1);
  });

  it('loses no request of a burst to a batch that read the clock before another one was counted', async () => {
    const key = await issueKey(database, { requestsPerMinute: 1, burst: 3 });
    await run([question(key)]);
    // As the other batch left it, which read the clock later.
    await database.dataSource.query(
      `UPDATE gateway.rate_limit SET clock = later.clock, theoretical_arrival = later.clock + 60000000
       FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + 400000 AS clock) AS later
       WHERE organization_id = $1`,
      [key.organizationId],
    );
    const rest = await run([1, 2, 3].map(() => question(key)));
    expect(rest.map((answer) => answer?.answer.isGranted)).toEqual([true, true, false]);
    expect(rest.map((answer) => answer?.answer.rate.remaining)).toEqual([1, 0, 0]);
  });

  it('takes no request of a burst because the clock steps back', async () => {
    const key = await issueKey(database, { requestsPerMinute: 1, burst: 3 });
    await run([question(key)]);
    // As a clock left it that was ten minutes ahead.
    await database.dataSource.query(
      `UPDATE gateway.rate_limit SET clock = clock + 600000000, theoretical_arrival = theoretical_arrival + 600000000
       WHERE organization_id = $1`,
      [key.organizationId],
    );
    const rest = await run([1, 2, 3].map(() => question(key)));
    expect(rest.map((answer) => answer?.answer.isGranted)).toEqual([true, true, false]);
  });

  it('grants a burst exactly once over concurrent batches of several replicas', async () => {
    const keys = [await issueKey(database, { ...SLOW, burst: 50 }), await issueKey(database, { ...SLOW, burst: 70 })];
    const admissions = replicas.map((replica) => new DatabaseAdmission(replica));
    let refusals = 0;
    const admitted = (admission: DatabaseAdmission, { secret }: IssuedKey): Promise<Verdict> =>
      admission.admit({ key: secret, scope: null, cost: 1 }).catch((error: unknown) => {
        refusals++;
        throw error;
      });
    const verdicts = await Promise.all(
      Array.from({ length: 600 }, async (_, index) => {
        const key = keys[index % 2] ?? fail();
        const admission = admissions[index % 3] ?? fail();
        return { key, verdict: await askAgain(() => admitted(admission, key)) };
      }),
    );
    const granted = (key: IssuedKey | undefined): number =>
      verdicts.filter((one) => one.key === key && one.verdict.state === 'admitted').length;
    const bursts = [granted(keys[0]), granted(keys[1])];
    // On a busy machine a batch may be counted that outlasted its callers.
    expect(refusals > 0 ? bursts.map((most, index) => Math.max(most, [50, 70][index] ?? 0)) : bursts).toEqual([50, 70]);
    expect(verdicts.every(({ verdict }) => verdict.state !== 'unknown-key')).toBe(true);
    await Promise.all(admissions.map((admission) => admission.beforeApplicationShutdown()));
  });

  it('refuses a key from the moment its revocation is committed, and looks up any other svc_ key', async () => {
    const admission = new DatabaseAdmission(database);
    const key = await issueKey(database);
    const admit = (secret: string | null) => admission.admit({ key: secret, scope: 'contacts:read', cost: 1 });
    expect((await admit(key.secret)).state).toBe('admitted');
    await database.dataSource.query('UPDATE gateway.api_key SET revoked_at = now() WHERE id = $1', [key.keyId]);
    expect((await admit(key.secret)).state).toBe('unknown-key');
    expect((await admit(null)).state).toBe('unknown-key');
    const other = 'svc_an-old-form.of/key';
    await database.dataSource.query(
      `INSERT INTO gateway.api_key (id, organization_id, label, prefix, secret_hash) VALUES ('c1234567', $1, '', '', decode($2, 'hex'))`,
      [key.organizationId, hashOfKey(other)],
    );
    expect(await admit(other)).toMatchObject({ state: 'admitted', organizationId: key.organizationId, hasScope: true });
    await admission.beforeApplicationShutdown();
  });

  it('answers scope and plan: the key list alone decides the first, plan and subscription the second', async () => {
    const admission = new DatabaseAdmission(database);
    const ask = async (input: Parameters<typeof issueKey>[1], scope: 'messages:send' | 'analytics:read') => {
      const { secret } = await issueKey(database, input);
      return admission.admit({ key: secret, scope, cost: 1 });
    };
    expect(await ask({ scopes: ['messages:send'] }, 'messages:send')).toMatchObject({
      hasScope: true,
      paymentRefusal: null,
    });
    expect(await ask({ scopes: ['messages:send'] }, 'analytics:read')).toMatchObject({ hasScope: false });
    expect(await ask({ plan: 'TRIAL' }, 'analytics:read')).toMatchObject({
      hasScope: true,
      paymentRefusal: 'The plan TRIAL does not include `analytics:read`',
    });
    expect(await ask({ status: 'PAST_DUE' }, 'messages:send')).toMatchObject({
      paymentRefusal: expect.stringContaining('past due'),
    });
    expect(await ask({ status: 'PAST_DUE' }, 'analytics:read')).toMatchObject({ paymentRefusal: null });
    expect(await ask({ status: 'CANCELED' }, 'analytics:read')).toMatchObject({
      paymentRefusal: 'The subscription is canceled',
    });
    for (const [status, isRefused] of [
      ['PAST_DUE', false],
      ['CANCELED', true],
    ] as const) {
      const { secret } = await issueKey(database, { status, plan: 'TRIAL' });
      const steered = await admission.admit({ key: secret, scope: 'templates:send', payment: 'any-plan', cost: 1 });
      expect('paymentRefusal' in steered && steered.paymentRefusal !== null).toBe(isRefused);
    }
    await admission.beforeApplicationShutdown();
  });

  it("answers the present quota of messages: the plan's, or the organization's own as soon as it has one", async () => {
    const admission = new DatabaseAdmission(database);
    const key = await issueKey(database, { plan: 'GROWTH' });
    const quota = async (): Promise<unknown> => {
      const verdict = await admission.admit({ key: key.secret, scope: 'messages:send', cost: 1 });
      return verdict.state === 'admitted' ? verdict.messagesPerMonth : verdict.state;
    };
    const set = (sql: string): Promise<unknown> =>
      database.dataSource.query(`UPDATE gateway.organization SET ${sql} WHERE id = $1`, [key.organizationId]);
    expect(await quota()).toBe(500_000);
    await set('messages_per_month = 0');
    expect(await quota()).toBe(0);
    await set("messages_per_month = NULL, plan = 'SCALE'");
    expect(await quota()).toBe(50_000_000);
    await admission.beforeApplicationShutdown();
  });
});

function fail(): never {
  throw new Error('the test asks for what it has not made');
}
