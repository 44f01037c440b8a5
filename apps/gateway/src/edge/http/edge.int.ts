import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import { getMessageRpc, listConversationsRpc, sendMessageRpc } from '@switchboard/contracts/messaging/rpc';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { mintKey } from '../../organization/api-key/api-key.policy.js';
import { collectSpans, eventually, testServers } from '@switchboard/testing';
import {
  answerRpcs,
  bootGateway,
  issueKey,
  sendRaw,
  type IssuedKey,
  type RawAnswer,
  type TestGateway,
} from '../../../test/gateway-harness.js';

const spans = collectSpans();
const servers = testServers();
let booted: TestGateway;
let key: IssuedKey;
const sent: unknown[] = [];
const REFUSED = '+12015550100';

beforeAll(async () => {
  booted = await bootGateway(servers, { PUBLIC_BASE_URL: 'https://api.example.test/' }, () => true);
  key = await issueKey(booted.database);
  const connection = await (await servers.nats()).connect('messaging');
  await answerRpcs(connection, 'messaging', {
    [sendMessageRpc.subject]: (request) => {
      sent.push(request);
      const { messageId, to } = request as { messageId: string; to: string };
      if (to === REFUSED) throw new AppError(messagingErrors.CONTACT_OPTED_OUT, undefined, { messageId });
      return { id: messageId, conversationId: 'c1', contactId: 'c2', upstreamMessageId: null, surplus: 'never shown' };
    },
    [getMessageRpc.subject]: () => {
      throw new AppError(messagingErrors.MESSAGE_NOT_FOUND);
    },
    [listConversationsRpc.subject]: (request) => ({ items: [request] }),
  });
});

const authorization = (secret = key.secret): Record<string, string> => ({ authorization: `Bearer ${secret}` });

async function call(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(new URL(path, booted.gateway.url), { redirect: 'manual', ...init });
}

const post = (body: NonNullable<RequestInit['body']>, headers: Record<string, string> = {}): Promise<Response> =>
  call('/v1/messages', {
    method: 'POST',
    body,
    headers: { ...authorization(), 'content-type': 'application/json', ...headers },
  });

/** One request by hand; with a key unless the headers bring their own. */
async function raw(head: string, body: string | Buffer = '', answers = 1): Promise<RawAnswer> {
  const bytes = Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), Buffer.from(body)]);
  const [answer] = await sendRaw(booted.gateway.url, bytes, answers);
  if (!answer) throw new Error('no answer');
  return answer;
}

const withKey = (requestLine: string, ...headers: string[]): string =>
  [requestLine, 'Host: x', `Authorization: Bearer ${key.secret}`, ...headers].join('\r\n');

/** The promise of every failure. */
function expectEnvelope(answer: RawAnswer, status: number, code: string): void {
  const parsed: unknown = answer.body === '' ? null : JSON.parse(answer.body);
  expect({ status: answer.status, body: parsed }).toEqual({
    status,
    body: { error: { code, message: expect.stringMatching(/^[^\n]{5,300}$/) } },
  });
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/);
  if (status === 401) expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  if (status === 503 || status === 429) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
}

describe('what HTTP itself can get wrong', () => {
  const longPath = (length: number): string => `/v1/${'a'.repeat(length - 4)}`;
  const json = 'Content-Type: application/json';
  it.each<[string, () => Promise<RawAnswer>, number, string]>([
    ['an unknown route', () => raw(withKey('GET /v1/nothing HTTP/1.1')), 404, 'NOT_FOUND'],
    ['an unknown route beside /v1', () => raw('GET /nothing HTTP/1.1\r\nHost: x'), 404, 'NOT_FOUND'],
    [
      'the description that does not exist yet',
      () => raw('GET /v1/openapi.json HTTP/1.1\r\nHost: x'),
      404,
      'NOT_FOUND',
    ],
    ['a wrong method', () => raw(withKey('DELETE /v1/ping HTTP/1.1')), 405, 'METHOD_NOT_ALLOWED'],
    [
      'a wrong method with a body',
      () => raw(withKey('PUT /v1/messages HTTP/1.1', 'Content-Length: 2'), '{}'),
      405,
      'METHOD_NOT_ALLOWED',
    ],
    ['OPTIONS', () => raw(withKey('OPTIONS /v1/messages HTTP/1.1')), 405, 'METHOD_NOT_ALLOWED'],
    ['a method of WebDAV', () => raw(withKey('PROPFIND /v1/ping HTTP/1.1')), 405, 'METHOD_NOT_ALLOWED'],
    ['a method that does not exist', () => raw(withKey('BREW /v1/ping HTTP/1.1')), 400, 'VALIDATION_FAILED'],
    ['CONNECT', () => raw('CONNECT example.test:443 HTTP/1.1\r\nHost: x'), 405, 'METHOD_NOT_ALLOWED'],
    ['OPTIONS *', () => raw('OPTIONS * HTTP/1.1\r\nHost: x'), 404, 'NOT_FOUND'],
    ['no Host', () => raw(`GET /v1/ping HTTP/1.1\r\nAuthorization: Bearer ${key.secret}`), 400, 'VALIDATION_FAILED'],
    ['two Hosts', () => raw(withKey('GET /v1/ping HTTP/1.1', 'Host: y')), 400, 'VALIDATION_FAILED'],
    ['what is no HTTP', () => raw('hello'), 400, 'VALIDATION_FAILED'],
    ['HTTP/2 in clear text', () => raw('PRI * HTTP/2.0\r\n\r\nSM'), 400, 'VALIDATION_FAILED'],
    ['bad percent-encoding', () => raw(withKey('GET /v1/messages/%zz HTTP/1.1')), 400, 'VALIDATION_FAILED'],
    ['bad percent-encoding without a key', () => raw('GET /v1/messages/%zz HTTP/1.1\r\nHost: x'), 401, 'UNAUTHORIZED'],
    ['a path that is no id', () => raw(withKey('GET /v1/messages/C-1 HTTP/1.1')), 400, 'VALIDATION_FAILED'],
    ['a target of 8,193 bytes', () => raw(withKey(`GET ${longPath(8_193)} HTTP/1.1`)), 414, 'URI_TOO_LONG'],
    ['a target of 200,000 bytes', () => raw(withKey(`GET ${longPath(200_000)} HTTP/1.1`)), 414, 'URI_TOO_LONG'],
    [
      'headers over 16 KiB',
      () => raw(withKey('GET /v1/ping HTTP/1.1', `X-Big: ${'a'.repeat(16_384)}`)),
      431,
      'HEADERS_TOO_LARGE',
    ],
    [
      'headers over what the parser takes',
      () => raw(withKey('GET /v1/ping HTTP/1.1', `X-Big: ${'a'.repeat(200_000)}`)),
      431,
      'HEADERS_TOO_LARGE',
    ],
    [
      '2,001 headers',
      () => raw(withKey('GET /v1/ping HTTP/1.1', ...Array.from({ length: 2_001 }, (_, i) => `X${i}: 1`))),
      431,
      'HEADERS_TOO_LARGE',
    ],
    ['a folded header', () => raw(withKey('GET /v1/ping HTTP/1.1', 'X-A: 1', ' 2')), 400, 'VALIDATION_FAILED'],
    [
      'two lengths',
      () => raw(withKey('POST /v1/messages HTTP/1.1', json, 'Content-Length: 2', 'Content-Length: 3'), '{}'),
      400,
      'VALIDATION_FAILED',
    ],
    [
      'a length beside chunks',
      () =>
        raw(
          withKey('POST /v1/messages HTTP/1.1', json, 'Content-Length: 2', 'Transfer-Encoding: chunked'),
          '0\r\n\r\n',
        ),
      400,
      'VALIDATION_FAILED',
    ],
    [
      'an unknown Transfer-Encoding',
      () => raw(withKey('POST /v1/messages HTTP/1.1', json, 'Transfer-Encoding: gzip'), 'aa'),
      400,
      'VALIDATION_FAILED',
    ],
    [
      'a bad chunk',
      () => raw(withKey('POST /v1/messages HTTP/1.1', json, 'Transfer-Encoding: chunked'), 'zz\r\n'),
      400,
      'VALIDATION_FAILED',
    ],
    [
      'an unknown Content-Encoding',
      () => raw(withKey('POST /v1/messages HTTP/1.1', json, 'Content-Encoding: gzip', 'Content-Length: 2'), '{}'),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'no Content-Type',
      () => raw(withKey('POST /v1/messages HTTP/1.1', 'Content-Length: 2'), '{}'),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'a form',
      () =>
        raw(
          withKey('POST /v1/messages HTTP/1.1', 'Content-Type: application/x-www-form-urlencoded', 'Content-Length: 3'),
          'a=b',
        ),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'JSON in UTF-16',
      () => raw(withKey('POST /v1/messages HTTP/1.1', `${json}; charset=utf-16`, 'Content-Length: 2'), '{}'),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['no body', () => raw(withKey('POST /v1/messages HTTP/1.1', 'Content-Length: 0')), 400, 'MALFORMED_BODY'],
    [
      'an empty body of JSON',
      () => raw(withKey('POST /v1/messages HTTP/1.1', json, 'Content-Length: 0')),
      400,
      'MALFORMED_BODY',
    ],
    [
      'a body announced too large',
      () => raw(withKey('POST /v1/messages HTTP/1.1', json, 'Content-Length: 1048577')),
      413,
      'PAYLOAD_TOO_LARGE',
    ],
    [
      'chunks that grow too large',
      () =>
        raw(
          withKey('POST /v1/messages HTTP/1.1', json, 'Transfer-Encoding: chunked'),
          `200000\r\n${' '.repeat(0x200000)}\r\n0\r\n\r\n`,
        ),
      413,
      'PAYLOAD_TOO_LARGE',
    ],
  ])('%s', async (_name, ask, status, code) => {
    expectEnvelope(await ask(), status, code);
  });

  it('names the methods of a path, and answers HEAD without a body', async () => {
    const wrong = await call('/v1/messages', { method: 'DELETE', headers: authorization() });
    expect(wrong.headers.get('allow')).toBe('POST');
    expect((await call('/v1/ping', { method: 'PUT', headers: authorization() })).headers.get('allow')).toBe(
      'GET, HEAD',
    );
    const head = await call('/v1/ping', { method: 'HEAD', headers: authorization() });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('answers the large body that it refuses, though the client sends all of it first', async () => {
    const response = await post(`{"to":"${'a'.repeat(3_000_000)}"}`);
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { code: 'PAYLOAD_TOO_LARGE' } });
  });

  it('takes `Expect`, known or not, as a request without it', async () => {
    const body = '{"to":"+12015550123","text":"hi"}';
    for (const expectation of ['100-continue', 'miracles']) {
      const head = withKey(
        'POST /v1/messages HTTP/1.1',
        json,
        `Content-Length: ${body.length}`,
        `Expect: ${expectation}`,
      );
      expect((await raw(head, body)).status).toBe(200);
    }
  });

  it('answers the good request of a connection before it refuses what follows it', async () => {
    const bytes = `${withKey('GET /v1/ping HTTP/1.1')}\r\n\r\nnonsense\r\n\r\n`;
    const answers = await sendRaw(booted.gateway.url, bytes, 2);
    expect(answers.map(({ status }) => status)).toEqual([200, 400]);
  });

  it('gives up on headers and bodies that do not come, the latter in the trace of their request', async () => {
    const settings = { GATEWAY_HEADERS_TIMEOUT_MS: '400', GATEWAY_REQUEST_TIMEOUT_MS: '600' };
    const hasty = await bootGateway(servers, settings);
    const own = await issueKey(hasty.database);
    const head = `POST /v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${own.secret}\r\n`;
    const slow = [head, `${head}${json}\r\nContent-Length: 20\r\n\r\n{"to"`];
    const [headers, body] = await Promise.all(slow.map((bytes) => sendRaw(hasty.gateway.url, bytes)));
    for (const [answer] of [headers ?? [], body ?? []]) {
      expectEnvelope(answer ?? { status: 0, headers: new Map(), body: '' }, 408, 'REQUEST_TIMEOUT');
    }
    expect(headers?.[0]?.headers.has('ratelimit-limit')).toBe(false);
    expect(body?.[0]?.headers.get('ratelimit-limit')).toBe('5000');
  });
});

describe('credentials', () => {
  const answerTo = async (headers: string[]): Promise<RawAnswer> =>
    raw(['GET /v1/ping HTTP/1.1', 'Host: x', ...headers].join('\r\n'));

  it('answers every bad key alike: missing, malformed, mistyped, unknown, revoked, twice', async () => {
    const revoked = await issueKey(booted.database);
    await booted.database.dataSource.query('UPDATE gateway.api_key SET revoked_at = now() WHERE id = $1', [
      revoked.keyId,
    ]);
    const cases = [
      [],
      ['Authorization: Basic abc'],
      ['Authorization: Bearer'],
      [`Authorization: Bearer ${key.secret.slice(0, -1)}_`],
      [`Authorization: Bearer ${mintKey().secret}`],
      [`Authorization: Bearer ${revoked.secret}`],
      [`Authorization: Bearer ${key.secret} ${key.secret}`],
      [`Authorization: Bearer ${key.secret}`, `Authorization: Bearer ${key.secret}`],
      [`authorization: ${key.secret}`],
    ];
    const bodies = new Set<string>();
    for (const headers of cases) {
      const startedMs = performance.now();
      const answer = await answerTo(headers);
      expect(performance.now() - startedMs).toBeGreaterThanOrEqual(24);
      expectEnvelope(answer, 401, 'UNAUTHORIZED');
      bodies.add(answer.body);
      expect(answer.headers.has('ratelimit-limit')).toBe(false);
    }
    expect([...bodies]).toEqual(['{"error":{"code":"UNAUTHORIZED","message":"Invalid API key"}}']);
  });

  it('takes the scheme in any case, tells where the rate stands and notes the use of the key', async () => {
    const fresh = await issueKey(booted.database, { plan: 'GROWTH' });
    const answer = await answerTo([`aUTHORIZATION: bEARER   ${fresh.secret}`]);
    expect([answer.status, answer.body]).toEqual([200, `{"ok":true,"organizationId":"${fresh.organizationId}"}`]);
    expect(answer.headers.get('ratelimit-limit')).toBe('1000');
    expect(answer.headers.get('ratelimit-remaining')).toBe('999');
    expect(answer.headers.get('ratelimit-reset')).toBe('1');
    await eventually(async () => {
      const [row] = await booted.database.dataSource.query(
        'SELECT last_used_at, last_used_address FROM gateway.api_key WHERE id = $1',
        [fresh.keyId],
      );
      return row.last_used_at !== null && row.last_used_address === '127.0.0.1';
    });
  });

  it('does not note the use of a key whose request was refused', async () => {
    const fresh = await issueKey(booted.database);
    expect((await call('/v1/nothing', { headers: authorization(fresh.secret) })).status).toBe(404);
    const other = await issueKey(booted.database);
    await call('/v1/ping', { headers: authorization(other.secret) });
    const used = (id: string) => async () =>
      (
        await booted.database.dataSource.query(
          'SELECT 1 FROM gateway.api_key WHERE id = $1 AND last_used_at IS NOT NULL',
          [id],
        )
      ).length > 0;
    await eventually(used(other.keyId));
    expect(await used(fresh.keyId)()).toBe(false);
  });

  it('checks in order: rate before scope, scope before media type, shape before plan', async () => {
    const limited = await issueKey(booted.database, { requestsPerMinute: 1, burst: 1, scopes: ['contacts:read'] });
    const sendAs = (secret: string, body: string, type: string): Promise<Response> =>
      post(body, { ...authorization(secret), 'content-type': type });
    const first = await sendAs(limited.secret, 'x', 'text/plain');
    expect([first.status, first.headers.get('ratelimit-remaining')]).toEqual([403, '0']);
    expect(await first.json()).toEqual({
      error: { code: 'INSUFFICIENT_SCOPE', message: 'The API key lacks the scope `messages:send`' },
    });
    const second = await sendAs(limited.secret, 'x', 'text/plain');
    expect([second.status, await second.json()]).toEqual([
      429,
      { error: { code: 'RATE_LIMITED', message: 'Too many requests' } },
    ]);
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThanOrEqual(59);
    const unpaid = await issueKey(booted.database, { status: 'PAST_DUE' });
    expect((await sendAs(unpaid.secret, '{}', 'application/json')).status).toBe(400);
    expect((await sendAs(unpaid.secret, '{"to":"+12015550123","text":"hi"}', 'application/json')).status).toBe(402);
    const canceled = await issueKey(booted.database, { status: 'CANCELED' });
    expect((await call('/v1/conversations', { headers: authorization(canceled.secret) })).status).toBe(402);
    expect((await call('/v1/ping', { headers: authorization(canceled.secret) })).status).toBe(200);
  });
});

describe('bodies and queries', () => {
  const deep = (levels: number): string => `{"to":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
  it.each<[string, string | Uint8Array<ArrayBuffer>, string, RegExp]>([
    ['broken JSON', '{"to":', 'MALFORMED_BODY', /JSON/],
    ['bytes that are no UTF-8', Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d), 'MALFORMED_BODY', /UTF-8/],
    ['a byte order mark', '\ufeff{}', 'MALFORMED_BODY', /JSON/],
    ['an array', '[]', 'VALIDATION_FAILED', /object/],
    ['null', 'null', 'VALIDATION_FAILED', /object/],
    [
      'no field at all',
      '{}',
      'VALIDATION_FAILED',
      /^`to` must be 3 to 32 characters long; `text` must be 1 to 4096 characters long$/,
    ],
    [
      'a number as text',
      '{"to":"+12015550123","text":5}',
      'VALIDATION_FAILED',
      /^`text` must be 1 to 4096 characters long$/,
    ],
    ['a text too long', `{"to":"+12015550123","text":"${'😀'.repeat(4_097)}"}`, 'VALIDATION_FAILED', /`text`/],
    [
      'a channel that is no cuid',
      '{"to":"+12015550123","text":"a","messagingChannelId":"1"}',
      'VALIDATION_FAILED',
      /^`messagingChannelId` must be a cuid$/,
    ],
    [
      'NUL',
      '{"to":"+12015550123","text":"a\\u0000b"}',
      'VALIDATION_FAILED',
      /`text` must not contain the character NUL/,
    ],
    [
      'a lone surrogate',
      '{"to":"+12015550123","text":"\\ud800"}',
      'VALIDATION_FAILED',
      /`text` must not contain lone surrogates/,
    ],
    ['a lone surrogate deep down', '{"a":[{"b":"\\udfff"}]}', 'VALIDATION_FAILED', /`a\[0\]\.b`/],
    ['__proto__', '{"__proto__":{"a":1}}', 'VALIDATION_FAILED', /__proto__/],
    ['__proto__ deep down', '{"a":{"__proto__":null}}', 'VALIDATION_FAILED', /__proto__/],
    ["a constructor's prototype", '{"constructor":{"prototype":{}}}', 'VALIDATION_FAILED', /constructor/],
    ['33 levels', deep(33), 'VALIDATION_FAILED', /deeper than 32/],
    ['a million levels', '['.repeat(900_000), 'MALFORMED_BODY', /JSON/],
  ])('refuses %s', async (_name, body, code, message) => {
    const before = sent.length;
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: { code, message: expect.stringMatching(message) } });
    expect(sent.length).toBe(before);
  });

  it('counts code points, ignores unknown fields and shows exactly the four fields of the answer', async () => {
    const text = '😀'.repeat(4_096);
    const body = JSON.stringify({ to: '+12015550123', text, constructor: 1, unknown: true });
    const response = await post(body, { 'content-type': 'Application/JSON; charset="UTF-8"; v=1' });
    const answer = (await response.json()) as { id: string };
    expect([response.status, Object.keys(answer)]).toEqual([
      200,
      ['id', 'conversationId', 'contactId', 'upstreamMessageId'],
    ]);
    expect(sent.at(-1)).toEqual({ messageId: answer.id, to: '+12015550123', text, messagingChannelId: null });
    expect(answer.id).toMatch(/^c[0-9a-z]{24}$/);
  });

  it('passes a refusal of messaging on, with the message that it is about', async () => {
    const response = await post(JSON.stringify({ to: REFUSED, text: 'a' }));
    expect([response.status, await response.json()]).toEqual([
      403,
      { error: { code: 'CONTACT_OPTED_OUT', message: 'The contact has opted out on this channel' } },
    ]);
    expect(response.headers.get('x-message-id')).toMatch(/^c[0-9a-z]{24}$/);
    expect((await call(`/v1/messages/${newCuid()}`, { headers: authorization() })).status).toBe(404);
  });

  it.each([
    ['limit=0', '`limit` must be a whole number from 1 to 100'],
    ['limit=101', '`limit` must be a whole number from 1 to 100'],
    ['limit=1e1', '`limit` must be a whole number from 1 to 100'],
    ['limit=%205', '`limit` must be a whole number from 1 to 100'],
    ['limit=%2B5', '`limit` must be a whole number from 1 to 100'],
    ['limit=05', '`limit` must be a whole number from 1 to 100'],
    ['limit=5&limit=5', '`limit` must be given once'],
    ['limit=', '`limit` must not be empty'],
    ['cursor=abc', '`cursor` must be a cuid'],
    ['status=open', '`status` must be one of OPEN, CLOSED, PENDING, ARCHIVED, SNOOZED'],
    ['messagingChannelId=X', '`messagingChannelId` must be a cuid'],
    ['contactId=c%00234567', '`contactId` must be a cuid'],
  ])('refuses the query %s', async (query, message) => {
    const response = await call(`/v1/conversations?${query}`, { headers: authorization() });
    expect([response.status, await response.json()]).toEqual([400, { error: { code: 'VALIDATION_FAILED', message } }]);
  });

  it('reads the query, with its defaults, and ignores what it does not know', async () => {
    const list = async (query: string): Promise<unknown> =>
      (await call(`/v1/conversations?${query}`, { headers: authorization() })).json();
    const nothing = { limit: 25, cursor: null, status: null, messagingChannelId: null, contactId: null };
    expect(await list('unknown=1&unknown=2')).toEqual({ items: [nothing] });
    expect(await list('limit=100&cursor=c1234567&status=OPEN&contactId=c7654321')).toEqual({
      items: [{ ...nothing, limit: 100, cursor: 'c1234567', status: 'OPEN', contactId: 'c7654321' }],
    });
  });
});

describe('every answer', () => {
  it('carries its trace, goes on with the trace of its caller, and tells no more than is asked', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const traceparent = `00-${traceId}-00f067aa0ba902b7-00`;
    spans.clear();
    const response = await post('{"to":"+12015550123","text":"hi"}', { traceparent });
    expect(response.headers.get('x-request-id')).toBe(traceId);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const server = await eventually(() => spans.named('POST /v1/messages')[0]);
    expect(server.spanContext().traceId).toBe(traceId);
    expect(server.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/v1/messages',
      'http.response.status_code': 200,
    });
    // The rpc ran in the request's span although its body was read in between.
    const rpc = await eventually(() => spans.named(sendMessageRpc.subject).find((span) => span.kind === 2));
    expect(rpc.parentSpanContext?.spanId).toBe(server.spanContext().spanId);
    const line = await eventually(() => booted.log.lines.find(({ fields }) => fields.traceId === traceId));
    expect(line.event).toBe('http.request');
    expect(line.fields).toMatchObject({
      method: 'POST',
      route: '/v1/messages',
      status: 200,
      code: null,
      keyId: key.keyId,
    });
    expect(JSON.stringify(booted.log.lines)).not.toContain(key.secret.slice(12));
    expect(JSON.stringify(booted.log.lines)).not.toContain('12015550123');
  });

  it.each([
    ['GET', '/api/v1/ping?a=%20b', 'https://api.example.test/v1/ping?a=%20b'],
    ['POST', '/api/v1/messages', 'https://api.example.test/v1/messages'],
    ['DELETE', '/api/v1', 'https://api.example.test/v1'],
    ['GET', '/api/v1//evil.example/%5c', 'https://api.example.test/v1//evil.example/%5c'],
  ])('sends %s %s to the canonical base, before it asks for a key', async (method, path, location) => {
    const answer = await raw(`${method} ${path} HTTP/1.1\r\nHost: x`);
    expect(answer.status).toBe(308);
    expect(answer.headers.get('location')).toBe(location);
    expect(answer.headers.get('link')).toBe(`<${location}>; rel="successor-version"`);
    expect(answer.headers.get('deprecation')).toMatch(/^@\d+$/);
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/);
  });

  it('is not a redirect for what only looks like the old base', async () => {
    expect((await call('/api/v2/ping')).status).toBe(404);
    expect((await call('/api/v10')).status).toBe(404);
  });

  it('of the health endpoints tells what is up', async () => {
    expect(await (await call('/health/live')).json()).toEqual({ ok: true });
    const ready = await call('/health/ready');
    expect([ready.status, await ready.json()]).toEqual([
      200,
      { ok: true, checks: { database: 'ok', nats: 'ok', gateway: 'ok' } },
    ]);
  });
});

describe('callbacks', () => {
  const signed = (body: string): string => `sha256=${createHmac('sha256', 'app-secret').update(body).digest('hex')}`;
  const callBack = (body: string, signature: string): Promise<Response> =>
    call('/upstream/cloud/callbacks', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'x-hub-signature-256': signature },
    });
  const stored = async (aggregateId: string): Promise<{ subject: string; payload: { data: unknown } }[]> =>
    booted.database.dataSource.query(
      'SELECT subject, payload::json AS payload FROM gateway.outbox WHERE aggregate_id = $1 ORDER BY position',
      [aggregateId],
    );

  it('shows the challenge to whom it knows the token, and to nobody else', async () => {
    const path = '/upstream/cloud/callbacks?hub.mode=subscribe&hub.challenge=%3Cb%3E42&hub.verify_token=';
    const known = await call(`${path}verify-token`);
    expect([known.status, await known.text(), known.headers.get('content-type')]).toEqual([
      200,
      '<b>42',
      'text/plain; charset=utf-8',
    ]);
    expect((await call(`${path}verify-toke`)).status).toBe(403);
    expect((await call('/upstream/cloud/callbacks')).status).toBe(403);
  });

  it('stores nothing that the provider did not sign', async () => {
    const body = '{"entry":[{"id":"unsigned","changes":[{"field":"x","value":1}]}]}';
    for (const signature of ['', 'sha256=00', signed(`${body} `), signed(body).replace('sha256', 'sha1')]) {
      expect((await callBack(body, signature)).status).toBe(403);
    }
    expect(await stored('unsigned')).toEqual([]);
    expect((await callBack(body, signed(body))).status).toBe(200);
    expect(await stored('unsigned')).toHaveLength(1);
  });

  it('commits every item of a callback, good beside odd, before it answers, and publishes them', async () => {
    const status = { id: 'wamid.int', status: 'delivered', timestamp: '1751142888', recipient_id: '1' };
    const value = {
      metadata: { phone_number_id: '77' },
      statuses: [status, { id: 5 }, { ...status, status: 'read' }],
      messages: [
        { from: '16505551234', id: 'wamid.in', timestamp: '1749416383', type: 'text', text: { body: 'a\u0000' } },
      ],
    };
    const body = JSON.stringify({ entry: [{ id: 'waba', changes: [{ field: 'messages', value }] }] });
    expect((await callBack(body, signed(body))).status).toBe(200);
    expect((await stored('wamid.int')).map(({ payload }) => payload.data)).toEqual([
      { phoneNumberId: '77', item: status },
      { phoneNumberId: '77', item: { ...status, status: 'read' } },
    ]);
    expect(await stored('77:16505551234')).toHaveLength(1);
    expect((await stored('waba')).map(({ subject }) => subject)).toEqual(['gateway.callback.change.v1']);
    await eventually(async () => {
      const [row] = await booted.database.dataSource.query(
        'SELECT count(*)::int AS waiting FROM gateway.outbox WHERE published_at IS NULL',
      );
      return row.waiting === 0;
    });
  });

  it('takes a callback of 3 MB, and refuses more than it can hold', async () => {
    const text = 'x'.repeat(2_900_000);
    const value = {
      metadata: { phone_number_id: '9' },
      messages: [{ from: '8', id: 'w', timestamp: '1', type: 'text', text: { body: text } }],
    };
    const body = JSON.stringify({ entry: [{ id: 'large', changes: [{ field: 'messages', value }] }] });
    expect((await callBack(body, signed(body))).status).toBe(200);
    const [row] = await stored('large');
    expect(row?.payload.data).toMatchObject({ field: 'messages', value: { summarised: true } });
    const tooLarge = `{"a":"${'x'.repeat(4_300_000)}"}`;
    expect((await callBack(tooLarge, signed(tooLarge))).status).toBe(413);
  });
});
