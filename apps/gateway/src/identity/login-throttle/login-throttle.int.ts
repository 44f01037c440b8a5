import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '@switchboard/postgres';
import { FakeClock, testServers } from '@switchboard/testing';
import { PASSWORD } from '../../../test/people-harness.js';
import { gatewayMigrations } from '../../migrations/all.js';
import { Passwords } from '../password/passwords.js';
import { DeviceCookies } from '../device/device-cookies.js';
import { accountSubject, type Acquaintance } from './login-throttle.policy.js';
import { forgetAttempts } from './login-throttle.repository.js';
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

const devices = new DeviceCookies({ current: Buffer.alloc(32, 7), previous: null }, clock);
const renewed = (cookie: string | null, email: string, deviceEpoch = 0): string =>
  devices.renewed(cookie, { email, deviceEpoch });
const throttle = (on: Pick<Database, 'query'> = database, at: FakeClock = clock): LoginThrottle =>
  new LoginThrottle(on, at, devices);
interface Guess {
  readonly email: string;
  readonly address: string;
  readonly deviceCookie?: string;
  /** The present one of the account. */
  readonly deviceEpoch?: number;
}
const attempt = (
  limit: LoginThrottle | undefined,
  { email, address, deviceCookie = '', deviceEpoch = 0 }: Guess,
  check: (of: Acquaintance) => Promise<true | null>,
): Promise<unknown> =>
  (limit ?? throttle()).attempt(
    {
      email,
      source: { address, browser: { userAgent: null, deviceCookie } },
      deviceEpoch: () => Promise.resolve(deviceEpoch),
    },
    check,
  );
const wrong = (limit: LoginThrottle | undefined, guess: Guess): Promise<unknown> =>
  attempt(limit, guess, async () => null);
const right = (limit: LoginThrottle | undefined, guess: Guess): Promise<unknown> =>
  attempt(limit, guess, async () => true);

describe('login attempts', () => {
  it('are counted before they are checked, by every replica, however far their clocks are apart', async () => {
    const early = new FakeClock(clock.now() - 5_000);
    const limits = [throttle(), throttle(database, early)];
    const guess = { email: 'attempted@people.example', address: '198.51.100.1' };
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, index) => codeOf(wrong(limits[index % 2], guess))),
    );
    expect(outcomes.filter((code) => code === undefined)).toHaveLength(10);
    expect(outcomes.filter((code) => code === 'RATE_LIMITED')).toHaveLength(30);
  });

  it('wait twice as long each time, a quarter of an hour at most, and are forgotten after a day', async () => {
    const limit = throttle();
    const guess = { email: 'patient@people.example', address: '198.51.100.2' };
    for (let index = 0; index < 10; index++) await wrong(limit, guess);
    const waits: number[] = [];
    for (let index = 0; index < 13; index++) {
      const refusal = await wrong(limit, guess).catch((error: unknown) => error);
      const seconds = Number(Object(refusal).retryAfterSeconds ?? 0);
      waits.push(seconds);
      clock.advance(seconds * 1_000 - 1);
      expect(await codeOf(wrong(limit, { ...guess, address: `203.0.113.${index}` }))).toBe('RATE_LIMITED');
      clock.advance(1);
      await wrong(limit, { ...guess, address: `203.0.113.${100 + index}` });
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]);
    clock.advance(24 * HOUR_MS + 1);
    for (let index = 0; index < 10; index++) await wrong(limit, guess);
  });

  it('that are refused once are refused again without the database, and a right one is known within a second', async () => {
    let queries = 0;
    const counting: Pick<Database, 'query'> = {
      query: (statement, values) => {
        queries++;
        return database.query(statement, values);
      },
    };
    const [limit, other] = [throttle(counting), throttle()];
    const guess = { email: 'flooded@people.example', address: '198.51.100.3' };
    const outcomes = await Promise.all(Array.from({ length: 66 }, () => codeOf(wrong(limit, guess))));
    expect(outcomes.filter((code) => code === undefined)).toHaveLength(10);
    expect(outcomes.filter((code) => code === 'RATE_LIMITED')).toHaveLength(56);
    const before = queries;
    // Ten that were taken, and two that were under way when the first refusal came.
    expect(before).toBeLessThanOrEqual(10 * 3 + 2 * 2);
    for (let index = 0; index < 500; index++) {
      const refusal = await wrong(limit, { ...guess, address: `203.0.114.${index}` }).catch((error: unknown) => error);
      expect(refusal).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 1 });
    }
    expect(queries).toBe(before);
    // Deeper in, where the wait is longer than a replica trusts what it knows.
    for (let waitMs = 1_000; waitMs <= 8_000; waitMs *= 2) {
      clock.advance(waitMs);
      await wrong(other, guess);
    }
    expect(await codeOf(wrong(limit, guess))).toBe('RATE_LIMITED');
    await database.query(forgetAttempts, [accountSubject(guess.email)]);
    expect(await codeOf(wrong(limit, guess))).toBe('RATE_LIMITED');
    clock.advance(1_000);
    expect(await codeOf(wrong(limit, guess))).toBeUndefined();
    const crowd = await Promise.all(
      Array.from({ length: 70 }, (_, index) => codeOf(wrong(limit, { email: `crowd-${index}`, address: `${index}` }))),
    );
    expect(crowd.filter((code) => code === 'SERVICE_UNAVAILABLE')).toHaveLength(4);
  });

  it('from one address about many accounts are checked one after the other, and a right one among them is taken', async () => {
    const limit = throttle();
    const own = { email: 'own@people.example', address: '2001:db8:0:1::1' };
    for (let index = 0; index < 50; index++) {
      await wrong(limit, { email: `many-${index}@people.example`, address: `2001:db8:0:1:${index.toString(16)}::2` });
    }
    let [atOnce, most] = [0, 0];
    const check = async (): Promise<null> => {
      most = Math.max(most, ++atOnce);
      await new Promise((resolve) => setImmediate(resolve));
      atOnce--;
      return null;
    };
    const flood = Array.from({ length: 60 }, (_, index) =>
      codeOf(attempt(limit, { ...own, email: `flood-${index}@people.example` }, check)),
    );
    const outcomes = await Promise.all(flood);
    expect([most, outcomes.filter((code) => code === undefined).length >= 33]).toEqual([1, true]);
    expect(await right(limit, own)).toBe(true);
    // Two of another network are checked at once: else neither would end.
    const both = Promise.withResolvers<null>();
    let inside = 0;
    const together = (): Promise<null> => {
      if (++inside === 2) both.resolve(null);
      return both.promise;
    };
    const others = ['a', 'b'].map((name) =>
      attempt(limit, { email: `other-${name}@people.example`, address: '2001:db8:0:2::1' }, together),
    );
    expect(await Promise.all(others)).toEqual([null, null]);
  });

  it('of strangers use up none of a browser that has signed in before, which has ten of its own', async () => {
    const limit = throttle();
    const guess = { email: 'owner@people.example', address: '198.51.100.9' };
    const deviceCookie = renewed(null, guess.email);
    for (let index = 0; index < 10; index++) await wrong(limit, guess);
    expect(await codeOf(wrong(limit, guess))).toBe('RATE_LIMITED');
    for (let index = 0; index < 9; index++) expect(await wrong(limit, { ...guess, deviceCookie })).toBeNull();
    expect(await right(limit, { ...guess, deviceCookie })).toBe(true);
    for (let index = 0; index < 10; index++) expect(await wrong(limit, { ...guess, deviceCookie })).toBeNull();
    expect(await codeOf(right(limit, { ...guess, deviceCookie }))).toBe('RATE_LIMITED');
    // Its failures are those of no stranger, and a cookie of another account is a stranger's.
    clock.advance(1_000);
    expect(await codeOf(wrong(limit, guess))).toBeUndefined();
    const foreign = renewed(null, 'other@people.example');
    expect(await codeOf(wrong(limit, { ...guess, deviceCookie: foreign }))).toBe('RATE_LIMITED');
    const known: Acquaintance[] = [];
    const second = renewed(renewed(null, guess.email), 'other@people.example');
    await attempt(limit, { ...guess, deviceCookie: second }, async (of) => (known.push(of), true));
    expect(known).toEqual(['known']);
  });

  it('of a browser that was known in a past epoch of the account are those of a stranger, and take no place of known ones', async () => {
    const limit = throttle();
    const guess = { email: 'epochs@people.example', address: '198.51.100.12', deviceEpoch: 1 };
    const [past, present] = [renewed(null, guess.email), renewed(null, guess.email, 1)];
    const of = async (deviceCookie: string): Promise<Acquaintance[]> => {
      const known: Acquaintance[] = [];
      await attempt(limit, { ...guess, deviceCookie }, async (acquaintance) => (known.push(acquaintance), true));
      return known;
    };
    expect([await of(past), await of(present)]).toEqual([['stranger'], ['known']]);
    const flood = Array.from({ length: 30 }, () => codeOf(wrong(limit, { ...guess, deviceCookie: past })));
    expect(await of(present)).toEqual(['known']);
    const outcomes = await Promise.all(flood);
    expect(outcomes.filter((code) => code === undefined)).toHaveLength(10);
    expect(await of(present)).toEqual(['known']);
  });

  it('of one account keep no known browser of another out, however many browsers it has, with right passwords or wrong', async () => {
    const [limit, passwords] = [throttle(), new Passwords()];
    const hash = await passwords.hash(PASSWORD);
    const check = async (of: Acquaintance): Promise<true | null> =>
      (await passwords.verify(hash, PASSWORD, of)) ? true : null;
    const many = { email: 'browsers@people.example', address: '198.51.100.10' };
    const own = { email: 'browser@people.example', address: '198.51.100.11' };
    const marks = Array.from({ length: 12 }, () => renewed(null, many.email));
    // Fewer of each browser than are counted.
    const flood = marks.flatMap((deviceCookie) =>
      Array.from({ length: 9 }, () => codeOf(attempt(limit, { ...many, deviceCookie }, check))),
    );
    const deviceCookie = renewed(null, own.email);
    for (let round = 0; round < 3; round++) expect(await attempt(limit, { ...own, deviceCookie }, check)).toBe(true);
    const outcomes = await Promise.all(flood);
    expect(outcomes.filter((code) => code === undefined)).toHaveLength(3);
    expect(outcomes.filter((code) => code === 'RATE_LIMITED')).toHaveLength(105);
    expect(await attempt(limit, { ...many, deviceCookie: marks[0] ?? '' }, check)).toBe(true);
  });
});

describe('a device', () => {
  it('is known for half a year after its last sign-in, and another one in another epoch', () => {
    const email = 'late@example.org';
    const cookie = renewed(null, email);
    clock.advance(100 * 24 * HOUR_MS);
    const again = renewed(cookie, email);
    expect(devices.deviceOf(again, email)).toEqual(devices.deviceOf(cookie, email));
    const later = renewed(cookie, email, 1);
    expect(devices.deviceOf(later, email)).toMatchObject({ epoch: 1 });
    expect(devices.deviceOf(later, email)?.id).not.toBe(devices.deviceOf(cookie, email)?.id);
    clock.advance(80 * 24 * HOUR_MS);
    expect([devices.deviceOf(cookie, email), devices.deviceOf(again, email) === null]).toEqual([null, false]);
  });

  it('is known by a cookie that cannot be forged, of every account that it signed in to, under the former key too', () => {
    const email = 'ada@example.org';
    const cookie = renewed(null, email);
    const device = devices.deviceOf(cookie, email);
    expect(device).toEqual({ id: expect.stringMatching(/^[0-9a-f]{32}$/), epoch: 0 });
    const both = renewed(cookie, 'grace@example.org');
    expect([devices.deviceOf(both, email), devices.deviceOf(renewed(both, email), email)]).toEqual([device, device]);
    expect(both).not.toContain(email);
    for (const bad of [null, '', 'x', cookie.slice(1), `A${cookie.slice(1)}`, cookie.slice(0, -1), `${cookie}A`]) {
      if (bad !== cookie) expect(devices.deviceOf(bad, email)).toBeNull();
    }
    const [former, current] = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)];
    expect(new DeviceCookies({ current, previous: former }, clock).deviceOf(cookie, email)).toEqual(device);
    expect(new DeviceCookies({ current, previous: null }, clock).deviceOf(cookie, email)).toBeNull();
    let many = cookie;
    for (let index = 0; index < 9; index++) many = renewed(many, `${index}@example.org`);
    expect([many.split('.').length, devices.deviceOf(many, email)]).toEqual([5, null]);
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
