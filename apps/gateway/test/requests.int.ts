import { describe, expect, it } from '@jest/globals';
import type { OptOutView } from '@switchboard/contracts/contacts/http';
import { createOptOutRpc } from '@switchboard/contracts/contacts/rpc';
import { sendMessageRpc } from '@switchboard/contracts/messaging/rpc';
import { eventually, testServers } from '@switchboard/testing';
import { collectSpans } from '@switchboard/testing/collect-spans';
import { mintKey } from '../src/identity/api-key/api-key.policy.js';
import { HttpHarness, expectEnvelope, PUBLIC_BASE_URL } from './http-harness.js';
import { answerRpcs, issueKey, type RawAnswer } from './gateway-harness.js';

const spans = collectSpans();
const servers = testServers();
const http = new HttpHarness(servers);
const { authorization, call, post, raw } = http;

describe('credentials', () => {
  const answerTo = async (headers: string[]): Promise<RawAnswer> =>
    raw(['GET /v1/ping HTTP/1.1', 'Host: x', ...headers].join('\r\n'));

  it('answers every bad key alike: missing, malformed, mistyped, unknown, revoked, twice', async () => {
    const revoked = await issueKey(http.booted.database);
    await http.booted.database.dataSource.query('UPDATE gateway.api_key SET revoked_at = now() WHERE id = $1', [
      revoked.keyId,
    ]);
    const cases = [
      [],
      ['Authorization: Basic abc'],
      ['Authorization: Bearer'],
      [`Authorization: Bearer ${http.key.secret.slice(0, -1)}_`],
      [`Authorization: Bearer ${mintKey().secret}`],
      [`Authorization: Bearer ${revoked.secret}`],
      [`Authorization: Bearer ${http.key.secret} ${http.key.secret}`],
      [`Authorization: Bearer ${http.key.secret}`, `Authorization: Bearer ${http.key.secret}`],
      [`authorization: ${http.key.secret}`],
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

  it('takes the scheme in any case, shows the state of the rate limit and notes the use of the key', async () => {
    const fresh = await issueKey(http.booted.database, { plan: 'GROWTH' });
    const answer = await answerTo([`aUTHORIZATION: bEARER   ${fresh.secret}`]);
    expect([answer.status, answer.body]).toEqual([200, `{"ok":true,"organizationId":"${fresh.organizationId}"}`]);
    expect(answer.headers.get('ratelimit-limit')).toBe('1000');
    expect(answer.headers.get('ratelimit-remaining')).toBe('999');
    expect(answer.headers.get('ratelimit-reset')).toBe('1');
    await eventually(async () => {
      const [row] = await http.booted.database.dataSource.query(
        'SELECT last_used_at, last_used_address FROM gateway.api_key WHERE id = $1',
        [fresh.keyId],
      );
      return row.last_used_at !== null && row.last_used_address === '127.0.0.1';
    });
  });

  it('does not note the use of a key whose request was refused', async () => {
    const fresh = await issueKey(http.booted.database);
    expect((await call('/v1/nothing', { headers: authorization(fresh.secret) })).status).toBe(404);
    const other = await issueKey(http.booted.database);
    await call('/v1/ping', { headers: authorization(other.secret) });
    const used = (id: string) => async () =>
      (
        await http.booted.database.dataSource.query(
          'SELECT 1 FROM gateway.api_key WHERE id = $1 AND last_used_at IS NOT NULL',
          [id],
        )
      ).length > 0;
    await eventually(used(other.keyId));
    expect(await used(fresh.keyId)()).toBe(false);
  });

  it('checks in order: rate before scope, scope before media type, shape before plan', async () => {
    const limited = await issueKey(http.booted.database, { requestsPerMinute: 1, burst: 1, scopes: ['contacts:read'] });
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
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThanOrEqual(30);
    const unpaid = await issueKey(http.booted.database, { status: 'PAST_DUE' });
    expect((await sendAs(unpaid.secret, '{}', 'application/json')).status).toBe(400);
    expect((await sendAs(unpaid.secret, '{"to":"+12015550123","text":"hi"}', 'application/json')).status).toBe(402);
    const canceled = await issueKey(http.booted.database, { status: 'CANCELED' });
    expect((await call('/v1/conversations', { headers: authorization(canceled.secret) })).status).toBe(402);
    expect((await call('/v1/ping', { headers: authorization(canceled.secret) })).status).toBe(200);
  });

  it('takes an opt-out whatever is paid, and nothing else of opt-outs', async () => {
    const optOut: OptOutView = {
      id: 'c7654321',
      contactId: 'c1234567',
      phone: '+12015550123',
      messagingChannelId: null,
      source: 'API',
      reason: null,
      createdAt: '2026-01-01T00:00:00.000Z',
    };
    const nats = await (await servers.nats()).connect('contacts');
    await answerRpcs(nats, 'contacts', { [createOptOutRpc.subject]: () => ({ optOut, isNew: true }) });
    const { secret } = await issueKey(http.booted.database, { status: 'CANCELED' });
    const headers = { ...authorization(secret), 'content-type': 'application/json' };
    const body = JSON.stringify({ phone: optOut.phone });
    expect((await call('/v1/opt-outs', { method: 'POST', headers, body })).status).toBe(201);
    expect((await call('/v1/opt-outs', { headers })).status).toBe(402);
    const removed = await call(`/v1/opt-outs/${optOut.id}`, { method: 'DELETE', headers: authorization(secret) });
    expect(removed.status).toBe(402);
    const refusesUnpaid = expect.objectContaining({ 402: expect.anything() });
    const neverRefusesUnpaid = expect.not.objectContaining({ 402: expect.anything() });
    const described = { get: { responses: refusesUnpaid }, post: { responses: neverRefusesUnpaid } };
    const page = await (await call('/v1/openapi.json')).json();
    expect(page).toMatchObject({ paths: { '/v1/opt-outs': described } });
  });
});

describe('every answer', () => {
  it('carries its trace, linked to that of its caller, and shows no more than is asked', async () => {
    const ofCaller = '4bf92f3577b34da6a3ce929d0e0e4736';
    const traceparent = `00-${ofCaller}-00f067aa0ba902b7-00`;
    spans.clear();
    const response = await post('{"to":"+12015550123","text":"hi"}', { traceparent });
    const traceId = response.headers.get('x-request-id') ?? '';
    expect(traceId).toMatch(/^(?!4bf92f3577b34da6)[0-9a-f]{32}$/);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const server = await eventually(() => spans.named('POST /v1/messages')[0]);
    expect(server.spanContext().traceId).toBe(traceId);
    expect(server.links.map(({ context }) => context.traceId)).toEqual([ofCaller]);
    const second = await post('{"to":"+12015550123","text":"hi"}', { traceparent });
    expect(second.headers.get('x-request-id')).not.toBe(traceId);
    expect(server.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/v1/messages',
      'http.response.status_code': 200,
    });
    // The rpc ran in the request's span although its body was read in between.
    const rpc = await eventually(() => spans.named(sendMessageRpc.subject).find((span) => span.kind === 2));
    expect(rpc.parentSpanContext?.spanId).toBe(server.spanContext().spanId);
    const line = await eventually(() => http.booted.log.lines.find(({ fields }) => fields.traceId === traceId));
    expect(line.event).toBe('http.request');
    expect(line.fields).toMatchObject({
      method: 'POST',
      route: '/v1/messages',
      status: 200,
      code: null,
      keyId: http.key.keyId,
    });
    expect(JSON.stringify(http.booted.log.lines)).not.toContain(http.key.secret.slice(12));
    expect(JSON.stringify(http.booted.log.lines)).not.toContain('12015550123');
  });

  it.each([
    ['GET', '/api/v1/ping?a=%20b', `${PUBLIC_BASE_URL}/v1/ping?a=%20b`],
    ['POST', '/api/v1/messages', `${PUBLIC_BASE_URL}/v1/messages`],
    ['DELETE', '/api/v1', `${PUBLIC_BASE_URL}/v1`],
    ['GET', 'http://x/api/v1/ping?a', `${PUBLIC_BASE_URL}/v1/ping?a`],
    ['GET', '/api/v1//evil.example/%5c', `${PUBLIC_BASE_URL}/v1//evil.example/%5c`],
  ])('sends %s %s to the canonical base, before it asks for a key', async (method, path, location) => {
    const answer = await raw(`${method} ${path} HTTP/1.1\r\nHost: x`);
    expect(answer.status).toBe(308);
    expect(answer.headers.get('location')).toBe(location);
    expect(answer.headers.get('link')).toBe(`<${location}>; rel="successor-version"`);
    expect(answer.headers.get('deprecation')).toMatch(/^@\d+$/);
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/);
  });

  it('for a description names the canonical base, and for /docs/ where the reference is', async () => {
    for (const path of ['/v1/openapi.json', '/app/openapi.json']) {
      expect(await (await call(path)).json()).toMatchObject({ servers: [{ url: PUBLIC_BASE_URL }] });
    }
    const { status, headers } = await raw('GET /docs/ HTTP/1.1\r\nHost: x');
    expect([status, headers.get('location')]).toEqual([308, '/docs']);
  });

  it('is not a redirect for what only looks like the old base', async () => {
    expect((await call('/api/v2/ping')).status).toBe(404);
    expect((await call('/api/v10')).status).toBe(404);
  });

  it('of the health endpoints shows what answers', async () => {
    expect(await (await call('/health/live')).json()).toEqual({ ok: true });
    // A check has two seconds, which a busy machine may need.
    const shown = (path: string) =>
      eventually(async () => {
        const answer = await call(path);
        return answer.status === 200 && answer.json();
      });
    expect(await shown('/health/ready')).toEqual({ ok: true, checks: { database: 'ok', nats: 'ok', gateway: 'ok' } });
    expect(await shown('/health/serving')).toEqual({ ok: true, checks: { database: 'ok', gateway: 'ok' } });
  });
});
