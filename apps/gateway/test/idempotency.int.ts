import { createHash } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import { sendMessageOnceRpc, type AnswerOnce, type SendMessageOnceRequest } from '@switchboard/contracts/messaging/rpc';
import { eventually, testServers } from '@switchboard/testing';
import { HttpHarness, expectEnvelope } from './http-harness.js';
import { answerRpcs, issueKey, type RawAnswer } from './gateway-harness.js';

const servers = testServers();
const http = new HttpHarness(servers);
const { post, raw } = http;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** With odd bytes, so that anything but the very text is seen. */
const FIRST: AnswerOnce = { status: 200, body: '{ "id":"c1" ,"é":1}', messageId: 'cmessage', isReplay: false };
const BODY = '{"to":"+12015550123","text":"hi"}';
/** The same value as RFC 8785 writes it. */
const CANONICAL = '{"text":"hi","to":"+12015550123"}';

describe('POST /v1/messages with an Idempotency-Key', () => {
  const asked: SendMessageOnceRequest[] = [];
  /** What messaging answers, or throws; null: nothing is stored under the key. */
  let answer: AnswerOnce | AppError | null;

  beforeAll(async () => {
    await answerRpcs(await (await servers.nats()).connect('messaging'), 'messaging', {
      [sendMessageOnceRpc.subject]: (request) => {
        asked.push(request as SendMessageOnceRequest);
        if (answer instanceof AppError) throw answer;
        return { answer };
      },
    });
  });

  beforeEach(() => {
    asked.length = 0;
    http.sent.length = 0;
    answer = FIRST;
  });

  const send = (body: string | Buffer = BODY, headers: Record<string, string> = {}): Promise<Response> =>
    post(body, { 'idempotency-key': 'a key', ...headers });

  it('is asked for once, by the hashes of key and body, and answered with the text as it is', async () => {
    const first = await send();
    expect([first.status, await first.text()]).toEqual([200, FIRST.body]);
    expect(first.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect([first.headers.get('idempotent-replayed'), first.headers.get('x-message-id')]).toEqual([null, null]);
    expect(asked).toEqual([
      {
        messageId: expect.stringMatching(/^c[0-9a-z]{24}$/),
        keySha256: sha256('a key'),
        bodySha256: sha256(CANONICAL),
        bodyBytesSha256: sha256(BODY),
        content: { to: '+12015550123', text: 'hi', messagingChannelId: null, messagesPerMonth: 50_000_000 },
      },
    ]);
    expect(http.sent).toEqual([]);
    const same = ' { "text" : "\\u0068i",\n "to" : "+12015550123" } ';
    await send(same);
    expect(asked[1]).toMatchObject({ bodySha256: sha256(CANONICAL), bodyBytesSha256: sha256(same) });
    await send('{"to":"+12015550123","text":"hi","unknown":1}');
    expect(asked[2]?.bodySha256).not.toBe(sha256(CANONICAL));
  });

  it('says of a replay that it is one, and repeats a refusal with its message', async () => {
    answer = { ...FIRST, isReplay: true };
    const again = await send();
    expect([again.status, await again.text(), again.headers.get('idempotent-replayed')]).toEqual([
      200,
      FIRST.body,
      'true',
    ]);
    const body = '{"error":{"code":"UPSTREAM_REJECTED","message":"no"}}';
    answer = { status: 400, body, messageId: 'cmessage', isReplay: true };
    const refused = await send();
    expect([refused.status, await refused.text()]).toEqual([400, body]);
    expect(refused.headers.get('x-message-id')).toBe('cmessage');
    expect(refused.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const traceId = refused.headers.get('x-request-id');
    const line = await eventually(() => http.booted.log.lines.find(({ fields }) => fields.traceId === traceId));
    expect(line.fields).toMatchObject({ status: 400, code: 'UPSTREAM_REJECTED' });
  });

  it('passes refusals on: a conflict, with the time to wait, and what messaging refuses before it stores', async () => {
    answer = new AppError(serviceErrors.CONFLICT, undefined, { retryAfterSeconds: 1 });
    const conflict = await send();
    expect([conflict.status, conflict.headers.get('retry-after')]).toEqual([409, '1']);
    expect(await conflict.json()).toMatchObject({ error: { code: 'CONFLICT' } });
    answer = new AppError(messagingErrors.CONTACT_OPTED_OUT);
    const refused = await send();
    expect([refused.status, refused.headers.get('x-message-id')]).toEqual([403, null]);
  });

  it.each([
    ['a missing field', '{"to":"+12015550123"}'],
    ['a body that is no object', '[1]'],
    ['a NUL', '{"to":"+12015550123","text":"a\\u0000b"}'],
    ['a prototype', '{"__proto__":{}}'],
  ])('looks for a replay before it refuses %s', async (_what, body) => {
    const replay = await send(body);
    expect([replay.status, await replay.text()]).toEqual([200, FIRST.body]);
    expect(asked).toEqual([expect.objectContaining({ content: null, bodySha256: sha256(body) })]);
    answer = new AppError(serviceErrors.CONFLICT);
    expect((await send(body)).status).toBe(409);
    answer = null;
    const refused = await send(body);
    expect([refused.status, await refused.json()]).toEqual([
      400,
      { error: { code: 'VALIDATION_FAILED', message: expect.stringMatching(/./) } },
    ]);
    // The same words as without a key.
    const unkeyed = await post(body);
    expect(await unkeyed.text()).toBe(await (await send(body)).text());
  });

  it('looks for a replay before the plan refuses, and the shape refuses before the plan', async () => {
    const unpaid = await issueKey(http.booted.database, { status: 'PAST_DUE' });
    const authorization = `Bearer ${unpaid.secret}`;
    expect((await send(BODY, { authorization })).status).toBe(200);
    expect(asked).toEqual([expect.objectContaining({ content: null })]);
    answer = null;
    expect((await send(BODY, { authorization })).status).toBe(402);
    expect((await send('{}', { authorization })).status).toBe(400);
  });

  it.each([
    ['syntax', '{"to":', 'MALFORMED_BODY'],
    ['nothing', '', 'MALFORMED_BODY'],
  ])('refuses bad %s before it looks for anything', async (_what, body, code) => {
    const refused = await send(body);
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: { code } }]);
    expect(asked).toEqual([]);
  });

  it('refuses a bad key by its name: after the syntax of the body, before its shape', async () => {
    const ask = (body: string, ...keys: string[]): Promise<RawAnswer> => {
      const headers = keys.map((key) => `Idempotency-Key: ${key}`);
      const length = `Content-Length: ${Buffer.byteLength(body)}`;
      return raw(
        http.headWithKey('POST /v1/messages HTTP/1.1', 'Content-Type: application/json', length, ...headers),
        body,
      );
    };
    for (const keys of [[''], ['a', 'a'], ['a', ''], ['x'.repeat(201)], ['caf\u00e9']]) {
      for (const body of [BODY, '{}', '[1]']) {
        const refused = await ask(body, ...keys);
        expectEnvelope(refused, 400, 'VALIDATION_FAILED');
        expect(refused.body).toContain('`Idempotency-Key`');
      }
      expectEnvelope(await ask('{', ...keys), 400, 'MALFORMED_BODY');
    }
    expect(asked).toEqual([]);
    expect((await ask(BODY, 'x'.repeat(200))).status).toBe(200);
  });

  it('does not use a key on routes that take none', async () => {
    const answered = await http.call('/v1/ping', { headers: { ...http.authorization(), 'idempotency-key': '' } });
    expect(answered.status).toBe(200);
  });

  it('is answered 503 without a message while messaging cannot be asked for a stored response', async () => {
    answer = new AppError(serviceErrors.SERVICE_UNAVAILABLE);
    const refused = await send('{}');
    expect([refused.status, refused.headers.get('x-message-id')]).toEqual([503, null]);
  });
});
