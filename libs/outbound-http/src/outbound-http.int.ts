import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { closeOf, RawReceivers, response } from '../test/raw-receiver.js';
import type { Dispatcher } from 'undici';
import { BoundedPost } from './bounded-post.js';
import { OutboundHttp, type OutboundEnd } from './index.js';

const client = new OutboundHttp({ allowPrivate: true, refusedHosts: [] });
/** For receivers that never end: the deadline ends them, whatever its length; by then what they do send has come on a busy machine too. */
const hasty = new OutboundHttp({ allowPrivate: true, refusedHosts: [], deadlineMs: 2_000 });
const receivers = new RawReceivers();

const receiver: RawReceivers['start'] = (answer) => receivers.start(answer);

function post(url: string, by = client, headers: Record<string, string> = {}): Promise<OutboundEnd> {
  return by.post({ url, headers, body: Buffer.from('{"n":1}') });
}

afterEach(() => receivers.stop());

afterAll(async () => {
  await Promise.all([client.close(), hasty.close()]);
});

describe('a request', () => {
  it('carries exactly the bytes, the given headers and those of the client', async () => {
    const own = await receiver((socket) => socket.write(response(204)));
    expect(await post(own.url, client, { 'x-service-signature': 'ab' })).toMatchObject({
      state: 'answered',
      status: 204,
    });
    const [request = ''] = own.requests;
    expect(request).toMatch(/^POST \/hook HTTP\/1\.1\r\n/);
    expect(request.endsWith('\r\n\r\n{"n":1}')).toBe(true);
    for (const line of [
      `host: 127.0.0.1:${own.port}`,
      'user-agent: Service-Webhooks/1',
      'content-type: application/json',
      'accept-encoding: identity',
      'x-service-signature: ab',
    ]) {
      expect(request.toLowerCase()).toContain(line.toLowerCase());
    }
  });

  it('reuses the connection of a response that was read to its end', async () => {
    const own = await receiver((socket) => socket.write(response(200, [], 'ok')));
    for (let n = 0; n < 5; n += 1) expect(await post(own.url)).toMatchObject({ status: 200, body: 'ok', isCut: false });
    // The first one may be free only after the next request has begun.
    expect(own.sockets.length).toBeLessThanOrEqual(2);
    expect(own.requests).toHaveLength(5);
  });

  it('is written once: a connection that is closed without a response is a failure', async () => {
    const own = await receiver((socket) => socket.destroy());
    expect(await post(own.url)).toMatchObject({ state: 'failed', error: 'no response', status: null });
    expect(own.requests).toHaveLength(1);
  });

  it('is begun once: not again on another connection, and not behind its end', () => {
    const controller = { abort: () => undefined } as unknown as Dispatcher.DispatchController;
    const [lost, late] = [new BoundedPost(() => undefined), new BoundedPost(() => undefined)];
    lost.onRequestStart(controller);
    expect(() => lost.onRequestStart(controller)).toThrow('the connection was lost');
    late.giveUp('no end');
    expect(() => late.onRequestStart(controller)).toThrow('given up');
  });

  it('gets no header from CR and LF in a URL or a header: neither is sent', async () => {
    const own = await receiver((socket) => socket.write(response(200)));
    const broken = '\r\nx-injected: 1';
    expect(await post(`${own.url}${broken}`)).toMatchObject({ error: 'url not allowed' });
    expect(await client.judge(`${own.url}${broken}`)).toMatchObject({ isAllowed: false, refusal: 'form' });
    expect(await post(own.url, client, { 'x-service-signature': `ab${broken}` })).toMatchObject({ state: 'failed' });
    expect(await post(`${own.url}?a=%0d%0ax-injected:%201`)).toMatchObject({ status: 200 });
    expect(own.requests).toHaveLength(1);
    expect(own.requests[0]).not.toMatch(/^x-injected/im);
  });

  it('ends when its caller gives it up, before and after it has begun', async () => {
    const asked = Promise.withResolvers<void>();
    const own = await receiver(() => own.requests.length === 2 && asked.resolve());
    const controller = new AbortController();
    const request = { url: own.url, headers: {}, body: Buffer.from('{}'), signal: controller.signal };
    const ends = Promise.all([client.post(request), client.post(request)]);
    await asked.promise;
    controller.abort();
    expect(await ends).toMatchObject([
      { state: 'failed', error: 'aborted' },
      { state: 'failed', error: 'aborted' },
    ]);
    const late = client.post({ url: own.url, headers: {}, body: Buffer.from('{}'), signal: controller.signal });
    expect(await late).toMatchObject({ error: 'aborted' });
  });
});

describe('a response', () => {
  it('that redirects is an answer, and is not followed', async () => {
    const target = await receiver((socket) => socket.write(response(200)));
    for (const status of [301, 302, 303, 307, 308]) {
      const own = await receiver((socket) => socket.write(response(status, [`location: ${target.url}`])));
      expect(await post(own.url)).toMatchObject({ state: 'answered', status });
    }
    expect(target.sockets).toHaveLength(0);
  });

  it('sets no cookie for the next request', async () => {
    const own = await receiver((socket) => socket.write(response(200, ['set-cookie: a=1; path=/'])));
    await post(own.url);
    await post(own.url);
    expect(own.requests.join('\n')).not.toMatch(/cookie/i);
  });

  it('gives its Retry-After', async () => {
    const own = await receiver((socket) => socket.write(response(503, ['Retry-After: 120'], 'later')));
    expect(await post(own.url)).toMatchObject({ status: 503, retryAfter: '120', body: 'later' });
    const twice = await receiver((socket) => socket.write(response(503, ['Retry-After: 120', 'Retry-After: 7'])));
    expect(await post(twice.url)).toMatchObject({ status: 503, retryAfter: '120' });
  });

  it.each([
    ['a length', 'content-length: 5\r\n\r\n'],
    ['a length and a body', 'content-length: 5\r\n\r\nhello'],
    ['a transfer encoding', 'transfer-encoding: chunked\r\n\r\n'],
  ])('of status 204 ends with its header, also with %s, and its connection is not used again', async (_of, rest) => {
    const used: Socket[] = [];
    const own = await receiver((socket) => {
      used.push(socket);
      socket.write(`HTTP/1.1 204 No Content\r\n${rest}`);
    });
    for (let n = 1; n <= 2; n += 1) {
      expect(await post(own.url)).toMatchObject({ state: 'answered', status: 204, body: '', isCut: false });
      await closeOf(used[n - 1]);
    }
    expect(new Set(used).size).toBe(2);
  });

  it('gives its Retry-After also when it does not end', async () => {
    const head = 'HTTP/1.1 503 Later\r\nretry-after: 600\r\ncontent-length: 100\r\n\r\nab';
    const [cut, dripping] = [
      await receiver((socket) => socket.end(head)),
      await receiver((socket) => socket.write(head)),
    ];
    for (const { url } of [cut, dripping]) {
      expect(await post(url, hasty)).toMatchObject({ state: 'failed', status: 503, retryAfter: '600', body: 'ab' });
    }
  });

  it.each([
    ['of a known length', response(200, [], 'x'.repeat(2_000))],
    ['in chunks', `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1f00\r\n${'x'.repeat(0x1f00)}\r\n0\r\n\r\n`],
  ])('longer than 1 KB, %s, is read up to 8 KB: its connection is used again', async (_of, text) => {
    const own = await receiver((socket) => socket.write(text));
    for (let n = 0; n < 5; n += 1) {
      expect(await post(own.url)).toMatchObject({ state: 'answered', body: 'x'.repeat(1_024), isCut: false });
    }
    expect(own.sockets.length).toBeLessThanOrEqual(2);
  });

  it('of which 1 KB has come is an answer, whatever becomes of the rest', async () => {
    const head = `HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n${'x'.repeat(1_025)}`;
    const [cut, dripping] = [
      await receiver((socket) => socket.end(head)),
      await receiver((socket) => socket.write(head)),
    ];
    for (const { url } of [cut, dripping]) {
      expect(await post(url, hasty)).toMatchObject({ state: 'answered', body: 'x'.repeat(1_024), isCut: true });
    }
    await closeOf(dripping.sockets[0]);
  });

  it('that announces more than 8 KB is cut at 1 KB', async () => {
    const own = await receiver((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 8193\r\n\r\n${'x'.repeat(1_025)}`),
    );
    expect(await post(own.url)).toMatchObject({ state: 'answered', body: 'x'.repeat(1_024), isCut: true });
    await closeOf(own.sockets[0]);
  });

  it('without end is cut, and the rest is not read', async () => {
    const own = await receiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
      const pump = (): void => {
        while (!socket.destroyed && socket.write(chunk));
      };
      socket.on('drain', pump);
      pump();
    });
    const end = await post(own.url);
    expect(end).toMatchObject({ state: 'answered', status: 200, body: 'x'.repeat(1_024), isCut: true });
    const [socket] = own.sockets;
    await closeOf(socket);
    // What fits into the buffers of both ends of a connection, and not what an endless body would come to.
    expect(socket?.bytesWritten).toBeLessThan(16 * 1024 * 1024);
  });

  it('in gzip is not decoded: a bomb stays small', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const own = await receiver((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
      socket.write(bomb);
    });
    const end = await post(own.url);
    expect(end).toMatchObject({ state: 'answered', status: 200 });
    expect(Buffer.byteLength(end.body ?? '')).toBeLessThanOrEqual(1_024);
  });

  it('is text that a database stores, whatever its bytes are', async () => {
    const bytes = Buffer.concat([Buffer.from([0, 0xff, 0xc3]), Buffer.from('é'.repeat(700))]);
    const own = await receiver((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${bytes.length}\r\n\r\n`);
      socket.write(bytes);
    });
    const { body } = await post(own.url);
    expect(body).toMatch(/^\uFFFD\uFFFD\uFFFDé+$/);
    expect(Buffer.byteLength(body ?? '')).toBeLessThanOrEqual(1_024);
  });

  it.each([
    ['shows it as U+FFFD: it is in another encoding', Buffer.from('Caf\xe9', 'latin1'), 'Caf\uFFFD'],
    ['behind 1 KB is kept without it', Buffer.from(`x${'é'.repeat(512)}`), `x${'é'.repeat(511)}`],
  ])('that ends within a character %s', async (_how, bytes, kept) => {
    const own = await receiver((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${bytes.length}\r\n\r\n`);
      socket.write(bytes);
    });
    expect(await post(own.url)).toMatchObject({ state: 'answered', body: kept });
  });

  it('with an endless header, or one of many interim responses, ends the request', async () => {
    const endless = await receiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const pump = (): void => {
        while (!socket.destroyed && socket.write(`x-flood: ${'y'.repeat(1_000)}\r\n`));
      };
      socket.on('drain', pump);
      pump();
    });
    expect(await post(endless.url)).toMatchObject({ state: 'failed', error: 'no response' });
    const interim = await receiver((socket) =>
      socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(100)),
    );
    expect(await post(interim.url)).toMatchObject({ state: 'failed', error: 'no response' });
  });

  it('that drips or never comes ends at the deadline, and its connection with it', async () => {
    const silent = await receiver(() => undefined);
    const dripping = await receiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nab');
    });
    const head = await receiver((socket) => socket.write('HTTP/1.1 200 O'));
    const ends = await Promise.all([silent, dripping, head].map(({ url }) => post(url, hasty)));
    expect(ends).toMatchObject([
      { state: 'failed', error: 'no response', status: null, body: null },
      { state: 'failed', error: 'response incomplete', status: 200, body: 'ab' },
      { state: 'failed', error: 'no response', status: null, body: null },
    ]);
    for (const { sockets } of [silent, dripping, head]) await closeOf(sockets[0]);
  });
});

describe('the error', () => {
  it('is the same for a closed port, a silent one, and one that speaks another protocol or closes', async () => {
    const closed = await receiver(() => undefined);
    const { url } = closed;
    await closed.stop();
    receivers.all.splice(receivers.all.indexOf(closed), 1);
    const silent = await receiver(() => undefined);
    const other = await receiver((socket) => socket.write('-ERR unknown command\r\n'));
    const closing = await receiver((socket) => socket.end());
    const overTls = (await receiver((socket) => socket.write(response(200)))).url.replace('http:', 'https:');
    const urls = [url, silent.url, other.url, closing.url, overTls];
    const ends = await Promise.all(urls.map((each) => post(each, hasty)));
    const shown = ends.map((end) => JSON.stringify({ ...end, reason: undefined, durationMs: undefined }));
    expect(new Set(shown)).toEqual(new Set([shown[0]]));
    expect(ends[0]).toMatchObject({ state: 'failed', error: 'no response' });
    // The reasons are for the log: in words, where an error has no code.
    expect(JSON.stringify(ends)).not.toContain('undefined');
  });
});
