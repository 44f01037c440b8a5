import { beforeAll, describe, expect, it } from '@jest/globals';
import { AppClient, eventually, testServers } from '@switchboard/testing';
import { startGateway } from '../src/gateway.js';
import { operate } from '../src/operate.js';
import { accountSubject, addressSubject } from '../src/identity/login-throttle/login-throttle.policy.js';
import { bootGateway, issueKey, MemoryLog, type TestGateway } from './gateway-harness.js';
import { lengthenWaits, makeMember, PASSWORD } from './people-harness.js';

const servers = testServers();
let booted: TestGateway;

beforeAll(async () => {
  booted = await bootGateway(servers);
});

const newClient = (): AppClient => new AppClient(booted.gateway.url);

describe('login attempts', () => {
  it('is slowed down per account over all gateways, right passwords included, and goes on after the wait', async () => {
    const user = await makeMember(booted.database);
    const other = await startGateway(booted.config, new MemoryLog());
    try {
      const clients = [newClient(), new AppClient(other.url)];
      const attempt = async (index: number, password: string): Promise<number> =>
        (await clients[index % 2]?.post('/app/api/sign-in', { email: user.email, password }))?.status ?? 0;
      for (let index = 0; index < 10; index++) expect(await attempt(index, 'wrong password')).toBe(401);
      await lengthenWaits(booted.database);
      const refused = await clients[0]?.post('/app/api/sign-in', user);
      expect([refused?.status, refused?.body?.error?.code]).toEqual([429, 'RATE_LIMITED']);
      expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(await attempt(1, PASSWORD)).toBe(429);
      // The wait passes.
      await booted.database.dataSource.query(
        "UPDATE gateway.login_throttle SET next_attempt_at = now() - interval '1 s'",
      );
      // A replica reads the counts again within a second.
      await eventually(async () => (await attempt(1, PASSWORD)) === 200);
      // A right one clears what was before.
      expect(await attempt(0, 'wrong password')).toBe(401);
      expect(await attempt(0, PASSWORD)).toBe(200);
    } finally {
      await other.stop();
    }
  });
});

describe('a browser', () => {
  it('that an account knew is a stranger after a new password that another one asked for, or an operator', async () => {
    const user = await makeMember(booted.database);
    const [page, other] = [newClient(), newClient()];
    for (const client of [page, other]) expect((await client.signIn(user)).status).toBe(200);
    const next = 'a quite different sentence';
    expect((await page.post('/app/api/password', { current: PASSWORD, new: next })).status).toBe(200);
    const strangersHaveTried = async (): Promise<void> => {
      for (let index = 0; index < 10; index++) {
        const { status } = await newClient().post('/app/api/sign-in', { ...user, password: 'wrong password' });
        expect(status).toBe(401);
      }
      await lengthenWaits(booted.database);
    };
    const attempt = async (client: AppClient, password: string): Promise<number> =>
      (await client.post('/app/api/sign-in', { email: user.email, password })).status;
    await strangersHaveTried();
    expect([await attempt(other, next), await attempt(page, next)]).toEqual([429, 200]);
    const { password } = await operate(booted.superuser, 'operator').resetPassword(user.email);
    // A replica reads the counts again within a second.
    await eventually(async () => (await attempt(newClient(), password)) === 200);
    await strangersHaveTried();
    expect(await attempt(page, password)).toBe(429);
  });
});

describe('a flood of login attempts', () => {
  it('from one address about one account keeps no connection from the admission of others', async () => {
    const { database, superuser, gateway } = booted;
    const { secret } = await issueKey(database);
    const user = { email: 'flooded@people.example', password: 'wrong password' };
    expect((await newClient().post('/app/api/sign-in', user)).status).toBe(401);
    // As another replica holds the rows that all of them want, its clock an hour ahead: the wait after ten passes in no test.
    const other = await superuser.connect();
    await other.query(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0;
      UPDATE gateway.login_throttle SET last_attempt_at = last_attempt_at + interval '1 hour'`);
    let answered = 0;
    const answers = Array.from({ length: 80 }, async () => {
      const { status } = await newClient().post('/app/api/sign-in', user);
      answered++;
      return status;
    });
    try {
      const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%INTO login_throttle%'`;
      await eventually(async () => (await superuser.dataSource.query(waiting)).length >= 2);
      // Beyond those that wait, the rest is refused at once.
      await eventually(() => answered >= 80 - 2 - 64);
      const headers = { authorization: `Bearer ${secret}` };
      for (let round = 0; round < 10; round++) {
        expect((await fetch(`${gateway.url}/v1/ping`, { headers })).status).toBe(200);
      }
      expect((await superuser.dataSource.query(waiting)).length).toBeLessThanOrEqual(2);
    } finally {
      await other.query('COMMIT');
      other.release(true);
      await Promise.allSettled(answers);
    }
    const statuses = await Promise.all(answers);
    expect(new Set(statuses)).toEqual(new Set([401, 429, 503]));
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(9);
  });
});

describe('a flood of wrong passwords from the same address', () => {
  it('keeps no right one out: of a browser that the account knows, and of a stranger to another account', async () => {
    const [known, stranger] = [await makeMember(booted.database), await makeMember(booted.database)];
    const page = newClient();
    await page.signIn(known);
    // As after many wrong ones.
    await booted.database.dataSource.query(
      `INSERT INTO gateway.login_throttle (subject, attempts, last_attempt_at, next_attempt_at)
       SELECT subject, 100, now(), now() + interval '1 hour' FROM unnest($1::bytea[]) AS subject
       ON CONFLICT (subject) DO UPDATE SET next_attempt_at = excluded.next_attempt_at`,
      [[accountSubject(known.email), addressSubject('127.0.0.1')]],
    );
    let isOver = false;
    let guesses = 0;
    const flood = async (): Promise<void> => {
      while (!isOver) {
        const email = guesses++ % 2 === 0 ? known.email : `flood-${guesses}@people.example`;
        await newClient().post('/app/api/sign-in', { email, password: 'wrong password' });
      }
    };
    const floods = Array.from({ length: 6 }, flood);
    try {
      for (let round = 0; round < 4; round++) {
        expect((await page.post('/app/api/sign-in', known)).status).toBe(200);
        expect((await newClient().post('/app/api/sign-in', stranger)).status).toBe(200);
      }
      expect((await newClient().post('/app/api/sign-in', known)).status).toBe(429);
    } finally {
      isOver = true;
      await Promise.all(floods);
    }
  });
});
