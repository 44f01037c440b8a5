import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { contactsErrors } from '@switchboard/contracts/contacts/errors';
import type { ContactView, OptOutView } from '@switchboard/contracts/contacts/http';
import {
  createOptOutRpc,
  deleteOptOutRpc,
  getContactRpc,
  getOptOutRpc,
  listContactsRpc,
  listOptOutsRpc,
  upsertContactRpc,
} from '@switchboard/contracts/contacts/rpc';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import { testServers } from '@switchboard/testing';
import { HttpHarness, expectEnvelope } from './http-harness.js';
import { answerRpcs, issueKey } from './gateway-harness.js';

const servers = testServers();
const http = new HttpHarness(servers);
const { authorization, call, raw, headWithKey } = http;
const json = { 'content-type': 'application/json' };

const contact: ContactView = {
  id: 'c1234567',
  phone: '+525512345678',
  messagingId: '525512345678',
  name: null,
  email: null,
  isOptedOut: false,
  optedOutChannelIds: [],
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};
const optOut: OptOutView = {
  id: 'c7654321',
  contactId: contact.id,
  phone: contact.phone,
  messagingChannelId: null,
  source: 'API',
  reason: null,
  createdAt: '2026-01-01T00:00:00.000Z',
};

/** A domain of so many characters; no label has more than 63. */
const domainOf = (length: number): string =>
  `${'b'.repeat(length - 4).replaceAll(/b{61}(?=b)/g, `${'b'.repeat(60)}.`)}.com`;

/** What the stand-in for contacts was asked, and whether what it makes is new. */
const asked: unknown[] = [];
let isNew = true;
const taken =
  <Answer>(answer: Answer) =>
  (request: unknown): Answer => {
    asked.push(request);
    return answer;
  };

beforeAll(async () => {
  await answerRpcs(await (await servers.nats()).connect('contacts'), 'contacts', {
    [upsertContactRpc.subject]: (request) => {
      if ((request as { phone: string }).phone === 'nonsense') throw new AppError(messagingErrors.INVALID_PHONE);
      return taken({ contact, isNew })(request);
    },
    [getContactRpc.subject]: (request) => {
      if ((request as { id: string }).id !== contact.id) throw new AppError(contactsErrors.CONTACT_NOT_FOUND);
      return taken(contact)(request);
    },
    [listContactsRpc.subject]: taken({ items: [contact], nextCursor: contact.id }),
    [createOptOutRpc.subject]: (request) => taken({ optOut, isNew })(request),
    [getOptOutRpc.subject]: taken(optOut),
    [listOptOutsRpc.subject]: taken({ items: [optOut] }),
    [deleteOptOutRpc.subject]: taken({}),
  });
});
beforeEach(() => {
  asked.length = 0;
  isNew = true;
});

const get = (path: string, secret?: string): Promise<Response> => call(path, { headers: authorization(secret) });
const post = (path: string, body: unknown): Promise<Response> =>
  call(path, { method: 'POST', headers: { ...authorization(), ...json }, body: JSON.stringify(body) });
const refusal = async (response: Response): Promise<unknown[]> => {
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  return [response.status, error.code, error.message];
};

describe('POST /v1/contacts', () => {
  it('answers 201 for a new contact and 200 for one that was there, and passes on only what was given', async () => {
    const made = await post('/v1/contacts', { phone: '+52 1 55 1234 5678', unknown: 1 });
    expect([made.status, await made.json()]).toEqual([201, contact]);
    isNew = false;
    const changed = await post('/v1/contacts', { phone: '+525512345678', name: 'Ana', email: null });
    expect([changed.status, await changed.json()]).toEqual([200, contact]);
    expect(asked).toEqual([{ phone: '+52 1 55 1234 5678' }, { phone: '+525512345678', name: 'Ana', email: null }]);
  });

  it.each<[string, unknown, RegExp]>([
    ['no phone', {}, /^`phone` is required$/],
    ['a phone that is no text', { phone: 5 }, /^`phone`/],
    ['a phone that is null', { phone: null }, /^`phone`/],
    ['an empty phone', { phone: '' }, /^`phone`/],
    ['an endless phone', { phone: '1'.repeat(65) }, /^`phone`/],
    ['an empty name', { phone: '+1', name: '' }, /^`name` must be 1 to 256 characters long or null$/],
    ['a name too long', { phone: '+1', name: '😀'.repeat(257) }, /^`name`/],
    ['a name with a NUL', { phone: '+1', name: 'a\0' }, /^`name` must not contain the character NUL$/],
    ['a name that is no text', { phone: '+1', name: ['a'] }, /^`name`/],
    [
      'no email at all',
      { phone: '+1', email: '' },
      /^`email` must be an email address of at most 320 characters or null$/,
    ],
    ['what is no address', { phone: '+1', email: 'ana@' }, /^`email`/],
    ['two addresses', { phone: '+1', email: 'a@example.com,b@example.com' }, /^`email`/],
    ['an address with a name', { phone: '+1', email: 'Ana <ana@example.com>' }, /^`email`/],
    ['a local part too long', { phone: '+1', email: `${'a'.repeat(65)}@example.com` }, /^`email`/],
    ['a local part of too many octets', { phone: '+1', email: `${'\u00e9'.repeat(33)}@example.com` }, /^`email`/],
    ['a domain too long', { phone: '+1', email: `a@${domainOf(256)}` }, /^`email`/],
    ['a label too long', { phone: '+1', email: `a@${'b'.repeat(64)}.example.com` }, /^`email`/],
    ['an address too long', { phone: '+1', email: `${'a'.repeat(64)}@${'b.'.repeat(130)}example.com` }, /^`email`/],
  ])('refuses %s', async (_what, body, message) => {
    expect(await refusal(await post('/v1/contacts', body))).toEqual([
      400,
      'VALIDATION_FAILED',
      expect.stringMatching(message),
    ]);
    expect(asked).toEqual([]);
  });

  it('takes the longest name and address', async () => {
    const email = `${'a'.repeat(64)}@${domainOf(255)}`;
    expect(email).toHaveLength(320);
    const body = { phone: '+12015550123', name: '😀'.repeat(256), email };
    expect((await post('/v1/contacts', body)).status).toBe(201);
    expect(asked).toEqual([body]);
  });

  it('refuses a text that cannot be a phone number after every other rule', async () => {
    expect(await refusal(await post('/v1/contacts', { phone: 'nonsense', name: '' }))).toContain('VALIDATION_FAILED');
    expect(await refusal(await post('/v1/contacts', { phone: 'nonsense' }))).toContain('INVALID_PHONE');
  });
});

describe('GET /v1/contacts', () => {
  const nothing = { limit: 25, cursor: null, search: null, phone: null, isOptedOut: null };
  it.each<[string, Record<string, unknown>]>([
    ['', {}],
    ['?unknown=1&unknown=2', {}],
    ['?limit=100&cursor=c1234567', { limit: 100, cursor: 'c1234567' }],
    ['?search=50%25%20_%5C&isOptedOut=true', { search: '50% _\\', isOptedOut: true }],
    ['?isOptedOut=false&phone=%2B12015550123', { isOptedOut: false, phone: '+12015550123' }],
    ['?phone=+12015550123', { phone: '+12015550123' }],
  ])('%s is read with its defaults', async (query, expected) => {
    const response = await get(`/v1/contacts${query}`);
    expect([response.status, await response.json()]).toEqual([200, { items: [contact], nextCursor: contact.id }]);
    expect(asked).toEqual([{ ...nothing, ...expected }]);
  });

  it.each([
    ['limit=0', '`limit` must be a whole number from 1 to 100'],
    ['limit=101', '`limit` must be a whole number from 1 to 100'],
    ['cursor=abc', '`cursor` must be a cuid'],
    ['search=', '`search` must not be empty'],
    ['search=a&search=b', '`search` must be given once'],
    [`search=${'a'.repeat(201)}`, '`search` must be 1 to 200 characters long'],
    ['search=%00', '`search` must not contain the character NUL'],
    ['search=%ED%A0%80', '`search` must be percent-encoded UTF-8'],
    ['phone=', '`phone` must not be empty'],
    ['isOptedOut=1', '`isOptedOut` must be one of true, false'],
    ['isOptedOut=TRUE', '`isOptedOut` must be one of true, false'],
  ])('refuses %s', async (query, message) => {
    expect(await refusal(await get(`/v1/contacts?${query}`))).toEqual([400, 'VALIDATION_FAILED', message]);
    expect(asked).toEqual([]);
  });

  it('of one id answers the contact, 404 for one that is not there and 400 for what is no id', async () => {
    const found = await get(`/v1/contacts/${contact.id}`);
    expect([found.status, await found.json()]).toEqual([200, contact]);
    expect(await refusal(await get('/v1/contacts/c0000000'))).toContain('CONTACT_NOT_FOUND');
    expect(await refusal(await get('/v1/contacts/C0000000'))).toEqual([
      400,
      'VALIDATION_FAILED',
      '`id` must be a cuid',
    ]);
  });
});

describe('opt-outs', () => {
  const nothing = { contactId: null, phone: null, messagingChannelId: null, reason: null };

  it('are recorded for a contact or a phone, 201 when new and 200 when one exists', async () => {
    const made = await post('/v1/opt-outs', { phone: '+525512345678', reason: '😀'.repeat(256) });
    expect([made.status, await made.json()]).toEqual([201, optOut]);
    isNew = false;
    const body = { contactId: 'c1234567', phone: null, messagingChannelId: 'c7654321' };
    expect((await post('/v1/opt-outs', body)).status).toBe(200);
    expect(asked).toEqual([
      { ...nothing, phone: '+525512345678', reason: '😀'.repeat(256) },
      { ...nothing, contactId: 'c1234567', messagingChannelId: 'c7654321' },
    ]);
  });

  it.each<[string, unknown, string]>([
    ['without a contact', {}, 'Exactly one of `contactId` and `phone` must be given'],
    ['of two', { contactId: 'c1234567', phone: '+1' }, 'Exactly one of `contactId` and `phone` must be given'],
    ['of what is no id', { contactId: '1' }, '`contactId` must be a cuid or null'],
    ['on what is no channel', { phone: '+1', messagingChannelId: '*' }, '`messagingChannelId` must be a cuid or null'],
    ['for an empty reason', { phone: '+1', reason: '' }, '`reason` must be 1 to 256 characters long or null'],
    [
      'for a long reason',
      { phone: '+1', reason: 'a'.repeat(257) },
      '`reason` must be 1 to 256 characters long or null',
    ],
  ])('%s are refused', async (_what, body, message) => {
    expect(await refusal(await post('/v1/opt-outs', body))).toEqual([400, 'VALIDATION_FAILED', message]);
    expect(asked).toEqual([]);
  });

  it('are listed, shown and removed', async () => {
    const list = await get('/v1/opt-outs?limit=5&contactId=c1234567&phone=+12015550123&messagingChannelId=c7654321');
    expect([list.status, await list.json()]).toEqual([200, { items: [optOut] }]);
    const shown = await get(`/v1/opt-outs/${optOut.id}`);
    expect([shown.status, await shown.json()]).toEqual([200, optOut]);
    const removed = await call(`/v1/opt-outs/${optOut.id}`, { method: 'DELETE', headers: authorization() });
    expect([removed.status, await removed.text(), removed.headers.get('content-type')]).toEqual([204, '', null]);
    const { reason: _reason, ...filters } = nothing;
    expect(asked).toEqual([
      {
        ...filters,
        limit: 5,
        cursor: null,
        contactId: 'c1234567',
        phone: '+12015550123',
        messagingChannelId: 'c7654321',
      },
      { id: optOut.id },
      { id: optOut.id },
    ]);
  });

  it.each<[string, string[], string]>([
    ['no body', ['Content-Type: application/json'], ''],
    ['an empty body', ['Content-Type: application/json; charset=utf-16', 'Content-Length: 0'], ''],
    ['a body of another type', ['Content-Type: text/plain', 'Content-Length: 2'], 'hi'],
    ['a body of no type', ['Content-Length: 2'], '{"'],
    ['a body of a type that cannot be read', ['Content-Type: ;', 'Content-Encoding: gzip', 'Content-Length: 2'], '{}'],
    ['a body in chunks', ['Content-Type: application/json', 'Transfer-Encoding: chunked'], '2\r\n{"\r\n0\r\n\r\n'],
  ])('are removed by a request with %s, whatever its headers say of it', async (_what, headers, body) => {
    const answer = await raw(headWithKey(`DELETE /v1/opt-outs/${optOut.id} HTTP/1.1`, ...headers), body);
    expect([answer.status, answer.body, answer.headers.get('connection')]).toEqual([204, '', 'keep-alive']);
    expect(asked).toEqual([{ id: optOut.id }]);
  });

  it('are not removed by a request with a body that is too large, though it would be ignored', async () => {
    const remove = `DELETE /v1/opt-outs/${optOut.id} HTTP/1.1`;
    const chunks = `200000\r\n${' '.repeat(0x200000)}\r\n0\r\n\r\n`;
    expectEnvelope(await raw(headWithKey(remove, 'Content-Length: 1048577')), 413, 'PAYLOAD_TOO_LARGE');
    expectEnvelope(await raw(headWithKey(remove, 'Transfer-Encoding: chunked'), chunks), 413, 'PAYLOAD_TOO_LARGE');
    expect(asked).toEqual([]);
  });

  it('refuse a query and an id as contacts do', async () => {
    expect(await refusal(await get('/v1/opt-outs?contactId=1'))).toContain('`contactId` must be a cuid');
    expect(await refusal(await get('/v1/opt-outs?cursor='))).toContain('`cursor` must not be empty');
    expect(await refusal(await get('/v1/opt-outs/1'))).toContain('`id` must be a cuid');
    const removed = await call('/v1/opt-outs/1', { method: 'DELETE', headers: authorization() });
    expect(await refusal(removed)).toContain('`id` must be a cuid');
  });
});

describe('scopes', () => {
  it.each([
    ['GET', '/v1/contacts', 'contacts:read'],
    ['GET', '/v1/contacts/c1234567', 'contacts:read'],
    ['POST', '/v1/contacts', 'contacts:write'],
    ['GET', '/v1/opt-outs', 'opt_outs:read'],
    ['GET', '/v1/opt-outs/c1234567', 'opt_outs:read'],
    ['POST', '/v1/opt-outs', 'opt_outs:write'],
    ['DELETE', '/v1/opt-outs/c1234567', 'opt_outs:write'],
  ])('%s %s needs %s and nothing else', async (method, path, scope) => {
    const others = ['contacts:read', 'contacts:write', 'opt_outs:read', 'opt_outs:write'].filter(
      (one) => one !== scope,
    );
    const [with_, without] = [
      await issueKey(http.booted.database, { scopes: [scope] }),
      await issueKey(http.booted.database, { scopes: others }),
    ];
    const body = method === 'POST' ? { headers: json, body: '{"phone":"+12015550123"}' } : { headers: {} };
    const ask = ({ secret }: { secret: string }): Promise<Response> =>
      call(path, { method, ...body, headers: { ...body.headers, ...authorization(secret) } });
    expect((await ask(with_)).status).toBeLessThan(300);
    expect(await refusal(await ask(without))).toEqual([
      403,
      'INSUFFICIENT_SCOPE',
      `The API key lacks the scope \`${scope}\``,
    ]);
  });
});
