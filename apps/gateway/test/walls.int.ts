import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, testServers } from '@switchboard/testing';
import { bootGateway, issueKey, sendRaw, type IssuedKey, type RawAnswer, type TestGateway } from './gateway-harness.js';
import { makeMember } from './people-harness.js';

const servers = testServers();
let booted: TestGateway;
let key: IssuedKey;

beforeAll(async () => {
  booted = await bootGateway(servers, { TRUST_PROXY: '1' });
  key = await issueKey(booted.database);
});

/** One request through the proxy in front, of a client at this address. */
const from = (address: string, path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(booted.gateway.url + path, {
    redirect: 'manual',
    ...init,
    headers: { 'x-forwarded-for': `203.0.113.66, ${address}`, ...init.headers },
  });
const withKey = (secret: string): { headers: Record<string, string> } => ({
  headers: { authorization: `Bearer ${secret}` },
});
const signIn = (address: string, body: string): Promise<Response> =>
  from(address, '/app/api/sign-in', {
    method: 'POST',
    headers: { origin: booted.gateway.url, 'content-type': 'application/json' },
    body,
  });
const statusesOf = async (answers: readonly Promise<Response>[]): Promise<Map<number, number>> => {
  const counts = new Map<number, number>();
  for (const { status } of await Promise.all(answers)) counts.set(status, (counts.get(status) ?? 0) + 1);
  return counts;
};

describe('behind a proxy', () => {
  it('takes the address that the proxy saw, without its port, and none that a client claims', async () => {
    const lastAddress = async (): Promise<string | undefined> => {
      const [row] = await booted.database.dataSource.query<{ address: string }[]>(
        'SELECT host(last_used_address) AS address FROM gateway.api_key WHERE id = $1',
        [key.keyId],
      );
      return row?.address;
    };
    for (const [shown, address] of [
      ['198.51.100.7:4711', '198.51.100.7'],
      ['[2001:db8::7]:4711', '2001:db8::7'],
      ['2001:db8::8', '2001:db8::8'],
    ] as const) {
      expect((await from(shown, '/v1/ping', withKey(key.secret))).status).toBe(200);
      await eventually(async () => (await lastAddress()) === address);
    }
  });

  it('limits bad keys by network: over many connections 429 comes in time, others and good keys pass', async () => {
    const bad = withKey('svc_live_none');
    // Twenty come back a second: on a machine that is busy with other work more of them are asked for before the first is refused.
    const isLimited = await eventually(
      async () => {
        const startedMs = performance.now();
        const counts = await statusesOf(
          [...Array(300).keys()].map((index) => from(`[2001:db8:0:1::${index.toString(16)}]:80`, '/v1/ping', bad)),
        );
        expect([...counts.keys()].filter((status) => status !== 401 && status !== 429)).toEqual([]);
        const taken = counts.get(401) ?? 0;
        return counts.has(429) && { isInTime: taken < 100 + (500 + performance.now() - startedMs) / 50 + 1 };
      },
      { deadlineMs: 120_000 },
    );
    expect(isLimited).toEqual({ isInTime: true });
    const late = await from('2001:db8:0:1::ffff', '/v1/ping', bad);
    expect(late.status === 401 || Number(late.headers.get('retry-after')) >= 1).toBe(true);
    expect((await from('2001:db8:0:1::ffff', '/v1/ping', withKey(key.secret))).status).toBe(200);
    expect((await from('2001:db8:0:2::1', '/v1/ping', bad)).status).toBe(401);
  });
});

describe('forms of strangers', () => {
  it('have at most 16 KiB, announced or not', async () => {
    const large = JSON.stringify({ email: 'a@example.test', password: 'x'.repeat(16_384) });
    expect((await signIn('192.0.2.1', large)).status).toBe(413);
    const head = `POST /app/api/sign-in HTTP/1.1\r\nHost: x\r\nOrigin: http://x\r\nContent-Type: application/json`;
    const chunked = `${head}\r\nTransfer-Encoding: chunked\r\n\r\n${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`;
    expect((await sendRaw(booted.gateway.url, chunked)).map(({ status }) => status)).toEqual([413]);
    // No account has it: it is read, and refused as a wrong password.
    const fitting = JSON.stringify({ email: 'a@example.test', password: 'x'.repeat(100) });
    expect((await signIn('192.0.2.1', fitting)).status).toBe(401);
  });

  it('are limited by network once they are refused for their form, and right ones of other networks pass', async () => {
    // As above: what comes back meanwhile may be more than a busy machine asks for.
    await eventually(async () => {
      const counts = await statusesOf([...Array(250).keys()].map(() => signIn('192.0.2.9', '{"email":')));
      expect([...counts.keys()].filter((status) => status !== 400 && status !== 429)).toEqual([]);
      return counts.has(429);
    });
    const { email, password } = await makeMember(booted.database);
    expect((await signIn('192.0.2.10', JSON.stringify({ email, password }))).status).toBe(200);
  });
});

describe('security headers', () => {
  const ask = async (target: string, ...headers: readonly string[]): Promise<RawAnswer | undefined> => {
    const [answer] = await sendRaw(
      booted.gateway.url,
      [`GET ${target} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n'),
    );
    return answer;
  };

  it.each(['/%61pp', '/a%70p/api/session', '/app/%61pi/session', '/%61pp/nothing', '/app/%61pi/nothing', '/%61pp/%zz'])(
    '%s has those of the application, however it is written',
    async (target) => {
      const answer = await ask(target);
      expect(answer?.headers.get('x-frame-options')).toBe('DENY');
      expect(answer?.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      if (target.includes('i/')) {
        expect([answer?.status, answer?.headers.get('www-authenticate')]).toEqual([401, 'Cookie']);
        expect(answer?.headers.get('cache-control')).toBe('no-store');
      }
    },
  );

  it('asks for a key under /v1, however it is written, and names the methods of a path', async () => {
    expect((await ask('/%761/nothing'))?.status).toBe(401);
    expect((await ask('/%761/ping'))?.headers.get('cache-control')).toBe('no-store');
    const wrong = await ask('/v1/p%69ng/', `Authorization: Bearer ${key.secret}`);
    expect(wrong?.status).toBe(404);
  });

  it('say on every path of a site on https to stay there, and never over http', async () => {
    const paths = [
      '/v1/ping',
      '/v1/openapi.json',
      '/docs',
      '/app',
      '/app/api/session',
      '/nothing',
      '/health/live',
      '/api/v1/x',
    ];
    for (const path of paths) {
      const secure = await ask(path, 'X-Forwarded-Proto: https');
      expect([path, secure?.headers.get('strict-transport-security')]).toEqual([path, 'max-age=31536000']);
      expect([path, (await ask(path))?.headers.has('strict-transport-security')]).toEqual([path, false]);
    }
  });
});
