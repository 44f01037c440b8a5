import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { eventually, testServers } from '@switchboard/testing';
import { HttpHarness, expectEnvelope } from './http-harness.js';
import { bootGateway, issueKey, sendRaw, type RawAnswer } from './gateway-harness.js';

const servers = testServers();
const http = new HttpHarness(servers);
const { authorization, call, post, raw, headWithKey } = http;

describe('what HTTP itself can get wrong', () => {
  const longPath = (length: number): string => `/v1/${'a'.repeat(length - 4)}`;
  const json = 'Content-Type: application/json';
  it.each<[string, () => Promise<RawAnswer>, number, string]>([
    ['an unknown route', () => raw(headWithKey('GET /v1/nothing HTTP/1.1')), 404, 'NOT_FOUND'],
    ['an unknown route outside of /v1', () => raw('GET /nothing HTTP/1.1\r\nHost: x'), 404, 'NOT_FOUND'],
    [
      'a wrong method on the description',
      () => raw('POST /v1/openapi.json HTTP/1.1\r\nHost: x\r\nContent-Length: 0'),
      405,
      'METHOD_NOT_ALLOWED',
    ],
    ['a wrong method', () => raw(headWithKey('DELETE /v1/ping HTTP/1.1')), 405, 'METHOD_NOT_ALLOWED'],
    [
      'a wrong method with a body',
      () => raw(headWithKey('PUT /v1/messages HTTP/1.1', 'Content-Length: 2'), '{}'),
      405,
      'METHOD_NOT_ALLOWED',
    ],
    ['OPTIONS', () => raw(headWithKey('OPTIONS /v1/messages HTTP/1.1')), 405, 'METHOD_NOT_ALLOWED'],
    ['a method of WebDAV', () => raw(headWithKey('PROPFIND /v1/ping HTTP/1.1')), 405, 'METHOD_NOT_ALLOWED'],
    ['a method that does not exist', () => raw(headWithKey('BREW /v1/ping HTTP/1.1')), 400, 'VALIDATION_FAILED'],
    ['CONNECT', () => raw('CONNECT example.test:443 HTTP/1.1\r\nHost: x'), 405, 'METHOD_NOT_ALLOWED'],
    ['OPTIONS *', () => raw('OPTIONS * HTTP/1.1\r\nHost: x'), 404, 'NOT_FOUND'],
    [
      'no Host',
      () => raw(`GET /v1/ping HTTP/1.1\r\nAuthorization: Bearer ${http.key.secret}`),
      400,
      'VALIDATION_FAILED',
    ],
    ['two Hosts', () => raw(headWithKey('GET /v1/ping HTTP/1.1', 'Host: y')), 400, 'VALIDATION_FAILED'],
    ['what is no HTTP', () => raw('hello'), 400, 'VALIDATION_FAILED'],
    ['HTTP/2 in clear text', () => raw('PRI * HTTP/2.0\r\n\r\nSM'), 400, 'VALIDATION_FAILED'],
    ['bad percent-encoding', () => raw(headWithKey('GET /v1/messages/%zz HTTP/1.1')), 400, 'VALIDATION_FAILED'],
    ['bad percent-encoding without a key', () => raw('GET /v1/messages/%zz HTTP/1.1\r\nHost: x'), 401, 'UNAUTHORIZED'],
    ['a path that is no id', () => raw(headWithKey('GET /v1/messages/C-1 HTTP/1.1')), 400, 'VALIDATION_FAILED'],
    ['a target of 8,193 bytes', () => raw(headWithKey(`GET ${longPath(8_193)} HTTP/1.1`)), 414, 'URI_TOO_LONG'],
    ['a target of 200,000 bytes', () => raw(headWithKey(`GET ${longPath(200_000)} HTTP/1.1`)), 414, 'URI_TOO_LONG'],
    [
      'headers over 16 KiB',
      () => raw(headWithKey('GET /v1/ping HTTP/1.1', `X-Big: ${'a'.repeat(16_384)}`)),
      431,
      'HEADERS_TOO_LARGE',
    ],
    [
      'headers over what the parser takes',
      () => raw(headWithKey('GET /v1/ping HTTP/1.1', `X-Big: ${'a'.repeat(200_000)}`)),
      431,
      'HEADERS_TOO_LARGE',
    ],
    [
      '2,001 headers',
      () => raw(headWithKey('GET /v1/ping HTTP/1.1', ...Array.from({ length: 2_001 }, (_, i) => `X${i}: 1`))),
      431,
      'HEADERS_TOO_LARGE',
    ],
    ['a folded header', () => raw(headWithKey('GET /v1/ping HTTP/1.1', 'X-A: 1', ' 2')), 400, 'VALIDATION_FAILED'],
    [
      'two lengths',
      () => raw(headWithKey('POST /v1/messages HTTP/1.1', json, 'Content-Length: 2', 'Content-Length: 3'), '{}'),
      400,
      'VALIDATION_FAILED',
    ],
    [
      'a length as well as chunks',
      () =>
        raw(
          headWithKey('POST /v1/messages HTTP/1.1', json, 'Content-Length: 2', 'Transfer-Encoding: chunked'),
          '0\r\n\r\n',
        ),
      400,
      'VALIDATION_FAILED',
    ],
    [
      'an unknown Transfer-Encoding',
      () => raw(headWithKey('POST /v1/messages HTTP/1.1', json, 'Transfer-Encoding: gzip'), 'aa'),
      400,
      'VALIDATION_FAILED',
    ],
    [
      'a coding below the chunks',
      () =>
        raw(
          headWithKey('POST /v1/messages HTTP/1.1', json, 'Transfer-Encoding: gzip, chunked'),
          '24\r\n{"to":"+12015550123","text":"hello"}\r\n0\r\n\r\n',
        ),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'a bad chunk',
      () => raw(headWithKey('POST /v1/messages HTTP/1.1', json, 'Transfer-Encoding: chunked'), 'zz\r\n'),
      400,
      'VALIDATION_FAILED',
    ],
    [
      'an unknown Content-Encoding',
      () => raw(headWithKey('POST /v1/messages HTTP/1.1', json, 'Content-Encoding: gzip', 'Content-Length: 2'), '{}'),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'no Content-Type',
      () => raw(headWithKey('POST /v1/messages HTTP/1.1', 'Content-Length: 2'), '{}'),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'a form',
      () =>
        raw(
          headWithKey(
            'POST /v1/messages HTTP/1.1',
            'Content-Type: application/x-www-form-urlencoded',
            'Content-Length: 3',
          ),
          'a=b',
        ),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'JSON in UTF-16',
      () => raw(headWithKey('POST /v1/messages HTTP/1.1', `${json}; charset=utf-16`, 'Content-Length: 2'), '{}'),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['no body', () => raw(headWithKey('POST /v1/messages HTTP/1.1', 'Content-Length: 0')), 400, 'MALFORMED_BODY'],
    [
      'an empty body of JSON',
      () => raw(headWithKey('POST /v1/messages HTTP/1.1', json, 'Content-Length: 0')),
      400,
      'MALFORMED_BODY',
    ],
    [
      'a body announced too large',
      () => raw(headWithKey('POST /v1/messages HTTP/1.1', json, 'Content-Length: 1048577')),
      413,
      'PAYLOAD_TOO_LARGE',
    ],
    [
      'chunks that grow too large',
      () =>
        raw(
          headWithKey('POST /v1/messages HTTP/1.1', json, 'Transfer-Encoding: chunked'),
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
    expect(wrong.headers.get('allow')).toBe('GET, HEAD, POST');
    expect((await call('/v1/ping', { method: 'PUT', headers: authorization() })).headers.get('allow')).toBe(
      'GET, HEAD',
    );
    const tunnel = await raw('CONNECT example.test:443 HTTP/1.1\r\nHost: x');
    expect(tunnel.headers.get('allow')).toBe('DELETE, GET, HEAD, PATCH, POST');
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
      const head = headWithKey(
        'POST /v1/messages HTTP/1.1',
        json,
        `Content-Length: ${body.length}`,
        `Expect: ${expectation}`,
      );
      expect((await raw(head, body)).status).toBe(200);
    }
  });

  it('answers the good request of a connection before it refuses what follows it', async () => {
    const bytes = `${headWithKey('GET /v1/ping HTTP/1.1')}\r\n\r\nnonsense\r\n\r\n`;
    const answers = await sendRaw(http.booted.gateway.url, bytes, 2);
    expect(answers.map(({ status }) => status)).toEqual([200, 400]);
  });

  it('outlives clients that are gone before their answer, whose socket shows no address any more', async () => {
    const { hostname, port } = new URL(http.booted.gateway.url);
    const isEnd = ({ event, fields }: (typeof http.booted.log.lines)[number]): boolean =>
      event === 'http.request' && fields['route'] === '/app/api/sign-in';
    for (let left = 1; left <= 20; left++) {
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      // Without a Host it is refused before anything asks for the address.
      socket.end('POST /app/api/sign-in HTTP/1.1\r\nConnection: close\r\n\r\n', () => socket.destroy());
      await once(socket, 'close');
    }
    await eventually(async () => http.booted.log.lines.filter(isEnd).length === 20);
    expect((await call('/v1/ping', { headers: authorization() })).status).toBe(200);
  });

  it('gives up on headers and bodies that do not come, the latter in the trace of their request', async () => {
    const settings = { GATEWAY_HEADERS_TIMEOUT_MS: '3000', GATEWAY_REQUEST_TIMEOUT_MS: '3000' };
    const hasty = await bootGateway(servers, settings);
    const own = await issueKey(hasty.database);
    // Connects to the database and reads the key: what follows is admitted at once.
    const ping = await fetch(`${hasty.gateway.url}/v1/ping`, { headers: { authorization: `Bearer ${own.secret}` } });
    expect(ping.status).toBe(200);
    const head = `POST /v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${own.secret}\r\n`;
    const answerTo = async (bytes: string): Promise<RawAnswer | undefined> =>
      (await sendRaw(hasty.gateway.url, bytes))[0];
    /** A database that is held up meanwhile admits nothing in time: the answer to such a request is no admitted one's. */
    const answerToAdmitted = async (bytes: string): Promise<RawAnswer | undefined> => {
      for (;;) {
        const answer = await answerTo(bytes);
        const traceId = answer?.headers.get('x-request-id');
        const line = await eventually(() => hasty.log.lines.find(({ fields }) => fields['traceId'] === traceId));
        if (line.fields['keyId'] === own.keyId) return answer;
      }
    };
    const body = `${head}${json}\r\nContent-Length: 20\r\n\r\n{"to"`;
    const [ofHeaders, ofBody] = await Promise.all([answerTo(head), answerToAdmitted(body)]);
    for (const answer of [ofHeaders, ofBody]) expectEnvelope(answer, 408, 'REQUEST_TIMEOUT');
    expect(ofHeaders?.headers.has('ratelimit-limit')).toBe(false);
    expect(ofBody?.headers.get('ratelimit-limit')).toBe('5000');
  });
});
