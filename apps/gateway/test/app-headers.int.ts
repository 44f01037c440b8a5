import { beforeAll, describe, expect, it } from '@jest/globals';
import { AppClient, type Credentials, testServers } from '@switchboard/testing';
import { startGateway } from '../src/gateway.js';
import { bootGateway, MemoryLog, type TestGateway } from './gateway-harness.js';
import { makeMember } from './people-harness.js';

const servers = testServers();
let booted: TestGateway;

beforeAll(async () => {
  booted = await bootGateway(servers);
});

const newClient = (): AppClient => new AppClient(booted.gateway.url);
const signedIn = (user: Credentials): Promise<AppClient> => AppClient.signedIn(booted.gateway.url, user);

describe('the application', () => {
  it('shows the existing routes to sessions alone, as under /v1 to keys', async () => {
    const stranger = newClient();
    for (const path of ['/app/api', '/app/api/nothing', '/app/api/session/x']) {
      expect((await stranger.get(path)).status).toBe(401);
    }
    const client = await signedIn(await makeMember(booted.database));
    expect((await client.get('/app/api/nothing')).status).toBe(404);
    const wrong = await client.get('/app/api/sign-out');
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST']);
    const text = await client.ask('POST', '/app/api/password', 'x', { 'content-type': 'text/plain' });
    expect(text.status).toBe(415);
  });

  it('shows strict headers on every answer and lets none be kept', async () => {
    const client = await signedIn(await makeMember(booted.database));
    const paths = ['/app/api/session', '/app/api/nothing', '/app', '/app/nothing'];
    for (const path of paths) {
      const { headers } = await client.get(path);
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';.* frame-ancestors 'none'/);
      expect([headers.get('x-content-type-options'), headers.get('referrer-policy')]).toEqual([
        'nosniff',
        'no-referrer',
      ]);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.has('strict-transport-security')).toBe(false);
    }
  });

  it('shows the page at every address below it, however long, and leads from one that ends in slashes to it', async () => {
    const client = newClient();
    for (const path of ['/app/settings/keys', '/app/a/b/c/d/e/f', '/app/inbox/%2F']) {
      const { status, headers } = await client.get(path);
      expect([path, status, headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8']);
    }
    const moved = {
      '/app/': '/app',
      '/app/inbox/': '/app/inbox',
      '/app/inbox//?contact=c0000000&x=/': '/app/inbox?contact=c0000000&x=/',
      '/app/settings/webhooks/c0000000/': '/app/settings/webhooks/c0000000',
      '/app/a/b/c/d/e/f/': '/app/a/b/c/d/e/f',
      '/%61pp/inbox/': '/%61pp/inbox',
    };
    for (const [path, location] of Object.entries(moved)) {
      const { status, headers } = await client.get(path);
      expect([path, status, headers.get('location')]).toEqual([path, 308, location]);
    }
    for (const path of ['/app', '/app/inbox', '/app/inbox/', '/app/settings/keys']) {
      const { status, headers } = await client.ask('POST', path);
      expect([path, status, headers.get('allow')]).toEqual([path, 405, 'GET, HEAD']);
    }
    for (const path of ['/app/openapi.json/', '/app/assets/', '/app/assets/none.js/', '/app//inbox']) {
      expect([path, (await client.get(path)).status]).toEqual([path, 404]);
    }
    expect((await client.get('/app/api/session/')).status).toBe(401);
  });

  it('on https hands out a cookie of this host alone, believes pages of https alone, and says to stay there', async () => {
    const secure = await startGateway({ ...booted.config, TRUST_PROXY: ['127.0.0.1'] }, new MemoryLog());
    try {
      const client = new AppClient(secure.url);
      const { host } = new URL(secure.url);
      const { email, password } = await makeMember(booted.database);
      const proxied = { 'x-forwarded-proto': 'https' };
      const signIn = (origin: string) =>
        client.ask('POST', '/app/api/sign-in', { email, password }, { ...proxied, origin });
      expect((await signIn(`http://${host}`)).status).toBe(403);
      const answer = await signIn(`https://${host}`);
      expect(answer.headers.getSetCookie()).toEqual([
        expect.stringMatching(/^__Host-switchboard_session=.*; Secure;/),
        expect.stringMatching(/^__Host-switchboard_device=.*; Secure;/),
      ]);
      expect(answer.headers.get('strict-transport-security')).toMatch(/^max-age=\d{8}$/);
      expect((await client.ask('GET', '/app/api/session', undefined, proxied)).status).toBe(200);
      // Over http, as an attacker on the way would set it.
      client.cookie = client.cookie?.replace('__Host-', '') ?? null;
      expect((await client.ask('GET', '/app/api/session', undefined, proxied)).status).toBe(401);
    } finally {
      await secure.stop();
    }
  });
});
