import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findFreePorts } from '@switchboard/embedded-servers';
import { ExampleReceiver, languages } from './example-receiver.js';

const secret = 'whsec_c2VjcmV0';

describe.each(languages)('the example receiver in %s', (language) => {
  let receiver: ExampleReceiver;
  let port: number;

  beforeAll(async () => {
    [port = 0] = await findFreePorts(1);
    receiver = await ExampleReceiver.start(language, port, secret);
  });

  afterAll(() => receiver.stop());

  /** @returns the first line of the response */
  async function statusLine(...head: readonly string[]): Promise<string | undefined> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.end(Buffer.from(['POST / HTTP/1.1', 'Host: localhost', ...head, '', '{}'].join('\r\n'), 'latin1'));
    return (await text(socket)).split('\r\n')[0];
  }

  async function sendSigned(body: string): Promise<number> {
    const headers = { 'x-service-signature': createHmac('sha256', secret).update(body).digest('hex') };
    return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers })).status;
  }

  it.each([
    ['of another script', '²'],
    ['of 5,000 digits', '9'.repeat(5_000)],
    ['below zero', '-1'],
  ])('answers 400 to a length %s', async (_form, length) => {
    expect(await statusLine(`Content-Length: ${length}`)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it.each([
    ['whose length says so', 3 * 1024 * 1024, false],
    ['in chunks', 3 * 1024 * 1024, true],
    ['that does not end', Infinity, true],
  ])('answers 413 to a body that is too long, %s, and resets no sender before it', async (_form, length, isChunked) => {
    // Python's server reads no chunks: it asks for a length.
    const status = isChunked && language === 'Python' ? 411 : 413;
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const closed = once(socket, 'close');
    let answer = '';
    let failedBefore: Error | null = null;
    socket.on('data', (bytes: Buffer) => (answer += bytes.toString('latin1')));
    // Who goes on behind the answer is disconnected after a while.
    socket.on('error', (error) => (failedBefore ??= answer === '' ? error : null));
    const framing = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`;
    socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\n${framing}\r\n\r\n`);
    const part = 'a'.repeat(0x4000);
    for (let sent = 0; sent < length && !socket.destroyed; sent += part.length) {
      const isFull = !socket.write(isChunked ? `4000\r\n${part}\r\n` : part);
      if (isFull) await Promise.race([once(socket, 'drain'), closed]).catch(() => undefined);
    }
    if (isChunked && !socket.destroyed) socket.end('0\r\n\r\n');
    await closed.catch(() => undefined);
    expect([failedBefore, answer]).toEqual([null, expect.stringMatching(new RegExp(`^HTTP/1\\.1 ${status} `))]);
    expect(answer).toMatch(/^connection: close/im);
  });

  it('answers 413 to a length that is too long, before so much has come', async () => {
    expect(await statusLine(`Content-Length: ${1024 * 1024 + 1}`)).toMatch(/^HTTP\/1\.1 413 /);
  });

  it.each(['GET', 'PUT', 'DELETE'])('answers 405 to %s, and says what it takes', async (method) => {
    const body = method === 'PUT' ? '{}' : null;
    const { status, headers } = await fetch(`http://127.0.0.1:${port}/`, { method, body });
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('answers 500 to what is signed and is no event, and goes on', async () => {
    const withoutId = [
      '{"data":null}',
      '{"data":{}}',
      '{"data":{"id":null}}',
      '{"data":{"id":7}}',
      '{"data":{"id":{}}}',
    ];
    for (const body of ['{', '[]', '"text"', 'null', ...withoutId])
      expect([body, await sendSigned(body)]).toEqual([body, 500]);
    expect(await sendSigned('{"event":"message.sent","data":{"id":"cone"}}')).toBe(204);
  });
});
