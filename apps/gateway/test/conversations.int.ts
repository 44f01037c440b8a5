import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import type { ChannelView, ConversationView, MessageView } from '@switchboard/contracts/messaging/http';
import {
  changeConversationRpc,
  getConversationRpc,
  listChannelsRpc,
  listMessagesRpc,
} from '@switchboard/contracts/messaging/rpc';
import { RpcServerStrategy } from '@switchboard/nats';
import { createLog, refusalOf, rpcFailure } from '@switchboard/platform';
import { testServers } from '@switchboard/testing';
import { HttpHarness } from './http-harness.js';
import { issueKey } from './gateway-harness.js';

const servers = testServers();
const http = new HttpHarness(servers);
const { authorization, call } = http;
const ID = 'c1234567';
const MISSING = 'c7654321';

const conversation: ConversationView = {
  id: ID,
  status: 'SNOOZED',
  lastMessageAt: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  snoozedUntil: '2030-01-01T00:00:00.000Z',
  messagingChannelId: 'c0000001',
  contact: { id: 'c0000002', name: null, phone: '+12015550123', messagingId: '12015550123' },
};
const parts = { clientReference: 'order-4711', metadata: { a: 'b' }, jobId: 'c0000009' };
const message = (id: string): Partial<MessageView> => ({ id, conversationId: ID, text: 'hello', ...parts });
const channel: ChannelView = {
  id: 'c0000001',
  name: 'support',
  phone: '+12015550181',
  provider: 'cloud',
  businessAccountId: '1022',
  isDefault: true,
  status: 'CONNECTED',
  createdAt: '2026-01-01T00:00:00.000Z',
};

/** What the stand-in for messaging was asked since the test began, and its answers that are to come. */
const asked: { readonly subject: string; readonly principal: Principal; readonly request: unknown }[] = [];
const answers: unknown[] = [];

beforeAll(async () => {
  const log = createLog('stand-in');
  const connection = await (await servers.nats()).connect('messaging');
  const strategy = new RpcServerStrategy({
    connection,
    service: 'messaging',
    inFlightMax: 100,
    failureOf: (error, subject) => rpcFailure(refusalOf(error, log, subject)),
  });
  for (const { subject } of [getConversationRpc, changeConversationRpc, listMessagesRpc, listChannelsRpc]) {
    strategy.addHandler(subject, async ({ principal, request }: { principal: Principal; request: unknown }) => {
      asked.push({ subject, principal, request });
      if (JSON.stringify(request).includes(MISSING)) throw new AppError(messagingErrors.CONVERSATION_NOT_FOUND);
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    });
  }
  strategy.listen(() => undefined);
  await connection.flush();
});

beforeEach(() => {
  asked.length = 0;
  answers.length = 0;
});

const get = (path: string, secret?: string): Promise<Response> => call(path, { headers: authorization(secret) });
const patch = (id: string, body: unknown, secret?: string): Promise<Response> =>
  call(`/v1/conversations/${id}`, {
    method: 'PATCH',
    headers: { ...authorization(secret), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

async function expectRefusal(response: Response, status: number, code: string, text: RegExp): Promise<void> {
  const answer = { status: response.status, body: await response.json() };
  expect(answer).toEqual({ status, body: { error: { code, message: expect.stringMatching(text) } } });
}

describe('a conversation', () => {
  it('is shown as messaging shows it, to the organization of the key', async () => {
    answers.push(conversation);
    const response = await get(`/v1/conversations/${ID}`);
    expect([response.status, await response.json()]).toEqual([200, conversation]);
    expect(asked).toMatchObject([{ request: { id: ID }, principal: { organizationId: http.key.organizationId } }]);
  });

  it.each(['', '/messages'])('that does not exist, or is not of the organization, is a 404: …%s', async (path) => {
    await expectRefusal(
      await get(`/v1/conversations/${MISSING}${path}`),
      404,
      'CONVERSATION_NOT_FOUND',
      /^Conversation not found$/,
    );
  });

  it.each(['/v1/conversations/X1', '/v1/conversations/c%00123456', '/v1/conversations/C1234567/messages'])(
    'is refused an id that is no cuid, and messaging is not asked: %s',
    async (path) => {
      await expectRefusal(await get(path), 400, 'VALIDATION_FAILED', /^`id` must be a cuid$/);
      expect(asked).toEqual([]);
    },
  );

  it.each([
    ['GET', '', 'conversations:read'],
    ['PATCH', '', 'conversations:write'],
    ['GET', '/messages', 'messages:read'],
  ])('needs for %s …%s the scope %s and no other', async (method, path, scope) => {
    const others = ['conversations:read', 'conversations:write', 'messages:read'].filter((other) => other !== scope);
    const { secret: lacking } = await issueKey(http.booted.database, { scopes: others });
    const { secret: having } = await issueKey(http.booted.database, { scopes: [scope] });
    const ask = (secret: string): Promise<Response> =>
      call(`/v1/conversations/${ID}${path}`, {
        method,
        headers: { ...authorization(secret), ...(method === 'PATCH' && { 'content-type': 'application/json' }) },
        ...(method === 'PATCH' && { body: '{"status":"OPEN"}' }),
      });
    await expectRefusal(await ask(lacking), 403, 'INSUFFICIENT_SCOPE', new RegExp(scope));
    answers.push({ items: [] });
    expect((await ask(having)).status).toBe(200);
  });
});

describe('a change of a conversation', () => {
  it.each<[unknown, unknown]>([
    [{ status: 'OPEN' }, { status: 'OPEN', snoozedUntil: null }],
    [
      { status: 'CLOSED', snoozedUntil: null, unknown: 1 },
      { status: 'CLOSED', snoozedUntil: null },
    ],
    [
      { status: 'SNOOZED', snoozedUntil: '2030-01-01' },
      { status: 'SNOOZED', snoozedUntil: '2030-01-01T00:00:00.000Z' },
    ],
    [
      { status: 'SNOOZED', snoozedUntil: '2030-01-01T12:30+02:00' },
      { status: 'SNOOZED', snoozedUntil: '2030-01-01T10:30:00.000Z' },
    ],
    [{ status: 'SNOOZED' }, { status: 'SNOOZED', snoozedUntil: null }],
  ])('%j is taken', async (body, request) => {
    answers.push(conversation);
    const response = await patch(ID, body);
    expect([response.status, await response.json()]).toEqual([200, conversation]);
    const { organizationId, keyId } = http.key;
    const principal = { organizationId, actor: { type: 'key', keyId }, scopes: null };
    expect(asked).toEqual([
      { subject: changeConversationRpc.subject, principal, request: { id: ID, ...(request as object) } },
    ]);
  });

  const STATUS = /^`status` must be one of OPEN, CLOSED, PENDING, ARCHIVED, SNOOZED$/;
  const UNTIL = /^`snoozedUntil` must be an ISO 8601 date, or date and time or null$/;
  it.each<[unknown, RegExp]>([
    [{}, /^`status` is required$/],
    [{ status: null }, STATUS],
    [{ status: 'open' }, STATUS],
    [{ status: 'DELETED' }, STATUS],
    [{ status: ['OPEN'] }, STATUS],
    [{ status: 'SNOOZED', snoozedUntil: '' }, UNTIL],
    [{ status: 'SNOOZED', snoozedUntil: 'tomorrow' }, UNTIL],
    [{ status: 'SNOOZED', snoozedUntil: '2030-02-30' }, UNTIL],
    [{ status: 'SNOOZED', snoozedUntil: 1_893_456_000 }, /^`snoozedUntil` must be a string or null$/],
    [{ status: 'OPEN', snoozedUntil: '2030-01-01' }, /^`snoozedUntil` is allowed only with the `status` SNOOZED$/],
  ])('%j is refused, with the field named', async (body, text) => {
    await expectRefusal(await patch(ID, body), 400, 'VALIDATION_FAILED', text);
    expect(asked).toEqual([]);
  });

  it('that messaging refuses is answered with its words', async () => {
    const message = 'A conversation cannot move from OPEN to ARCHIVED';
    answers.push(new AppError(serviceErrors.INVALID_TRANSITION, message));
    await expectRefusal(await patch(ID, { status: 'ARCHIVED' }), 400, 'INVALID_TRANSITION', /from OPEN to ARCHIVED$/);
    await expectRefusal(
      await patch(MISSING, { status: 'OPEN' }),
      404,
      'CONVERSATION_NOT_FOUND',
      /^Conversation not found$/,
    );
    expect((await call(`/v1/conversations/${ID}`, { method: 'DELETE', headers: authorization() })).status).toBe(405);
  });

  it('is read before the plan is asked', async () => {
    const { secret } = await issueKey(http.booted.database, { status: 'CANCELED' });
    await expectRefusal(await patch(ID, { status: 'x' }, secret), 400, 'VALIDATION_FAILED', STATUS);
    await expectRefusal(await patch(ID, { status: 'OPEN' }, secret), 402, 'PAYMENT_REQUIRED', /canceled/);
  });
});

describe('lists', () => {
  it("of a conversation's messages are whole pages, in however many parts messaging answers", async () => {
    const ids = ['c0000005', 'c0000004', 'c0000003', 'c0000002'];
    const [first, second, third, fourth] = ids.map(message);
    answers.push(
      { items: [first, second], nextCursor: ids[1] },
      { items: [third], nextCursor: ids[2] },
      { items: [fourth], nextCursor: ids[3] },
    );
    const response = await get(`/v1/conversations/${ID}/messages?limit=4&cursor=c0000009`);
    expect([response.status, await response.json()]).toEqual([
      200,
      { items: [first, second, third, fourth], nextCursor: ids[3] },
    ]);
    expect(asked.map(({ request }) => request)).toEqual([
      { conversationId: ID, limit: 4, cursor: 'c0000009' },
      { conversationId: ID, limit: 2, cursor: ids[1] },
      { conversationId: ID, limit: 1, cursor: ids[2] },
    ]);
  });

  it('of messages show every field, also where an earlier release of messaging answers', async () => {
    answers.push({ items: [{ id: 'c0000003', text: 'hello' }] });
    const response = await get(`/v1/conversations/${ID}/messages`);
    expect(await response.json()).toEqual({
      items: [{ id: 'c0000003', text: 'hello', clientReference: null, metadata: {}, jobId: null }],
    });
  });

  it('end where messaging says so, with no cursor', async () => {
    answers.push({ items: [message('c0000003')], nextCursor: 'c0000003' }, { items: [message('c0000002')] });
    const ended = await get(`/v1/conversations/${ID}/messages`);
    expect(await ended.json()).toEqual({ items: [message('c0000003'), message('c0000002')] });
    expect(asked.map(({ request }) => request)).toEqual([
      { conversationId: ID, limit: 25, cursor: null },
      { conversationId: ID, limit: 24, cursor: 'c0000003' },
    ]);
  });

  it('of channels ask for one page and need channels:read', async () => {
    answers.push({ items: [channel], nextCursor: channel.id });
    const { secret } = await issueKey(http.booted.database, { scopes: ['channels:read'] });
    const response = await get('/v1/channels?limit=1', secret);
    expect([response.status, await response.json()]).toEqual([200, { items: [channel], nextCursor: channel.id }]);
    expect(asked).toMatchObject([{ subject: listChannelsRpc.subject, request: { limit: 1, cursor: null } }]);
    const { secret: lacking } = await issueKey(http.booted.database, { scopes: ['conversations:read'] });
    await expectRefusal(await get('/v1/channels', lacking), 403, 'INSUFFICIENT_SCOPE', /channels:read/);
  });

  it.each(['/v1/channels', `/v1/conversations/${ID}/messages`])('refuse a page that is none: %s', async (path) => {
    const refused = async (query: string): Promise<unknown> => {
      const { error } = (await (await get(`${path}?${query}`)).json()) as { readonly error: unknown };
      return error;
    };
    const limit = '`limit` must be a whole number from 1 to 100';
    expect(await refused('limit=0')).toEqual({ code: 'VALIDATION_FAILED', message: limit });
    expect(await refused('limit=101')).toEqual({ code: 'VALIDATION_FAILED', message: limit });
    expect(await refused('limit=')).toMatchObject({ message: '`limit` must not be empty' });
    expect(await refused('limit=1&limit=1')).toMatchObject({ message: '`limit` must be given once' });
    expect(await refused('cursor=X')).toMatchObject({ message: '`cursor` must be a cuid' });
    expect(asked).toEqual([]);
  });
});
