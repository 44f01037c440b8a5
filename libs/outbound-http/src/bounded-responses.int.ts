import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { closeOf, RawReceiver, response } from '../test/raw-receiver.js';
import { sent } from '../test/sent.js';
import { makeCertificate } from '../test/test-certificates.js';
import { OutboundHttp, OutboundThread, type OutboundEnd, type OutboundSender } from './index.js';

/** Ends what is not cut, whatever its length: longer than a busy machine holds up what is. */
const deadlineMs = 60_000;
const client = new OutboundHttp({ allowPrivate: true, refusedHosts: [], deadlineMs });
const thread = new OutboundThread({ allowPrivate: true, refusedHosts: [], deadlineMs });
/** What fits into the buffers of both ends of a connection; at line rate some 1,000 MB come until the deadline. */
const WRITTEN_MAX = 8 * 1024 * 1024;
const receivers: RawReceiver[] = [];

afterEach(async () => {
  await Promise.all(receivers.splice(0).map((one) => one.stop()));
});

afterAll(() => Promise.all([client.close(), thread.close()]));

/** Writes the head once, and the rest without end. */
function flood(socket: Socket, head: string, rest: string): void {
  const part = rest.repeat(Math.ceil(16_384 / rest.length));
  const pump = (): void => {
    while (!socket.destroyed && socket.write(part));
  };
  socket.write(head);
  socket.on('drain', pump);
  pump();
}

/** Answers the first request of each connection well, and floods behind the second. */
async function floodingReceiver(head: string, rest: string): Promise<{ own: RawReceiver; flooded: Promise<Socket> }> {
  const { promise, resolve } = Promise.withResolvers<Socket>();
  const known = new Set<Socket>();
  const own = await RawReceiver.start((socket) => {
    if (!known.has(socket)) return void (known.add(socket) && socket.write(response(200, [], 'ok')));
    resolve(socket);
    flood(socket, head, rest);
  });
  receivers.push(own);
  return { own, flooded: promise };
}

/** Until a connection is used again, and what comes of it then. */
async function failureOf(url: string, by: OutboundSender): Promise<OutboundEnd> {
  const end = await sent(by, url);
  return end.state === 'answered' && end.body === 'ok' ? failureOf(url, by) : end;
}

const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
const none = { error: 'no response', status: null, body: null };
const begun = { error: 'response incomplete', status: 200 };
const floods = [
  ['chunk extension', `${chunked}1;`, 'a', { ...begun, body: '' }],
  ['chunk extension behind a part of the body', `${chunked}2\r\nab\r\n1;`, 'a', { ...begun, body: 'ab' }],
  ['number of empty lines before the status', '\r\n', '\r\n', none],
  ['reason phrase', 'HTTP/1.1 200 ', 'a', none],
  ['white space before a header value', 'HTTP/1.1 200 OK\r\nx-a:', ' ', none],
] as const;

describe('a response whose bytes are no body, after a good one on the same connection', () => {
  it.each(floods)('ends with its connection: an endless %s', async (_of, head, rest, failure) => {
    const { own, flooded } = await floodingReceiver(head, rest);
    const end = await failureOf(own.url, client);
    expect(end).toMatchObject({ state: 'failed', ...failure, reason: expect.stringContaining('too long') });
    const socket = await flooded;
    await closeOf(socket);
    expect(socket.bytesWritten).toBeLessThan(WRITTEN_MAX);
  });

  it('ends in the thread too', async () => {
    const { own, flooded } = await floodingReceiver(`${chunked}1;`, 'a');
    expect(await failureOf(own.url, thread)).toMatchObject({ ...begun, reason: expect.stringContaining('too long') });
    await closeOf(await flooded);
    expect((await flooded).bytesWritten).toBeLessThan(WRITTEN_MAX);
  });

  it('is an answer when 1 KB of its body has come', async () => {
    const { own, flooded } = await floodingReceiver(`${chunked}401\r\n${'x'.repeat(1_025)}\r\n1;`, 'a');
    const end = await failureOf(own.url, client);
    expect(end).toMatchObject({ state: 'answered', status: 200, body: 'x'.repeat(1_024), isCut: true });
    expect(end.durationMs).toBeLessThan(deadlineMs);
    await closeOf(await flooded);
  });

  it('ends over TLS', async () => {
    const certificate = await makeCertificate('receiver.example.org');
    const flooded = Promise.withResolvers<TLSSocket>();
    const server = createServer({ ...certificate }, (socket) => {
      let requests = 0;
      socket.on('error', () => undefined);
      socket.on('data', (bytes: Buffer) => {
        if (!bytes.toString('latin1').endsWith('{"n":1}')) return;
        if (++requests === 1) return void socket.write(response(200, [], 'ok'));
        flooded.resolve(socket);
        flood(socket, `${chunked}1;`, 'a');
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const trusting = new OutboundHttp({
      allowPrivate: true,
      refusedHosts: [],
      deadlineMs,
      resolve: () => Promise.resolve(['127.0.0.1']),
      authorities: certificate.cert,
    });
    const url = `https://receiver.example.org:${(server.address() as AddressInfo).port}/`;
    expect(await failureOf(url, trusting)).toMatchObject({ ...begun, reason: expect.stringContaining('too long') });
    const socket = await flooded.promise;
    await closeOf(socket);
    expect(socket.bytesWritten).toBeLessThan(WRITTEN_MAX);
    await trusting.close();
    server.close();
  });
});

describe('a connection', () => {
  it('carries any number of responses: each has its own bytes', async () => {
    const text = `HTTP/1.1 200 OK\r\nx-filler: ${'y'.repeat(12_000)}\r\ncontent-length: 8000\r\n\r\n${'x'.repeat(8_000)}`;
    const own = await RawReceiver.start((socket) => socket.write(text));
    receivers.push(own);
    for (let n = 0; n < 20; n += 1) {
      const end = await client.post({ url: own.url, headers: {}, body: Buffer.from('{"n":1}') });
      expect(end).toMatchObject({ state: 'answered', status: 200, body: 'x'.repeat(1_024), isCut: false });
    }
    expect(own.sockets.length).toBeLessThanOrEqual(2);
  });

  it('ends when it is flooded with empty lines between two requests', async () => {
    const own = await RawReceiver.start((socket) => socket.write(response(200, [], 'ok')));
    receivers.push(own);
    expect(await client.post({ url: own.url, headers: {}, body: Buffer.from('{"n":1}') })).toMatchObject({
      body: 'ok',
    });
    const [socket] = own.sockets;
    if (socket === undefined) throw new Error('there is no connection');
    flood(socket, '', '\r\n');
    await closeOf(socket);
    expect(socket.bytesWritten).toBeLessThan(WRITTEN_MAX);
    // What comes next has a connection of its own.
    expect(await client.post({ url: own.url, headers: {}, body: Buffer.from('{"n":1}') })).toMatchObject({
      body: 'ok',
    });
    expect(own.sockets).toHaveLength(2);
  });

  it('is read to 8 KB of a body in chunks of one byte', async () => {
    const own = await RawReceiver.start((socket) => socket.write(`${chunked}${'1\r\nx\r\n'.repeat(8_192)}0\r\n\r\n`));
    receivers.push(own);
    const end = await client.post({ url: own.url, headers: {}, body: Buffer.from('{"n":1}') });
    expect(end).toMatchObject({ state: 'answered', status: 200, body: 'x'.repeat(1_024), isCut: false });
  });
});
