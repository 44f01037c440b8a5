import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { subscribableEvents } from '@switchboard/contracts/webhooks/http';
import { findFreePorts } from '@switchboard/embedded-servers';
import { ipv4Notations } from '@switchboard/testing/address-notations';
import type { AppClient } from '@switchboard/testing/app-client';
import { eventually } from '@switchboard/testing/eventually';
import type { ApiBody } from './api.js';
import { signedInClient } from './app-client.js';
import { ExampleReceiver, languages } from './example-receiver.js';
import { ownerOf } from './people.js';
import { sharedStack } from './shared-stack.js';
import type { UsableStack } from './start-everything.js';

const SENDER = '4915123459901';
const SOON = { deadlineMs: 60_000 };

describe('webhooks, from the upstream to receivers of customers', () => {
  let all: UsableStack;
  let owner: AppClient;
  let webhooks: readonly { readonly id: string; readonly secret: string }[];
  const receivers: ExampleReceiver[] = [];

  beforeAll(async () => {
    all = await sharedStack();
    owner = await signedInClient(all.baseUrl, ownerOf(all.stack));
    const ports = await findFreePorts(languages.length);
    webhooks = await Promise.all(ports.map(register));
    for (const [index, language] of languages.entries()) {
      receivers.push(await ExampleReceiver.start(language, ports[index] ?? 0, webhooks[index]?.secret ?? ''));
    }
  });

  afterAll(async () => {
    await Promise.all(receivers.map((receiver) => receiver.stop()));
  });

  async function register(port: number): Promise<{ id: string; secret: string }> {
    const url = `http://127.0.0.1:${port}/hook`;
    const { status, body } = await owner.post('/app/api/webhooks', { url, events: subscribableEvents });
    expect([status, body?.['status'], body?.['consecutiveFailures']]).toEqual([201, 'ACTIVE', 0]);
    return { id: String(body?.id), secret: String(body?.['secret']) };
  }

  async function ok(method: string, path: string, input?: object): Promise<ApiBody> {
    const { status, body } = await all.acme.ask(method, path, input && JSON.stringify(input));
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`);
    return body ?? {};
  }

  it('bring every event to every receiver, signed, with the same body, and so does the feed', async () => {
    // An inbound message opens a conversation; the contact opts out by a keyword.
    await all.simulator.post('inbound', { from: SENDER, name: 'Ada', text: 'Hello' });
    const [first] = receivers;
    if (!first) throw new Error('no receiver');
    const inbound = await first.of('message.received');
    expect(inbound.body.data['message']).toMatchObject({ direction: 'INBOUND', text: 'Hello', status: 'RECEIVED' });
    await first.of('conversation.opened');
    // Sent, delivered and read; undeliverable; closed by hand.
    const sent = await ok('POST', '/v1/messages', { to: '+12015550111', text: 'Hi' });
    await first.of('message.read', ({ body }) => Object(body.data['message']).id === sent.id);
    await ok('POST', '/v1/messages', { to: '+12015550112', text: 'Hi' });
    await all.acme.send('+12015550100', 'never arrives');
    await first.of('message.failed');
    await ok('PATCH', `/v1/conversations/${String(sent['conversationId'])}`, { status: 'CLOSED' });
    await all.simulator.post('inbound', { from: SENDER, name: 'Ada', text: 'STOP' });
    const optOut = await first.of('optout.created');
    expect(optOut.body.data).toMatchObject({ optOut: { source: 'KEYWORD', phone: `+${SENDER}` } });
    expect(optOut.body.data['messagingChannelId']).toEqual(expect.stringMatching(/^c/));
    // The upstream pauses a template.
    const [template] = (await ok('GET', '/v1/templates?status=APPROVED')).items ?? [];
    const { upstreamTemplateId: id, businessAccountId: wabaId } = template ?? {};
    await all.simulator.post('template-status', { wabaId, id, event: 'PAUSED' });
    const paused = await first.of('template.status_updated');
    expect(paused.body.data['template']).toMatchObject({ id: template?.id, status: 'PAUSED' });

    for (const event of subscribableEvents) {
      const [one, other] = receivers;
      const { body } = (await one?.of(event)) ?? {};
      // Of two conversations one may be ahead at one receiver, and the other at another.
      const same = await other?.of(event, (arrived) => arrived.body.data.id === body?.data.id);
      if (other) expect([event, same?.body]).toEqual([event, body]);
    }
    const ids = first.received.map(({ body }) => body.data.id);
    expect(new Set(ids).size).toBe(ids.length);
    // Each webhook is a step of the message that it was informed of.
    const message = Object(inbound.body.data['message']) as { id: string };
    for (const [id, event] of [
      [String(sent.id), 'message.read'],
      [message.id, 'message.received'],
    ] as const) {
      await eventually(async () => {
        const steps = (await ok('GET', `/v1/messages/${id}/timeline`)).items ?? [];
        const informed = steps.filter(({ what }) => what === 'webhook informed').map(({ detail }) => String(detail));
        return webhooks.every((webhook) => informed.some((one) => one.includes(webhook.id) && one.includes(event)));
      }, SOON);
    }
    const feed = await readFeed();
    for (const { body } of first.received) expect(feed).toContainEqual(body);
    expect(new Set(feed.map(({ data }) => Object(data).id)).size).toBe(feed.length);
  });

  it('are tested, sent again and counted in the log of attempts', async () => {
    const [{ id } = { id: '' }] = webhooks;
    const tested = await owner.post(`/app/api/webhooks/${id}/test`);
    expect([tested.status, tested.body]).toMatchObject([200, { delivered: true, responseStatus: 204, error: null }]);
    const [first] = receivers;
    await first?.of('webhook.test');
    const listed = await owner.get(`/app/api/webhooks/${id}/attempts?event=message.received&outcome=SUCCEEDED`);
    const [attempt] = listed.body?.items ?? [];
    expect(attempt).toMatchObject({ kind: 'AUTOMATIC', attempt: 1, responseStatus: 204, error: null });
    const path = `/app/api/webhooks/${id}/deliveries/${String(attempt?.['deliveryId'])}`;
    const delivery = await owner.get(path);
    expect(delivery.body).toMatchObject({ state: 'SUCCEEDED', payload: { data: { id: attempt?.['dataId'] } } });
    expect(await strangersStatuses(path)).toEqual([404, 404]);
    expect((await owner.post(`${path}/redeliver`)).status).toBe(202);
    await first?.of('message.received', ({ isRepeated, body }) => isRepeated && body.data.id === attempt?.['dataId']);
  });

  it('are accepted by a receiver with the former secret after a rotation', async () => {
    const [{ id, secret } = { id: '', secret: '' }] = webhooks;
    const rotated = await owner.post(`/app/api/webhooks/${id}/rotate-secret`);
    expect(rotated.body?.['secret']).not.toBe(secret);
    expect(Date.parse(String(rotated.body?.['previousSecretValidUntil'])) - Date.now()).toBeGreaterThan(23 * 3_600_000);
    const tested = await owner.post(`/app/api/webhooks/${id}/test`);
    expect(tested.body).toMatchObject({ delivered: true });
  });

  it('never lead to our own ports, and a registration that does names the field', async () => {
    const { databaseUrl, natsUrl, processes } = all.stack.devJson;
    const own = processes
      .flatMap(({ health, metrics, url }) => [health, metrics, url])
      .filter((one) => one !== undefined);
    const ports = new Set([databaseUrl, natsUrl, all.baseUrl, ...own].map((one) => new URL(one).port));
    expect(ports.size).toBeGreaterThan(6);
    for (const port of ports) {
      for (const host of ['127.0.0.1', 'localhost', '[::1]', '0x7f.1', '127.0.0.2']) {
        const url = `http://${host}:${port}/`;
        const { status, body } = await owner.post('/app/api/webhooks', { url, events: ['message.sent'] });
        expect([url, status, body?.error?.message]).toEqual([url, 400, expect.stringContaining('`url`')]);
      }
    }
    for (const url of [
      'http://169.254.169.254/latest/',
      'http://[fd00:ec2::254]/',
      'ftp://127.0.0.1/',
      'http://u@127.0.0.1/',
    ]) {
      const { status, body } = await owner.post('/app/api/webhooks', { url, events: ['message.sent'] });
      expect([url, status, body?.error?.message]).toEqual([url, 400, expect.stringContaining('`url`')]);
    }
  });

  it('lead to no address of metadata and to no port of ours, in whatever notation a registration names it', async () => {
    const ownPort = new URL(all.stack.devJson.databaseUrl).port;
    const forms = Object.entries(ipv4Notations).flatMap(([notation, write]) => [
      { notation, host: `${write('127.0.0.1') ?? 'own.localhost'}:${ownPort}` },
      { notation, host: write('169.254.169.254') ?? `own.localhost:${ownPort}` },
    ]);
    for (const { notation, host } of forms) {
      const input = { url: `http://${host}/`, events: ['message.sent'] };
      const { status, body } = await owner.post('/app/api/webhooks', input);
      expect([notation, host, status, body?.error?.code]).toEqual([notation, host, 400, 'VALIDATION_FAILED']);
    }
    const lines = forms.map(({ notation, host }) => `  ${notation}: ${host}`);
    process.stderr.write(`registration by the API: ${forms.length} forms, none accepted\n${lines.join('\n')}\n`);
  });

  /** What the owner of another organization is answered for a delivery and its repetition. */
  async function strangersStatuses(path: string): Promise<readonly number[]> {
    const stranger = await signedInClient(all.baseUrl, ownerOf(all.stack, 1));
    return [(await stranger.get(path)).status, (await stranger.post(`${path}/redeliver`)).status];
  }

  /** The whole feed, read as an integrator does: until a page is empty. */
  async function readFeed(): Promise<readonly ApiBody[]> {
    return eventually(async () => {
      const read: ApiBody[] = [];
      for (let cursor = ''; ;) {
        const page = await ok('GET', `/v1/events?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`);
        read.push(...(page.items ?? []));
        if ((page.items ?? []).length === 0) break;
        cursor = page.nextCursor ?? '';
      }
      return read.length >= (receivers[0]?.received.length ?? 0) ? read : undefined;
    }, SOON);
  }
});
