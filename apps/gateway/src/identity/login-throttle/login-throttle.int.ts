import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '@switchboard/postgres';
import { FakeClock, testServers } from '@switchboard/testing';
import { PASSWORD } from '../../../test/people-harness.js';
import { gatewayMigrations } from '../../migrations/all.js';
import { Passwords } from '../password/passwords.js';
import { LoginThrottle } from './login-throttle.js';

const HOUR_MS = 3_600_000;
const servers = testServers();
const clock = new FakeClock();
let database: Database;

beforeAll(async () => {
  database = await (await servers.serviceDatabase('gateway', gatewayMigrations)).database();
});

const codeOf = async (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: { code?: string }) => error.code,
  );

describe('login attempts', () => {
  it('are counted before they are checked, by every replica, however far their clocks are apart', async () => {
    const early = new FakeClock(clock.now() - 5_000);
    const limits = [new LoginThrottle(database, clock), new LoginThrottle(database, early)];
    const attempt = { email: 'attempted@people.example', address: '198.51.100.1' };
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, index) => codeOf(limits[index % 2]?.count(attempt) ?? Promise.resolve())),
    );
    expect(outcomes.filter((code) => code === undefined)).toHaveLength(10);
    expect(outcomes.filter((code) => code === 'RATE_LIMITED')).toHaveLength(30);
  });

  it('wait twice as long each time, a quarter of an hour at most, and are forgotten after a day', async () => {
    const limit = new LoginThrottle(database, clock);
    const attempt = { email: 'patient@people.example', address: '198.51.100.2' };
    for (let index = 0; index < 10; index++) await limit.count(attempt);
    const waits: number[] = [];
    for (let index = 0; index < 13; index++) {
      const refusal = await limit.count(attempt).catch((error: { retryAfterSeconds: number }) => error);
      const seconds = refusal?.retryAfterSeconds ?? 0;
      waits.push(seconds);
      clock.advance(seconds * 1_000 - 1);
      expect(await codeOf(limit.count({ ...attempt, address: `203.0.113.${index}` }))).toBe('RATE_LIMITED');
      clock.advance(1);
      await limit.count({ ...attempt, address: `203.0.113.${100 + index}` });
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]);
    clock.advance(24 * HOUR_MS + 1);
    for (let index = 0; index < 10; index++) await limit.count(attempt);
  });

  it('that are refused once are refused again without the database, and a right one is known within a second', async () => {
    let queries = 0;
    const counting: Pick<Database, 'query'> = {
      query: (statement, values) => {
        queries++;
        return database.query(statement, values);
      },
    };
    const [limit, other] = [new LoginThrottle(counting, clock), new LoginThrottle(database, clock)];
    const attempt = { email: 'flooded@people.example', address: '198.51.100.3' };
    const outcomes = await Promise.all(Array.from({ length: 66 }, () => codeOf(limit.count(attempt))));
    expect(outcomes.filter((code) => code === undefined)).toHaveLength(10);
    expect(outcomes.filter((code) => code === 'RATE_LIMITED')).toHaveLength(56);
    const before = queries;
    // Ten that were taken, and two that were under way when the first refusal came.
    expect(before).toBeLessThanOrEqual(10 * 2 + 2 * 3);
    for (let index = 0; index < 500; index++) {
      const refusal = await limit.count({ ...attempt, address: `203.0.114.${index}` }).catch((error: unknown) => error);
      expect(refusal).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 1 });
    }
    expect(queries).toBe(before);
    // Deeper in, where the wait is longer than a replica trusts what it knows.
    for (let waitMs = 1_000; waitMs <= 8_000; waitMs *= 2) {
      clock.advance(waitMs);
      await other.count(attempt);
    }
    expect(await codeOf(limit.count(attempt))).toBe('RATE_LIMITED');
    await other.forgive(attempt);
    expect(await codeOf(limit.count(attempt))).toBe('RATE_LIMITED');
    clock.advance(1_000);
    expect(await codeOf(limit.count(attempt))).toBeUndefined();
    const crowd = await Promise.all(
      Array.from({ length: 70 }, (_, index) => codeOf(limit.count({ email: `crowd-${index}`, address: `${index}` }))),
    );
    expect(crowd.filter((code) => code === 'SERVICE_UNAVAILABLE')).toHaveLength(4);
  });

  it('from one address about many accounts are slowed down too, and a right one among them does not help', async () => {
    const limit = new LoginThrottle(database, clock);
    const own = { email: 'own@people.example', address: '2001:db8:0:1::1' };
    for (let index = 0; index < 50; index++) {
      await limit.count({ email: `many-${index}@people.example`, address: `2001:db8:0:1:${index.toString(16)}::2` });
      if (index % 10 === 0) {
        await limit.count(own);
        await limit.forgive(own);
      }
    }
    expect(await codeOf(limit.count(own))).toBe('RATE_LIMITED');
    expect(await codeOf(limit.count({ ...own, address: '2001:db8:0:2::1' }))).toBeUndefined();
  });
});

describe('passwords', () => {
  it('are checked few at a time, and beyond a bound not at all', async () => {
    const passwords = new Passwords();
    const hash = await passwords.hash(PASSWORD);
    const outcomes = await Promise.all(Array.from({ length: 70 }, () => codeOf(passwords.verify(hash, PASSWORD))));
    expect(outcomes.filter((code) => code === undefined)).toHaveLength(66);
    expect(outcomes.filter((code) => code === 'SERVICE_UNAVAILABLE')).toHaveLength(4);
    expect(await passwords.verify(hash, PASSWORD)).toBe(true);
  });

  it('are the same in whatever form Unicode has for them, and none is right where there is no account', async () => {
    const passwords = new Passwords();
    const hash = await passwords.hash('caf\u00e9 caf\u00e9 caf\u00e9');
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await passwords.verify(hash, 'cafe\u0301 caf\u00e9 cafe\u0301')).toBe(true);
    expect(await passwords.verify(hash, 'cafe cafe cafe')).toBe(false);
    expect(await passwords.verify(null, 'cafe cafe cafe')).toBe(false);
  });
});
