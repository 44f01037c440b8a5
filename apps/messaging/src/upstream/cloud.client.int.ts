import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { Worker } from 'node:worker_threads';
import { systemClock } from '@switchboard/platform';
import { FakeClock } from '@switchboard/testing/fake-clock';
import { afterEach, describe, expect, it } from '@jest/globals';
import { CloudClient, type CloudOptions } from './cloud.client.js';
import type { SendLimits, UpstreamText } from './upstream.js';

const text: UpstreamText = {
  organizationId: 'calice',
  phoneNumberId: '106540352242922',
  accessToken: 'token',
  to: '+14155550123',
  text: 'hello',
  reference: 'c0123456789abcdefghijklmn',
};
const never = new AbortController().signal;
const path = '/v23.0/106540352242922/messages';
const taken = JSON.stringify({ messages: [{ id: 'wamid.1' }], contacts: [{ wa_id: '14155550123' }] });
const accepted = { state: 'accepted', upstreamMessageId: 'wamid.1', messagingId: '14155550123' };
const notTaken = { state: 'not-taken', code: 'UPSTREAM_UNREACHABLE', retry: 'not-begun' };

type Answer = (response: ServerResponse, request: IncomingMessage, body: string) => void;
const silent: Answer = () => undefined;
const take = (response: ServerResponse): void => void response.end(taken);

describe('a request to the provider', () => {
  const closing: (() => Promise<unknown>)[] = [];
  let seen: string[] = [];

  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    seen = [];
  });

  it('returns what the provider answered', async () => {
    const client = clientOf(await provider(take));
    expect(await client.sendText(text, limits())).toEqual(accepted);
    expect(seen).toEqual([path]);
  });

  it('carries a template in its body, and is answered as a text is', async () => {
    const bodies: unknown[] = [];
    const client = clientOf(
      await provider((response, _request, body) => {
        bodies.push(JSON.parse(body));
        response.end(taken);
      }),
    );
    const { text: _text, ...message } = text;
    const parameters = { header: null, body: [{ name: null, text: 'Ada' }], buttons: [] };
    const template = { name: 'order_confirmation', language: 'en_US', parameters };
    expect(await client.sendTemplate({ ...message, template }, limits())).toEqual(accepted);
    expect(seen).toEqual([path]);
    expect(bodies).toMatchObject([
      { type: 'template', template: { name: 'order_confirmation' }, biz_opaque_callback_data: text.reference },
    ]);
  });

  const numbers = JSON.stringify({
    data: [
      { id: '1', display_phone_number: '+1 201-555-0100', verified_name: 'Other' },
      { id: '106540352242922', display_phone_number: '+1 555-078-3881', verified_name: 'Corner shop' },
      { id: '3', display_phone_number: '+1 555-078-3882', verified_name: '\u200b' },
    ],
  });
  const line = { organizationId: 'calice', businessAccountId: '1022', accessToken: 'token', signal: never };
  it.each([
    ['the line', 200, numbers, '106540352242922', { state: 'found', phone: '+15550783881', name: 'Corner shop' }],
    ['a line whose name has nothing to see', 200, numbers, '3', { state: 'found', name: '+15550783882' }],
    ['no such line', 200, numbers, '2', { state: 'refused', kind: 'rejected', code: '100' }],
    ['an expired token', 401, '{"error":{"code":190}}', '1', { state: 'refused', kind: 'disconnected', code: '190' }],
    ['a blocked account', 403, '{"error":{"code":368}}', '1', { state: 'refused', kind: 'rejected', code: '368' }],
    ['a limit', 429, '{"error":{"code":80007}}', '1', { state: 'unavailable' }],
    ["a proxy's page", 502, '<html>', '1', { state: 'unavailable' }],
    ['too much', 200, ' '.repeat(1_100_000), '1', { state: 'unavailable' }],
  ])('for a line is answered with %s', async (_name, status, body, phoneNumberId, expected) => {
    const client = clientOf(await provider((response) => void response.writeHead(status).end(body)));
    expect(await client.findLine({ ...line, phoneNumberId })).toMatchObject(expected);
    expect(seen).toEqual(['/v23.0/1022/phone_numbers?fields=id,display_phone_number,verified_name&limit=100']);
  });

  it.each([
    ['no body', 408, '', { state: 'not-taken', retry: 'normal' }],
    ['no body', 429, '', { state: 'not-taken', retry: 'normal' }],
    ['no body', 401, '', { state: 'refused', kind: 'disconnected' }],
    ['no error object', 404, 'not found', { state: 'refused', kind: 'rejected' }],
    ['no body', 500, '', { state: 'unknown' }],
    ["a proxy's page", 502, '<html>', { state: 'unknown' }],
    ['another address', 302, '', { state: 'unknown' }],
    ['half an answer', 200, '{"messages":', { state: 'unknown' }],
    ['more than 64 KiB', 200, ' '.repeat(70_000), { state: 'unknown' }],
    ['an error object', 400, '{"error":{"code":131026}}', { state: 'refused', code: '131026' }],
  ])(
    'that is answered with %s, HTTP %i, is not judged by more than it shows',
    async (_label, status, body, expected) => {
      const client = clientOf(await provider((response) => void response.writeHead(status).end(body)));
      expect(await client.sendText(text, limits())).toMatchObject(expected);
    },
  );

  it.each([
    ['an id with NUL', { messages: [{ id: 'wamid.\u0000' }] }],
    ['half a character', { messages: [{ id: 'wamid.\ud800' }] }],
    ['an empty id', { messages: [{ id: '' }] }],
    ['an id of 301 characters', { messages: [{ id: 'w'.repeat(301) }] }],
    ['no id', { messages: [{}] }],
    ['a number as its id', { messages: [{ id: 1 }] }],
  ])('that is accepted with %s has an unknown outcome, as without an id', async (_label, body) => {
    const client = clientOf(await provider((response) => void response.end(JSON.stringify(body))));
    expect(await client.sendText(text, limits())).toMatchObject({ state: 'unknown' });
  });

  it.each(['', 'a\u0000b', 'w'.repeat(301), 14155550123])(
    'that is accepted for a person whose id cannot be one is accepted without it',
    async (wa_id) => {
      const body = JSON.stringify({ messages: [{ id: 'wamid.1' }], contacts: [{ wa_id }] });
      const client = clientOf(await provider((response) => void response.end(body)));
      expect(await client.sendText(text, limits())).toEqual({ ...accepted, messagingId: null });
    },
  );

  it('that finds every connection in use is not taken, and leaves nothing behind', async () => {
    // By its deadline the one that is never answered has left, on a busy machine too.
    const client = clientOf(await provider(silent), { connectionsMax: 1, requestDeadlineMs: 2_000 });
    const open = client.sendText(text, limits());
    expect(await client.sendText(text, limits())).toMatchObject({ ...notTaken, isShareFull: true });
    expect(await open).toEqual({ state: 'unknown', reason: expect.stringMatching(/no answer/) });
    expect(seen).toEqual([path]);
  });

  it('of one organization leaves connections to others, however many it wants', async () => {
    const giveUp = new AbortController();
    // When each that has a connection has come.
    const client = clientOf(await provider(() => void (seen.length === 4 && giveUp.abort())), { connectionsMax: 4 });
    const send = (organizationId = 'calice') =>
      client.sendText({ ...text, organizationId }, limits({ giveUp: giveUp.signal }));
    const flood = Array.from({ length: 8 }, () => send());
    expect(await send('cbob')).toMatchObject({ state: 'unknown' });
    expect((await Promise.all(flood)).map(({ state }) => state).sort()).toEqual([
      ...Array.from({ length: 5 }, () => 'not-taken'),
      ...Array.from({ length: 3 }, () => 'unknown'),
    ]);
  });

  it('that finds no listener is not taken, and says nothing of the share of its organization', async () => {
    const url = await provider(silent);
    await closing.pop()?.();
    const outcome = await clientOf(url).sendText(text, limits());
    expect(outcome).toMatchObject(notTaken);
    expect(outcome).not.toHaveProperty('isShareFull');
  });

  it('that was delivered and cut has an unknown outcome, on a fresh connection and on a used one', async () => {
    const answers = [cut, take, cut];
    const client = clientOf(await provider((response, request) => answers.shift()?.(response, request)));
    expect(await client.sendText(text, limits())).toMatchObject({ state: 'unknown' });
    expect(await client.sendText(text, limits())).toEqual(accepted);
    expect(await client.sendText(text, limits())).toMatchObject({ state: 'unknown' });
    expect(seen).toHaveLength(3);
  });

  it('that must not begin any more is not taken', async () => {
    const client = clientOf(await provider(take));
    expect(await client.sendText(text, limits({ noneBegins: AbortSignal.abort() }))).toMatchObject(notTaken);
    expect(await client.sendText(text, limits({ giveUp: AbortSignal.abort() }))).toMatchObject(notTaken);
    expect(seen).toEqual([]);
  });

  it('is announced before its first byte leaves, and is not taken when that fails', async () => {
    const order: string[] = [];
    const client = clientOf(
      await provider((response) => {
        order.push('came');
        take(response);
      }),
    );
    expect(await client.sendText(text, limits({ onBegin: () => void order.push('begins') }))).toEqual(accepted);
    expect(order).toEqual(['begins', 'came']);
    const fails = (): never => {
      throw new Error('the disk is full');
    };
    expect(await client.sendText(text, limits({ onBegin: fails }))).toMatchObject(notTaken);
    expect(order).toEqual(['begins', 'came']);
  });

  it('that gets no connection in time, or before nothing may begin any more, is not taken', async () => {
    const handshakes: (() => void)[] = [];
    // Takes connections and says nothing: no TLS is ever established.
    const url = (await listen(createTcpServer((socket) => handshakes.push(() => socket.destroy())))).replace(
      'http',
      'https',
    );
    const client = clientOf(url);
    const beginByMs = systemClock.monotonic() + 150;
    const startedMs = performance.now();
    expect(await client.sendText(text, limits({ beginByMs }))).toMatchObject(notTaken);
    // Half of what the request itself would have had.
    expect(performance.now() - startedMs).toBeLessThan(60_000);
    const stop = new AbortController();
    const waiting = client.sendText(text, limits({ noneBegins: stop.signal }));
    stop.abort();
    expect(await waiting).toMatchObject(notTaken);
    handshakes.forEach((destroy) => destroy());
  });

  it('of a process that stood still is not sent too late, however late its timers are', async () => {
    const clock = new FakeClock();
    const client = clientOf(await provider(take), {}, clock);
    const standing = client.sendText(text, limits({ beginByMs: 2_000 }));
    clock.advance(2_001);
    expect(await standing).toMatchObject(notTaken);
    expect(seen).toEqual([]);
    expect(await client.sendText(text, limits({ beginByMs: 4_001 }))).toEqual(accepted);
  });

  it('that is given up has an unknown outcome once it began, whatever must not begin any more', async () => {
    const [noneBegins, giveUp] = [new AbortController(), new AbortController()];
    const client = clientOf(
      await provider(() => {
        noneBegins.abort();
        giveUp.abort();
      }),
    );
    const open = client.sendText(text, limits({ noneBegins: noneBegins.signal, giveUp: giveUp.signal }));
    expect(await open).toEqual({ state: 'unknown', reason: 'no answer (given up)' });
  });

  it('does not use a connection that the provider closed while the process stood still', async () => {
    const closed = new Int32Array(new SharedArrayBuffer(4));
    const provided = new Worker(CLOSES_ON_MESSAGE, { eval: true, workerData: { body: taken, closed } });
    closing.push(() => provided.terminate());
    const [url] = (await once(provided, 'message')) as [string];
    // With two, a send that follows at once takes the other.
    const client = clientOf(url, { connectionsMax: 1 });
    for (let sends = 0; sends < 5; sends++) {
      expect(await client.sendText(text, limits())).toEqual(accepted);
      provided.postMessage('close');
      // The end of the connection arrives while this thread stands still and waits in the socket, unread.
      expect(Atomics.wait(closed, 0, sends, 30_000)).not.toBe('timed-out');
    }
  });

  function clientOf(baseUrl: string, options: Partial<CloudOptions> = {}, clock = systemClock): CloudClient {
    const defaults = { baseUrl, version: 'v23.0', connectionsMax: 8, requestDeadlineMs: 120_000 };
    const client = new CloudClient({ ...defaults, ...options }, clock);
    closing.push(() => client.close());
    return client;
  }

  async function provider(answer: Answer): Promise<string> {
    const server = createHttpServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        seen.push(request.url ?? '');
        answer(response, request, body);
      });
    });
    return listen(server, () => server.closeAllConnections());
  }

  async function listen(server: Server, closeConnections: () => void = () => undefined): Promise<string> {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(async () => {
      closeConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
});

/** Answers each request, closes its connection on a message and counts it, in a thread that goes on while this one stands still. */
const CLOSES_ON_MESSAGE = `
  const { parentPort, workerData: { body, closed } } = require('node:worker_threads');
  const server = require('node:net').createServer((socket) => {
    socket.on('error', () => undefined).on('data', () => {
      socket.write('HTTP/1.1 200 OK\\r\\ncontent-length: ' + body.length + '\\r\\n\\r\\n' + body);
    });
    socket.on('close', () => {
      Atomics.add(closed, 0, 1);
      Atomics.notify(closed, 0);
    });
    parentPort.once('message', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage('http://127.0.0.1:' + server.address().port));
`;

function cut(_response: ServerResponse, request: IncomingMessage): void {
  request.socket.destroy();
}

/** Patient but for what a test names. */
function limits(named: Partial<SendLimits> = {}): SendLimits {
  const onBegin = (): void => undefined;
  return { beginByMs: systemClock.monotonic() + 60_000, onBegin, noneBegins: never, giveUp: never, ...named };
}
