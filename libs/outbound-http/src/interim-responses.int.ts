import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { RawReceivers, response } from '../test/raw-receiver.js';
import { sent } from '../test/sent.js';
import { makeCertificate } from '../test/test-certificates.js';
import { OutboundHttp, OutboundThread, type OutboundSender } from './index.js';
import { allowContinue } from './interim-responses.js';

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
const client = new OutboundHttp({ allowPrivate: true, refusedHosts: [] });
const thread = new OutboundThread({ allowPrivate: true, refusedHosts: [] });
const receivers = new RawReceivers();

const receiver: RawReceivers['start'] = (answer) => receivers.start(answer);

const post = (url: string, by: OutboundSender = client) => sent(by, url);

afterEach(() => receivers.stop());

afterAll(async () => {
  await Promise.all([client.close(), thread.close()]);
});

describe('100 Continue, for which nothing asks', () => {
  it.each([
    ['once', CONTINUE],
    ['with a header, and without a reason', 'HTTP/1.1 100\r\nx-a: 1\r\n\r\n'],
    ['among others, 8 in all', (CONTINUE + HINTS).repeat(4)],
  ])('%s, is passed over for each request of a connection', async (_how, interim) => {
    const own = await receiver((socket) => socket.write(interim + response(200, [], CONTINUE)));
    for (let n = 0; n < 4; n += 1) {
      expect(await post(own.url)).toMatchObject({ state: 'answered', status: 200, body: CONTINUE, isCut: false });
    }
    expect(own.sockets.length).toBeLessThanOrEqual(2);
  });

  it('is passed over over TLS and in the thread too', async () => {
    const { cert, key } = await makeCertificate('receiver.example.org');
    const server = createServer({ cert, key }, (_request, answer) => {
      answer.writeContinue();
      answer.end('ok');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const resolve = () => Promise.resolve(['127.0.0.1']);
    const own = new OutboundHttp({ allowPrivate: true, refusedHosts: [], resolve, authorities: cert });
    const { port } = server.address() as AddressInfo;
    for (let n = 0; n < 2; n += 1) {
      expect(await post(`https://receiver.example.org:${port}/`, own)).toMatchObject({ status: 200, body: 'ok' });
    }
    await own.close();
    server.close().closeAllConnections();
    const plain = await receiver((socket) => socket.write(CONTINUE + response(204)));
    for (let n = 0; n < 2; n += 1) expect(await post(plain.url, thread)).toMatchObject({ status: 204 });
  });

  it('counts as the others do: the ninth ends the request', async () => {
    const own = await receiver((socket) => socket.write(CONTINUE.repeat(9) + response(200)));
    expect(await post(own.url)).toMatchObject({ state: 'failed', error: 'no response' });
  });

  it('without a response behind it is none', async () => {
    const own = await receiver((socket) => socket.end(CONTINUE));
    expect(await post(own.url)).toMatchObject({ state: 'failed', error: 'no response', status: null });
  });

  it('is read as 103 however it is divided, and nothing else is changed', () => {
    const rest = response(200, [], CONTINUE);
    const head = `\r\n${CONTINUE}${HINTS}${CONTINUE}`;
    const text = head + rest;
    const expected = head.replaceAll(' 100 ', ' 103 ') + rest;
    for (let size = 1; size <= text.length; size += 1) {
      const chunks = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      const socket = { bytesWritten: 1, read: () => Buffer.from(chunks.shift() ?? '') } as unknown as Socket;
      allowContinue(socket);
      const seen = Array.from([...chunks], () => String(socket.read()));
      expect(seen.join('')).toBe(expected);
    }
  });
});
