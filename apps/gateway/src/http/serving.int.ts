import { Agent, request as httpRequest } from 'node:http';
import { once } from 'node:events';
import { Controller, Get, Post } from '@nestjs/common';
import type { NestApplication } from '@nestjs/core';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { sendMessageRpc } from '@switchboard/contracts/messaging/rpc';
import { CLOCK, LOG, STOPPING } from '@switchboard/platform';
import { eventually, testServers } from '@switchboard/testing';
import { answerRpcs, bootGateway, issueKey, MemoryLog, type TestGateway } from '../../test/gateway-harness.js';
import { GATEWAY_CONFIG, gatewayConfig } from '../gateway.config.js';
import { createApplication } from '../gateway.js';
import { ADMISSION, type Admission, type Verdict } from '../identity/admission.contract.js';
import { KEY_USES } from '../identity/key-use.contract.js';
import { PEOPLE } from '../identity/people.contract.js';
import { httpProviders } from './http.module.js';
import { About } from './input/field-description.js';
import { CodePoints } from './input/text.decorator.js';
import { RequestCounts } from './request-counts.js';
import { Declare } from './route-declaration.js';

const servers = testServers({ ownPostgres: true, ownNats: true });

describe('a route', () => {
  const docs = { operationId: 'a', tag: 'System', summary: 'a', description: 'a', answers: {} } as const;
  @Controller('v1/undeclared')
  class Undeclared {
    @Get()
    get(): string {
      return 'open';
    }
  }
  @Controller('v1/public')
  class PublicUnderV1 {
    @Get()
    @Declare({ access: 'public', errors: [] })
    get(): string {
      return 'open';
    }
  }
  @Controller('outside')
  class KeyOutsideV1 {
    @Get()
    @Declare({ access: 'key', scope: null, errors: [], cost: 1, docs })
    get(): string {
      return 'closed';
    }
  }
  @Controller('app/api/public')
  class PublicUnderApp {
    @Get()
    @Declare({ access: 'public', errors: [] })
    get(): string {
      return 'open';
    }
  }
  @Controller('app/session')
  class SessionOutsideApp {
    @Get()
    @Declare({
      access: 'session',
      roles: null,
      errors: [],
      docs: { operationId: 'x', tag: 'Session', summary: 'x', description: 'x', answers: {} },
    })
    get(): string {
      return 'closed';
    }
  }
  @Controller('broken')
  class Broken {
    @Get()
    @Declare({ access: 'public', errors: [] })
    get(): string {
      throw new Error('secret detail');
    }
  }

  const log = new MemoryLog();
  const config = gatewayConfig({
    DATABASE_URL: 'postgres://none',
    NATS_URL: 'none',
    NATS_USER: 'none',
    NATS_PASSWORD: 'none',
    CLOUD_APP_SECRET: 'none',
    CLOUD_VERIFY_TOKEN: 'none',
    CREDENTIALS_KEY: Buffer.alloc(32).toString('base64'),
  });
  const nothingAdmitted: Admission = {
    admit: () => Promise.reject(new Error('a public route asks for no admission')),
  };
  /** Of the gateway; stands still but for the test. */
  let nowMs = 0;
  const mount = async (controller: new () => object, admission = nothingAdmitted): Promise<NestApplication> => {
    nowMs = performance.now();
    const standIn = (token: symbol | typeof RequestCounts, value: unknown) => ({ provide: token, useValue: value });
    const parts = [
      standIn(ADMISSION, admission),
      standIn(PEOPLE, { sessions: { find: () => Promise.resolve(null) } }),
      standIn(KEY_USES, { isEmpty: true, record: () => undefined }),
      standIn(GATEWAY_CONFIG, config),
      standIn(RequestCounts, { count: () => undefined }),
      standIn(LOG, log),
      standIn(STOPPING, new AbortController().signal),
      standIn(CLOCK, { now: () => 0, monotonic: () => nowMs }),
    ];
    const providers = [...httpProviders, ...parts];
    const app = await createApplication({ module: class One {}, controllers: [controller], providers }, config, log);
    await app.init();
    return app;
  };

  it('that declares nothing, or a key where none is asked, stops the gateway from starting', async () => {
    await expect(mount(Undeclared)).rejects.toThrow(
      'GET /v1/undeclared has no @Declare with its access, errors and docs',
    );
    await expect(mount(PublicUnderV1)).rejects.toThrow(
      'GET /v1/public: a route needs a key exactly when it is under /v1',
    );
    await expect(mount(KeyOutsideV1)).rejects.toThrow('GET /outside: a route needs a key');
    await expect(mount(PublicUnderApp)).rejects.toThrow('GET /app/api/public: a route is for sessions or visitors');
    await expect(mount(SessionOutsideApp)).rejects.toThrow('GET /app/session: a route is for sessions or visitors');
  });

  it('that throws an unexpected error answers without its detail', async () => {
    const app = await mount(Broken);
    await app.listen(0, '127.0.0.1');
    const response = await fetch(`${await app.getUrl()}/broken`);
    const text = await response.text();
    expect([response.status, JSON.parse(text).error.code]).toEqual([500, 'INTERNAL']);
    expect(text).not.toContain('secret detail');
    expect(
      log.lines.some(({ event, fields }) => event === 'unexpected' && fields.error === 'Error: secret detail'),
    ).toBe(true);
    await app.close();
  });

  class Body {
    @About('Anything.')
    @CodePoints(1, 10)
    text = '';
  }
  @Controller('v1/slow')
  class Slow {
    @Post()
    @Declare({
      access: 'key',
      scope: 'messages:send',
      errors: [],
      cost: 1,
      docs: { ...docs, body: { shape: Body, examples: {} } },
    })
    post(): object {
      return { done: true };
    }
  }

  it.each([
    ['is asked for its key once when its body is there within a second', 0, { state: 'unknown-key' }, 201, [1]],
    ['is refused when its key was revoked before its body ended', 1_001, { state: 'unknown-key' }, 401, [1, 0]],
    ['is refused when its subscription ended before its body did', 1_001, { paymentRefusal: 'over' }, 402, [1, 0]],
    ['takes no second token of the rate when nothing changed', 60_000, {}, 201, [1, 0]],
  ])('%s', async (_name, tookMs, change, status, costs) => {
    const asked: number[] = [];
    const { promise: isAdmitted, resolve: onAdmitted } = Promise.withResolvers<void>();
    const admitted = {
      state: 'admitted',
      organizationId: 'o',
      keyId: 'k',
      scopes: null,
      hasScope: true,
      paymentRefusal: null,
      messagesPerMonth: 1,
      rate: { limit: 9, remaining: 8, resetSeconds: 1 },
    };
    const app = await mount(Slow, {
      admit: async ({ cost }) => {
        asked.push(cost);
        onAdmitted();
        return { ...admitted, ...(asked.length > 1 ? change : {}) } as Verdict;
      },
    });
    await app.listen(0, '127.0.0.1');
    const headers = { authorization: 'Bearer svc_a', 'content-type': 'application/json' };
    const request = httpRequest(`${await app.getUrl()}/v1/slow`, { method: 'POST', headers });
    request.write('{"text":');
    await isAdmitted;
    await new Promise(setImmediate);
    nowMs += tookMs;
    request.end('"a"}');
    const [response] = await once(request, 'response');
    response.resume();
    expect([response.statusCode, asked]).toEqual([status, costs]);
    expect(response.headers['ratelimit-remaining']).toBe('8');
    await app.close();
  });
});

describe('a gateway', () => {
  let booted: TestGateway;
  beforeAll(async () => {
    booted = await bootGateway(servers);
  });

  it('answers 503, in time, while the database is away, and works again when it is back', async () => {
    const key = await issueKey(booted.database);
    const ask = (path: string): Promise<Response> =>
      fetch(`${booted.gateway.url}${path}`, { headers: { authorization: `Bearer ${key.secret}` } });
    expect((await ask('/v1/ping')).status).toBe(200);
    const postgres = await servers.postgres();
    await postgres.stop('immediate');
    const startedMs = performance.now();
    const away = await ask('/v1/ping');
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await away.json()).toMatchObject({ error: { code: 'SERVICE_UNAVAILABLE' } });
    expect(performance.now() - startedMs).toBeLessThan(30_000);
    expect((await ask('/health/ready')).status).toBe(503);
    expect((await ask('/health/serving')).status).toBe(503);
    expect((await ask('/health/live')).status).toBe(200);
    expect((await ask('/v1/nothing')).status).toBe(503);
    await postgres.restart();
    await eventually(async () => (await ask('/v1/ping')).status === 200);
  });

  it('is fit to serve, but not ready, while NATS is away', async () => {
    const { server } = await servers.ownNats();
    const status = async (path: string): Promise<number> => (await fetch(booted.gateway.url + path)).status;
    await server.kill();
    await eventually(async () => (await status('/health/ready')) === 503);
    await eventually(async () => (await status('/health/serving')) === 200);
    expect(await status('/health/ready')).toBe(503);
    await server.restart();
    await eventually(async () => (await status('/health/ready')) === 200);
  });

  it('answers 503 without a message id when messaging did not take the send', async () => {
    const key = await issueKey(booted.database);
    const response = await fetch(`${booted.gateway.url}/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' },
      body: '{"to":"+12015550123","text":"a"}',
    });
    // No service answers the rpc here: nothing was taken, so that there is no id to look for.
    expect([response.status, response.headers.get('retry-after'), response.headers.has('x-message-id')]).toEqual([
      503,
      '1',
      false,
    ]);
  });

  it('stops without a failed request: those under way end, those on open connections are served, all is written', async () => {
    const key = await issueKey(booted.database);
    const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
    const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>();
    const connection = await (await servers.nats()).connect('messaging');
    await answerRpcs(connection, 'messaging', {
      [sendMessageRpc.subject]: async (request) => {
        onAsked();
        await mayAnswer;
        const { messageId: id } = request as { messageId: string };
        return { id, conversationId: 'c1', contactId: 'c2', upstreamMessageId: null };
      },
    });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const headers = { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' };
    const ask = async (method: string, path: string, body = ''): Promise<[number | undefined, string | undefined]> => {
      const request = httpRequest(`${booted.gateway.url}${path}`, { agent, method, headers });
      request.end(body);
      const [response] = await once(request, 'response');
      response.resume();
      await once(response, 'end');
      return [response.statusCode, response.headers.connection];
    };
    expect(await ask('GET', '/v1/ping')).toEqual([200, 'keep-alive']);
    const slow = fetch(`${booted.gateway.url}/v1/messages`, {
      method: 'POST',
      headers,
      body: '{"to":"+12015550123","text":"a"}',
    });
    await asked;
    const startedMs = performance.now();
    const stopped = booted.gateway.stop();
    // On a connection that was idle when the stop began.
    expect(await ask('GET', '/v1/ping')).toEqual([200, 'close']);
    answer();
    const last = await slow;
    expect([last.status, last.headers.get('connection')]).toEqual([200, 'close']);
    await stopped;
    expect(performance.now() - startedMs).toBeLessThan(30_000);
    await expect(fetch(booted.gateway.url)).rejects.toThrow();
    const [row] = await booted.database.dataSource.query('SELECT last_used_at FROM gateway.api_key WHERE id = $1', [
      key.keyId,
    ]);
    expect(row.last_used_at).not.toBeNull();
    agent.destroy();
  });
});
