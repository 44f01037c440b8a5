import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { CloudClient } from './cloud.client.js';
import type { TemplateListRequest } from './template-list.js';

const request: TemplateListRequest = {
  organizationId: 'calice',
  businessAccountId: '102290129340401',
  accessToken: 'token',
  after: null,
  limit: 50,
  signal: new AbortController().signal,
};
const item = {
  id: '1689556908129835',
  name: 'order_confirmation',
  parameter_format: 'POSITIONAL',
  components: [{ type: 'BODY', text: 'Hello {{1}}' }],
  language: 'en_US',
  status: 'APPROVED',
  category: 'UTILITY',
};
const date = 'Sun, 22 Nov 2026 11:00:00 GMT';

describe('a page of templates', () => {
  const closing: (() => Promise<unknown>)[] = [];
  let seen: { readonly path: string; readonly token: string }[] = [];

  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    seen = [];
  });

  it('is asked for with the token and the cursor, and is as of the time at which the upstream began to answer', async () => {
    const next = 'https://elsewhere.example/v23.0/1/message_templates?limit=50&after=QVFI';
    const client = await clientOf(200, { data: [item], paging: { cursors: { before: 'x', after: 'y' }, next } });
    const askedMs = performance.now();
    const page = await client.listTemplates({ ...request, after: 'abc' });
    const tookMs = performance.now() - askedMs;
    expect(page).toMatchObject({
      state: 'listed',
      next: 'QVFI',
      templates: [
        { id: '1689556908129835', name: 'order_confirmation', language: 'en_US', parameterFormat: 'POSITIONAL' },
      ],
    });
    const asOfMs = page.state === 'listed' ? page.asOfMs : Number.NaN;
    expect(asOfMs).toBeLessThanOrEqual(Date.parse(date));
    expect(asOfMs).toBeGreaterThanOrEqual(Date.parse(date) - tookMs);
    expect(seen).toEqual([
      { path: '/v23.0/102290129340401/message_templates?limit=50&after=abc', token: 'Bearer token' },
    ]);
  });

  it('without `next` is the last one, whatever cursors it has', async () => {
    const client = await clientOf(200, { data: [], paging: { cursors: { before: 'x', after: 'y' } } });
    expect(await client.listTemplates(request)).toMatchObject({ state: 'listed', templates: [], next: null });
  });

  it('keeps the templates that can be named, next to others', async () => {
    const odd = [null, 7, { id: '1' }, { ...item, name: '' }, { ...item, name: 'nul\u0000' }, { ...item, language: 3 }];
    const bare = { id: '2', name: 'bare', language: 'es', status: 'PENDING' };
    const client = await clientOf(200, { data: [...odd, bare, item] });
    expect(await client.listTemplates(request)).toMatchObject({
      templates: [{ name: 'bare', components: [], category: '' }, { name: 'order_confirmation' }],
    });
  });

  it.each([
    ['a refused token', 400, { error: { code: 190, message: 'expired' } }, { state: 'refused', kind: 'disconnected' }],
    ['no body', 401, '', { state: 'refused', kind: 'disconnected' }],
    [
      'a faulty request',
      400,
      { error: { code: 100, message: 'Invalid cursor' } },
      { state: 'refused', kind: 'rejected' },
    ],
    ['a call limit', 400, { error: { code: 80007 } }, { state: 'unavailable' }],
    ['no body', 503, '', { state: 'unavailable' }],
    ["a proxy's page", 200, '<html>', { state: 'unavailable' }],
    ['no list', 200, { data: {} }, { state: 'unavailable' }],
  ])('answered with %s, HTTP %i, is no list', async (_label, status, body, expected) => {
    const client = await clientOf(status, body);
    expect(await client.listTemplates(request)).toMatchObject(expected);
  });

  it('of a provider that is away is unavailable', async () => {
    const client = clientAt('http://127.0.0.1:9');
    expect(await client.listTemplates(request)).toMatchObject({ state: 'unavailable' });
  });

  async function clientOf(status: number, body: unknown): Promise<CloudClient> {
    const server: Server = createServer((incoming, response) => {
      seen.push({ path: incoming.url ?? '', token: incoming.headers.authorization ?? '' });
      response.writeHead(status, { date }).end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(async () => server.close());
    return clientAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  function clientAt(baseUrl: string): CloudClient {
    const client = new CloudClient({ baseUrl, version: 'v23.0', connectionsMax: 4, requestDeadlineMs: 60_000 });
    closing.push(() => client.close());
    return client;
  }
});
