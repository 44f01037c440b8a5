import { beforeAll, describe, expect, it } from '@jest/globals';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { webhooksErrors } from '@switchboard/contracts/webhooks/errors';
import { webhookActed, webhookDeactivated, type WebhookActor } from '@switchboard/contracts/webhooks/events';
import * as rpcs from '@switchboard/contracts/webhooks/rpc';
import { EventPublisher } from '@switchboard/nats';
import { AppClient, eventually, testServers } from '@switchboard/testing';
import { answerRpcs, bootGateway, issueKey, type TestGateway } from './gateway-harness.js';
import { makeMember } from './people-harness.js';

const servers = testServers();
const known = newCuid();
const url = 'https://hooks.example.org/a';
const secret = 'whsec_c2VjcmV0';
const view = { id: known, url, events: ['message.sent'], description: null, status: 'ACTIVE' };
const body = `{"event":"message.sent","timestamp":"2026-02-03T04:05:06.789Z","data":{"message":{"metadata":{"b":"1","2":"x","1":"y"}}}}`;
let booted: TestGateway;
/** What the stand-in for webhooks was asked, the latest last. */
const asked: { readonly rpc: string; readonly request: Readonly<Record<string, unknown>> }[] = [];

/** Hashes of the keys of requests that have registered one. */
const keys = new Set<string>();

type Answer = (request: Readonly<Record<string, unknown>>) => unknown;

const answers: readonly (readonly [{ readonly subject: string }, Answer])[] = [
  [
    rpcs.createWebhookRpc,
    ({ id, url: given, description, keyed }) => {
      if (String(given).includes('taken')) throw new AppError(serviceErrors.PAYMENT_REQUIRED, 'There are 20 already');
      if (String(given).startsWith('http:')) throw new AppError(serviceErrors.VALIDATION_FAILED, '`url` must be https');
      const webhook = { ...view, id, url: given, description };
      const { keySha256 } = (keyed ?? {}) as { keySha256?: string };
      if (keySha256 === undefined || !keys.has(keySha256)) {
        if (keySha256 !== undefined) keys.add(keySha256);
        return { webhook, secret };
      }
      return { webhook: { ...webhook, id: known }, secret, isRepetition: true };
    },
  ],
  [rpcs.listWebhooksRpc, () => ({ items: [view] })],
  [rpcs.getWebhookRpc, () => view],
  [rpcs.changeWebhookRpc, (change) => ({ before: view, after: { ...view, ...change } })],
  [rpcs.deleteWebhookRpc, () => ({ before: view })],
  [rpcs.getWebhookSecretRpc, () => ({ secret, previousSecretValidUntil: null })],
  [rpcs.rotateWebhookSecretRpc, () => ({ secret: `${secret}2`, previousSecretValidUntil: '2026-02-04T04:05:06.789Z' })],
  [rpcs.enableWebhookRpc, () => ({ before: { ...view, status: 'DEACTIVATED' }, after: view })],
  [rpcs.testWebhookRpc, () => ({ delivered: false, responseStatus: null, error: 'no response', durationMs: 3 })],
  [rpcs.listWebhookAttemptsRpc, () => ({ items: [] })],
  [rpcs.getWebhookDeliveryRpc, () => ({ id: known, attempts: [] })],
  [rpcs.redeliverWebhookRpc, () => ({})],
  [rpcs.replayWebhookRpc, () => ({ count: 3 })],
  [rpcs.listEventsRpc, () => ({ bodies: [body], nextCursor: known })],
];

beforeAll(async () => {
  booted = await bootGateway(servers);
  const handlers = answers.map(([{ subject }, answer]) => [
    subject,
    (request: unknown) => {
      const fields = request as Readonly<Record<string, unknown>>;
      asked.push({ rpc: subject, request: fields });
      const id = fields['webhookId'] ?? fields['id'];
      const isForeign = id !== undefined && id !== known && subject !== rpcs.createWebhookRpc.subject;
      if (isForeign) throw new AppError(webhooksErrors.WEBHOOK_NOT_FOUND);
      return answer(fields);
    },
  ]);
  await answerRpcs(await (await servers.nats()).connect('webhooks'), 'webhooks', Object.fromEntries(handlers));
});

async function signedIn(role: 'OWNER' | 'ADMIN' | 'MEMBER' = 'ADMIN'): Promise<AppClient> {
  const client = new AppClient(booted.gateway.url);
  await client.signIn(await makeMember(booted.database, role));
  return client;
}

const one = `/app/api/webhooks/${known}`;
const routes: readonly (readonly [string, string, unknown, number])[] = [
  ['POST', '/app/api/webhooks', { url, events: ['message.sent'] }, 201],
  ['GET', '/app/api/webhooks', undefined, 200],
  ['GET', one, undefined, 200],
  ['PATCH', one, { description: 'x' }, 200],
  ['GET', `${one}/secret`, undefined, 200],
  ['POST', `${one}/rotate-secret`, undefined, 200],
  ['POST', `${one}/enable`, undefined, 200],
  ['POST', `${one}/test`, undefined, 200],
  ['GET', `${one}/attempts?event=webhook.test&outcome=FAILED&from=2026-01-01&to=2026-01-02`, undefined, 200],
  ['GET', `${one}/deliveries/${known}`, undefined, 200],
  ['POST', `${one}/deliveries/${known}/redeliver`, undefined, 202],
  ['POST', `${one}/replay`, { since: '2026-01-01' }, 202],
  ['DELETE', one, undefined, 204],
];

describe('/app/api/webhooks', () => {
  it('answers owners and administrators, and writes every act into the audit log without the secret', async () => {
    const client = await signedIn();
    const statuses: unknown[] = [];
    for (const [method, path, input] of routes) statuses.push((await client.ask(method, path, input)).status);
    expect(statuses).toEqual(routes.map(([, , , status]) => status));
    const log = (await client.get('/app/api/audit-log')).body?.items ?? [];
    const acts = log.filter(({ action }) => String(action).startsWith('webhook.')).reverse();
    expect(acts.map(({ action }) => action)).toEqual([
      'webhook.created',
      'webhook.changed',
      'webhook.secret-shown',
      'webhook.secret-rotated',
      'webhook.enabled',
      'webhook.tested',
      'webhook.redelivered',
      'webhook.replayed',
      'webhook.deleted',
    ]);
    expect(acts[1]).toMatchObject({ before: { description: null }, after: { id: known, description: 'x' } });
    expect(acts[7]).toMatchObject({ after: { id: known, count: 3, onlyMissed: false } });
    expect(acts[8]).toMatchObject({ before: { id: known, url }, after: null });
    expect(JSON.stringify(log)).not.toContain('whsec_');
  });

  it('hands on the Idempotency-Key of a registration, and audits a repetition as a reading of the secret', async () => {
    const client = await signedIn();
    const create = (body: object) => client.ask('POST', '/app/api/webhooks', body, { 'idempotency-key': 'lost' });
    const input = { url, events: ['message.sent'] };
    const [first, again] = [await create(input), await create(input)];
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([201, null]);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect(again.body).toMatchObject({ id: known, secret });
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(asked.at(-1)?.request['keyed']).toEqual({ keySha256: hash, bodySha256: hash });
    const log = (await client.get('/app/api/audit-log')).body?.items ?? [];
    const acts = log.map(({ action }) => action).filter((action) => String(action).startsWith('webhook.'));
    expect(acts).toEqual(['webhook.secret-shown', 'webhook.created']);
    expect((await create({ ...input, events: [] })).status).toBe(400);
  });

  it('is forbidden to members and unknown without a session', async () => {
    const [member, stranger] = [await signedIn('MEMBER'), new AppClient(booted.gateway.url)];
    for (const [method, path, input] of routes) {
      const refused = await member.ask(method, path, input);
      expect([method, path, refused.status, refused.body?.error?.code]).toEqual([method, path, 403, 'FORBIDDEN']);
      expect((await stranger.ask(method, path, input)).status).toBe(401);
    }
  });

  it('answers 404 for an id that the organization does not have, and writes nothing into the log', async () => {
    const client = await signedIn();
    for (const [method, path, input] of routes.filter((route) => route[1].startsWith(one))) {
      const { status, body: answered } = await client.ask(method, path.replace(known, newCuid()), input);
      expect([method, path, status, answered?.error?.code]).toEqual([method, path, 404, 'WEBHOOK_NOT_FOUND']);
    }
    const log = (await client.get('/app/api/audit-log')).body?.items ?? [];
    expect(log.filter(({ action }) => String(action).startsWith('webhook.'))).toEqual([]);
  });

  it.each([
    [{ events: ['message.sent'] }, /`url`/],
    [{ url: '', events: ['message.sent'] }, /`url`/],
    [{ url: `https://a.example/${'a'.repeat(2_040)}`, events: ['message.sent'] }, /`url`/],
    [{ url: 'http://a.example/', events: ['message.sent'] }, /`url`/],
    [{ url }, /`events`/],
    [{ url, events: [] }, /`events`/],
    [{ url, events: 'message.sent' }, /`events`/],
    [{ url, events: ['message.sent', 'webhook.test'] }, /`events`/],
    [{ url, events: ['message.sent'], description: '' }, /`description`/],
  ])('refuses %j with a sentence that names the field', async (input, message) => {
    const { status, body: answered } = await (await signedIn()).post('/app/api/webhooks', input);
    expect([status, answered?.error?.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(answered?.error?.message).toMatch(message);
  });

  it('names the field of a replay, a list and a path that is not valid', async () => {
    const client = await signedIn();
    const replays = [{}, { since: '2026-01-01', onlyMissed: 'yes' }, { since: '2026-01-02', until: '2026-01-01' }];
    const refusals = await Promise.all([
      ...replays.map((input) => client.post(`${one}/replay`, input)),
      client.get(`${one}/attempts?outcome=failed`),
      client.get(`${one}/deliveries/7`),
      client.get('/app/api/webhooks/7'),
    ]);
    expect(refusals.map(({ status, body: answered }) => [status, answered?.error?.message.split(' ')[0]])).toEqual(
      ['`since`', '`onlyMissed`', '`since`', '`outcome`', '`deliveryId`', '`id`'].map((field) => [400, field]),
    );
  });

  it('answers 402 for the webhook that is one too many, as the service refuses it', async () => {
    const refused = await (
      await signedIn()
    ).post('/app/api/webhooks', { url: `${url}/taken`, events: ['message.sent'] });
    expect([refused.status, refused.body?.error?.code]).toEqual([402, 'PAYMENT_REQUIRED']);
  });

  it('clears a description by null, leaves what is null or left out otherwise, and has no act in the log that changes nothing', async () => {
    const client = await signedIn();
    await client.ask('PATCH', one, { url: null, events: null, description: null });
    expect(asked.at(-1)?.request).toEqual({ id: known, description: null, by: expect.any(Object) });
    expect(JSON.stringify((await client.get('/app/api/audit-log')).body)).not.toContain('webhook.changed');
    await client.post(`${one}/replay`, { since: '2026-01-01T02:00:00+02:00', until: null, dryRun: true });
    expect(asked.at(-1)?.request).toMatchObject({ since: '2026-01-01T00:00:00.000Z', until: null, dryRun: true });
    await client.post(`${one}/replay`, { since: '2026-01-01', until: '2026-01-01', dryRun: true });
    expect(asked.at(-1)?.request).toMatchObject({ until: '2026-01-02T00:00:00.000Z' });
    await client.get(`${one}/attempts?from=2026-01-01&to=2026-01-01`);
    expect(asked.at(-1)?.request).toMatchObject({ from: '2026-01-01T00:00:00.000Z', to: '2026-01-02T00:00:00.000Z' });
    await client.get(`${one}/attempts?to=2026-01-01T06:00:00Z`);
    expect(asked.at(-1)?.request).toMatchObject({ from: null, to: '2026-01-01T06:00:00.000Z' });
  });
});

describe('an act on a webhook', () => {
  it('is in the log once: by its answer or by its event, whatever ends in between', async () => {
    const member = await makeMember(booted.database, 'ADMIN');
    const client = new AppClient(booted.gateway.url);
    await client.signIn(member);
    await client.ask('PATCH', one, { description: 'answered' });
    const by = asked.at(-1)?.request['by'] as WebhookActor;
    expect(by).toMatchObject({
      userId: member.id,
      email: member.email,
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    const publisher = new EventPublisher(await (await servers.nats()).connect('webhooks'), 'webhooks');
    const emit = async (id: string, description: string): Promise<void> => {
      const { subject } = webhookActed;
      const data = {
        action: 'webhook.changed',
        before: null,
        after: { id: known, description },
        by: { ...by, actId: id },
      };
      const of = { id, subject, organizationId: member.organizationId, aggregateId: known, sequence: null };
      const payload = JSON.stringify({ ...of, occurredAt: new Date().toISOString(), data });
      await publisher.publish({ id, subject, payload, traceparent: null });
    };
    // Of an act that was answered, and of one whose gateway ended before it wrote.
    await emit(by.actId, 'answered');
    await emit(newCuid(), 'unanswered');
    const acts = await eventually(async () => {
      const log = (await client.get('/app/api/audit-log')).body?.items ?? [];
      const changes = log.filter(({ action }) => action === 'webhook.changed');
      return changes.length > 1 && changes;
    });
    expect(acts).toMatchObject(
      ['unanswered', 'answered'].map((description) => ({ after: { id: known, description } })),
    );
    const origin = { actor: { type: 'user', id: member.id, email: member.email }, traceId: by.traceId };
    expect(acts).toEqual(acts.map(() => expect.objectContaining({ ...origin, address: by.address })));
  });
});

describe('a deactivation of a webhook', () => {
  it('is in the log as an act of the platform', async () => {
    const member = await makeMember(booted.database, 'ADMIN');
    const client = new AppClient(booted.gateway.url);
    await client.signIn(member);
    const { subject } = webhookDeactivated;
    const webhook = { id: known, url: 'https://example.org/', events: ['message.read'], description: null };
    const [before, after] = [
      { ...webhook, status: 'ACTIVE' },
      { ...webhook, status: 'DEACTIVATED' },
    ];
    const of = { id: newCuid(), subject, organizationId: member.organizationId, aggregateId: known, sequence: null };
    const data = { before, after, reason: 'it failed' };
    const payload = JSON.stringify({ ...of, occurredAt: new Date().toISOString(), data });
    const publisher = new EventPublisher(await (await servers.nats()).connect('webhooks'), 'webhooks');
    await publisher.publish({ id: of.id, subject, payload, traceparent: null });
    const entry = await eventually(async () => {
      const log = (await client.get('/app/api/audit-log?action=webhook.deactivated')).body?.items ?? [];
      return log[0];
    });
    const actor = { type: 'system', id: null, email: null };
    expect(entry).toMatchObject({ actor, address: null, before, after: { ...after, reason: 'it failed' } });
  });
});

describe('GET /v1/events', () => {
  const read = async (query: string, key: string): Promise<{ status: number; text: string }> => {
    const headers = { authorization: `Bearer ${key}` };
    const answer = await fetch(`${booted.gateway.url}/v1/events${query}`, { headers });
    return { status: answer.status, text: await answer.text() };
  };

  it('answers the stored bodies byte for byte, with a cursor', async () => {
    const { secret: key } = await issueKey(booted.database, { scopes: ['events:read'] });
    const answer = await read('?limit=5&type=message.sent,message.read&from=2026-01-01', key);
    expect(answer).toEqual({ status: 200, text: `{"items":[${body}],"nextCursor":"${known}"}` });
    const types = ['message.sent', 'message.read'];
    expect(asked.at(-1)?.request).toEqual({ limit: 5, cursor: null, types, from: '2026-01-01T00:00:00.000Z' });
  });

  it('needs the scope events:read, and refuses what is no event', async () => {
    const { secret: key } = await issueKey(booted.database, { scopes: ['messages:read'] });
    expect((await read('', key)).status).toBe(403);
    const { secret: able } = await issueKey(booted.database);
    for (const type of ['webhook.test', 'message.sent,', ',', 'message', '']) {
      const { status, text } = await read(`?type=${type}`, able);
      expect([type, status, /`type`/.test(text)]).toEqual([type, 400, true]);
    }
  });
});
