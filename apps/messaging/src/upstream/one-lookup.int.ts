import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { CloudClient } from './cloud.client.js';
import type { SendLimits, UpstreamOutcome } from './upstream.js';

const never = new AbortController().signal;
const taken = JSON.stringify({ messages: [{ id: 'wamid.1' }], contacts: [{ wa_id: '14155550123' }] });

describe("the provider's name", () => {
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  it('is looked up once for all connections that are made meanwhile, and anew afterwards', async () => {
    const asked: Parameters<LookupFunction>[2][] = [];
    const first = Promise.withResolvers<void>();
    const client = await clientOf((_name, _options, callback) => {
      asked.push(callback);
      first.resolve();
    });
    const sends = Array.from({ length: 10 }, () => send(client));
    await first.promise;
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    expect(asked).toHaveLength(1);

    const refusal = Object.assign(new Error('no answer of a name server'), { code: 'EAI_AGAIN' });
    asked[0]?.(refusal, []);
    expect(await Promise.all(sends)).toEqual(sends.map(() => expect.objectContaining({ state: 'not-taken' })));

    const again = Array.from({ length: 10 }, () => send(client));
    while (asked.length < 2) await new Promise(setImmediate);
    asked[1]?.(null, [{ address: '127.0.0.1', family: 4 }]);
    expect(await Promise.all(again)).toEqual(again.map(() => expect.objectContaining({ state: 'accepted' })));
    expect(asked).toHaveLength(2);
  });

  function send(client: CloudClient): Promise<UpstreamOutcome> {
    const limits: SendLimits = {
      noneBegins: never,
      giveUp: never,
      beginByMs: performance.now() + 60_000,
      onBegin: () => undefined,
    };
    const to = { phoneNumberId: '106540352242922', accessToken: 'token', to: '+14155550123' };
    return client.sendText({ organizationId: 'calice', reference: 'c1', text: 'hello', ...to }, limits);
  }

  async function clientOf(lookup: LookupFunction): Promise<CloudClient> {
    const server = createServer((_request, response) => void response.end(taken)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(async () => server.close());
    const baseUrl = `http://provider.test:${(server.address() as AddressInfo).port}`;
    const client = new CloudClient({
      baseUrl,
      version: 'v23.0',
      connectionsMax: 40,
      requestDeadlineMs: 60_000,
      lookup,
    });
    closing.push(() => client.close());
    return client;
  }
});
