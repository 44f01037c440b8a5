import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findFreePorts } from '@switchboard/embedded-servers';
import { ExampleReceiver, runnableLanguages } from './example-receiver.js';

const secret = 'whsec_c2VjcmV0';

describe.each(runnableLanguages())('the example receiver in %s', (language) => {
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

  it('answers 500 to what is signed and is no event, and goes on', async () => {
    for (const body of ['{', '[]', '"text"', 'null', '{"data":null}'])
      expect([body, await sendSigned(body)]).toEqual([body, 500]);
    expect(await sendSigned('{"event":"message.sent","data":{"id":"cone"}}')).toBe(204);
  });
});
