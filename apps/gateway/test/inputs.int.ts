import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { eventually, testServers } from '@switchboard/testing';
import { HttpHarness, REFUSED } from './http-harness.js';

const http = new HttpHarness(testServers());
const { authorization, call, post } = http;

describe('bodies and queries', () => {
  const REFERENCE = /^`clientReference` must be 1 to 128 characters long or null$/;
  const METADATA =
    /^`metadata` must be null or an object of at most 16 strings, with names of 1 to 40 characters .* 500 characters$/;
  const bodyWith = (more: object): string => JSON.stringify({ to: '+12015550123', text: 'a', ...more });
  const entries = (count: number, nameLength: number, valueLength: number): object =>
    Object.fromEntries(
      Array.from({ length: count }, (_, n) => [n.toString(36) + '😀'.repeat(nameLength - 1), '😀'.repeat(valueLength)]),
    );
  const deep = (levels: number): string => `{"to":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
  it.each<[string, string | Uint8Array<ArrayBuffer>, string, RegExp]>([
    ['broken JSON', '{"to":', 'MALFORMED_BODY', /JSON/],
    ['bytes that are no UTF-8', Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d), 'MALFORMED_BODY', /UTF-8/],
    ['a byte order mark', '\ufeff{}', 'MALFORMED_BODY', /JSON/],
    ['an array', '[]', 'VALIDATION_FAILED', /object/],
    ['null', 'null', 'VALIDATION_FAILED', /object/],
    ['no field at all', '{}', 'VALIDATION_FAILED', /^`to` is required; `text` is required$/],
    ['a number as text', '{"to":"+12015550123","text":5}', 'VALIDATION_FAILED', /^`text` must be a string$/],
    ['null as text', '{"to":"+12015550123","text":null}', 'VALIDATION_FAILED', /^`text` must be a string$/],
    ['a short recipient', '{"to":"+1","text":"a"}', 'VALIDATION_FAILED', /^`to` must be 3 to 32 characters long$/],
    [
      'the text under the name that others give it',
      '{"to":"+12015550123","message":"a"}',
      'VALIDATION_FAILED',
      /^`text` is required; `message` is unknown, did you mean `text`\?$/,
    ],
    ['a text too long', `{"to":"+12015550123","text":"${'😀'.repeat(4_097)}"}`, 'VALIDATION_FAILED', /`text`/],
    [
      'a channel that is no cuid',
      '{"to":"+12015550123","text":"a","messagingChannelId":"1"}',
      'VALIDATION_FAILED',
      /^`messagingChannelId` must be a cuid or null$/,
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
    ['a reference too long', bodyWith({ clientReference: 'x'.repeat(129) }), 'VALIDATION_FAILED', REFERENCE],
    ['an empty reference', bodyWith({ clientReference: '' }), 'VALIDATION_FAILED', REFERENCE],
    ['metadata that is a list', bodyWith({ metadata: ['a'] }), 'VALIDATION_FAILED', METADATA],
    ['a number in metadata', bodyWith({ metadata: { order: 4711 } }), 'VALIDATION_FAILED', METADATA],
    ['17 entries of metadata', bodyWith({ metadata: entries(17, 1, 1) }), 'VALIDATION_FAILED', METADATA],
    ['a name of 41 characters', bodyWith({ metadata: { ['n'.repeat(41)]: '' } }), 'VALIDATION_FAILED', METADATA],
    ['a name of none', bodyWith({ metadata: { '': 'x' } }), 'VALIDATION_FAILED', METADATA],
    ['a value of 501 characters', bodyWith({ metadata: { note: 'v'.repeat(501) } }), 'VALIDATION_FAILED', METADATA],
    ['33 levels', deep(33), 'VALIDATION_FAILED', /deeper than 32/],
    ['a million levels', '['.repeat(900_000), 'MALFORMED_BODY', /JSON/],
    [
      'a hundred thousand names',
      `{${Array.from({ length: 100_000 }, (_none, index) => `"${index}":0`).join()}}`,
      'VALIDATION_FAILED',
      /^The body has more than 10000 values$/,
    ],
  ])('refuses %s', async (_name, body, code, message) => {
    const before = http.sent.length;
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: { code, message: expect.stringMatching(message) } });
    expect(http.sent.length).toBe(before);
  });

  it('counts code points, ignores unknown fields and shows exactly the four fields of the answer', async () => {
    const text = '😀'.repeat(4_096);
    const body = JSON.stringify({ to: '+12015550123', text, constructor: { prototype: {} }, unknown: true });
    const response = await post(body, { 'content-type': 'Application/JSON; charset="UTF-8"; v=1' });
    const answer = (await response.json()) as { id: string };
    expect([response.status, Object.keys(answer)]).toEqual([
      200,
      ['id', 'conversationId', 'contactId', 'upstreamMessageId'],
    ]);
    expect(http.sent.at(-1)).toEqual({
      messageId: answer.id,
      to: '+12015550123',
      text,
      messagingChannelId: null,
      messagesPerMonth: 50_000_000,
    });
    expect(answer.id).toMatch(/^c[0-9a-z]{24}$/);
  });

  it('takes the longest reference and the largest metadata, in code points, and leaves out what is null or empty', async () => {
    const clientReference = '😀'.repeat(128);
    const metadata = entries(16, 40, 500);
    expect((await post(bodyWith({ clientReference, metadata }))).status).toBe(200);
    expect(http.sent.at(-1)).toMatchObject({ clientReference, metadata });
    for (const nothing of [{ clientReference: null, metadata: null, messagingChannelId: null }, { metadata: {} }]) {
      expect((await post(bodyWith(nothing))).status).toBe(200);
      expect(http.sent.at(-1)).not.toHaveProperty('metadata');
      expect(http.sent.at(-1)).not.toHaveProperty('clientReference');
    }
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
    ['contactId=c%00234567', '`contactId` must not contain the character NUL'],
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

describe('the search for messages', () => {
  const find = (query: string): Promise<Response> => call(`/v1/messages?${query}`, { headers: authorization() });

  it('passes every filter on, a date alone with its day, and puts a whole page together', async () => {
    const message = (id: string): object => ({ id, clientReference: null, metadata: {}, jobId: null });
    http.pages.push({ items: [message('c0000003')], nextCursor: 'c0000003' }, { items: [message('c0000002')] });
    const filters = {
      status: 'FAILED',
      direction: 'OUTBOUND',
      conversationId: 'c0000011',
      contactId: 'c0000012',
      messagingChannelId: 'c0000013',
      jobId: 'c0000014',
      clientReference: 'order 4711',
    };
    const times = { createdFrom: '2026-01-02', createdTo: '2026-01-02' };
    const response = await find(String(new URLSearchParams({ ...filters, ...times, limit: '2' })));
    expect(await response.json()).toEqual({ items: [message('c0000003'), message('c0000002')] });
    const period = { createdFrom: '2026-01-02T00:00:00.000Z', createdBefore: '2026-01-03T00:00:00.000Z' };
    expect(http.searches).toEqual([
      { ...filters, ...period, limit: 2, cursor: null },
      { ...filters, ...period, limit: 1, cursor: 'c0000003' },
    ]);
    expect(await (await find('createdTo=2026-01-02T12:00')).json()).toEqual({ items: [] });
    const open = { status: null, createdFrom: null, createdBefore: '2026-01-02T12:00:00.000Z' };
    expect(http.searches.at(-1)).toMatchObject(open);
    await find('createdTo=2026-01-02T13:30+01:30');
    expect(http.searches.at(-1)).toMatchObject(open);
  });

  it.each([
    ['status=SENDING', '`status` must be one of QUEUED, SENT, DELIVERED, READ, FAILED, RECEIVED'],
    ['direction=out', '`direction` must be one of OUTBOUND, INBOUND'],
    ['jobId=X', '`jobId` must be a cuid'],
    ['conversationId=X', '`conversationId` must be a cuid'],
    [`clientReference=${'x'.repeat(129)}`, '`clientReference` must be 1 to 128 characters long'],
    ['clientReference=%ed%a0%80', '`clientReference` must be percent-encoded UTF-8'],
    ['clientReference=a%ED%A0%BD', '`clientReference` must be percent-encoded UTF-8'],
    ['client%52eference=%ed%a0%80', '`clientReference` must be percent-encoded UTF-8'],
    ['clientReference=a=%ed%a0%80', '`clientReference` must be percent-encoded UTF-8'],
    ['createdFrom=yesterday', '`createdFrom` must be an ISO 8601 date, or date and time'],
    ['createdTo=2026-02-30', '`createdTo` must be an ISO 8601 date, or date and time'],
  ])('refuses the query %s', async (query, message) => {
    const before = http.searches.length;
    const response = await find(query);
    expect([response.status, await response.json()]).toEqual([400, { error: { code: 'VALIDATION_FAILED', message } }]);
    expect(http.searches).toHaveLength(before);
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
    http.booted.database.dataSource.query(
      'SELECT subject, payload::json AS payload FROM gateway.outbox WHERE aggregate_id = $1 ORDER BY position',
      [aggregateId],
    );

  it('shows the challenge to a caller with the token alone', async () => {
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

  it('commits every item of a callback, good and odd ones, before it answers, and publishes them', async () => {
    const status = { id: 'wamid.int', status: 'delivered', timestamp: '1751142888' };
    const value = {
      metadata: { phone_number_id: '77' },
      // What no service needs is not kept.
      statuses: [{ ...status, recipient_id: '1' }, { id: 5 }, { ...status, status: 'read' }],
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
      const [row] = await http.booted.database.dataSource.query(
        'SELECT count(*)::int AS waiting FROM gateway.outbox_pending',
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
