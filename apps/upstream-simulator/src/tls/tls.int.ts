import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect as connectHttp2, constants, type ClientHttp2Session } from 'node:http2';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Pool } from 'undici';
import { PHONE_NUMBER_ID, SimulatorHarness, TOKEN } from '../../test/harness.js';

const path = `/v23.0/${PHONE_NUMBER_ID}/messages`;
const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };

let sim: SimulatorHarness;
let ca: string;

beforeAll(async () => {
  sim = await SimulatorHarness.start({});
  ca = readFileSync(sim.simulator.authorityFile, 'utf8');
});
afterEach(() => sim.control('DELETE', 'knobs'));
afterAll(() => SimulatorHarness.stopAll());

describe('the contract over TLS', () => {
  it.each([
    [['h2', 'http/1.1'], 'h2'],
    [['http/1.1'], 'http/1.1'],
    [[], false],
  ] as const)('is spoken by what the client offers: %j', async (offered, chosen) => {
    const { port } = new URL(sim.simulator.tlsUrl);
    const socket = connectTls({ host: '127.0.0.1', port: Number(port), ca, ALPNProtocols: [...offered] });
    await once(socket, 'secureConnect');
    expect([socket.authorized, socket.alpnProtocol]).toEqual([true, chosen]);
    socket.destroy();
  });

  it('is refused by a client that does not trust its authority', async () => {
    const pool = new Pool(sim.simulator.tlsUrl, { connect: {} });
    await expect(pool.request({ path, method: 'POST', headers, body: '{}' })).rejects.toMatchObject({
      code: expect.stringMatching(/UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED_CERT_IN_CHAIN/),
    });
    await pool.destroy();
  });

  it('takes and records a message over HTTP/2 as over HTTP/1.1', async () => {
    for (const allowH2 of [true, false]) {
      const pool = new Pool(sim.simulator.tlsUrl, { connect: { ca }, allowH2 });
      const reference = allowH2 ? 'over-h2' : 'over-h1';
      const answer = await pool.request({ path, method: 'POST', headers, body: textOf(reference) });
      expect(answer.statusCode).toBe(200);
      await answer.body.dump();
      await pool.destroy();
      expect(await sim.requests(`reference=${reference}`)).toMatchObject({ total: 1 });
    }
  });

  it('keeps its authority over a restart on the same folder', async () => {
    const again = await SimulatorHarness.start({ copyOf: sim });
    expect(readFileSync(again.simulator.authorityFile, 'utf8')).toBe(ca);
  });
});

describe('the knob goawayAfter', () => {
  it('refuses streams beyond its number by GOAWAY, and neither takes nor records them', async () => {
    await sim.control('PUT', 'knobs', { goawayAfter: 2 });
    const session = connectHttp2(sim.simulator.tlsUrl, { ca });
    const goaway = once(session, 'goaway');
    const ends = await Promise.all(['ga-1', 'ga-2', 'ga-3', 'ga-4'].map((reference) => post(session, reference)));

    expect(ends).toEqual([200, 200, constants.NGHTTP2_REFUSED_STREAM, constants.NGHTTP2_REFUSED_STREAM]);
    // The last stream that was taken: the client's second, since clients count by two from 1.
    expect((await goaway).slice(0, 2)).toEqual([constants.NGHTTP2_NO_ERROR, 3]);
    for (const [reference, total] of [
      ['ga-2', 1],
      ['ga-3', 0],
    ]) {
      expect(await sim.requests(`reference=${reference}`)).toMatchObject({ total });
    }
    session.destroy();
  });

  it('ends a connection of HTTP/1.1 with the answer that reaches its number', async () => {
    await sim.control('PUT', 'knobs', { goawayAfter: 2 });
    const { port } = new URL(sim.simulator.tlsUrl);
    const socket: TLSSocket = connectTls({ host: '127.0.0.1', port: Number(port), ca });
    let received = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
    const request = `GET /v23.0/1/message_templates HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    socket.write(request.repeat(2));
    await once(socket, 'close');
    expect(received.match(/^connection: .*$/gim)).toEqual([
      expect.stringMatching(/keep-alive/),
      expect.stringMatching(/close/),
    ]);
  });
});

function textOf(reference: string): string {
  const text = { body: 'Hello' };
  return JSON.stringify({
    messaging_product: 'whatsapp',
    to: '+16505551234',
    type: 'text',
    text,
    biz_opaque_callback_data: reference,
  });
}

/** The status of a request's answer, or the code that its stream was reset with. */
function post(session: ClientHttp2Session, reference: string): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const stream = session.request({ ':method': 'POST', ':path': path, ...headers });
  stream.on('response', (answer) => resolve(Number(answer[':status'])));
  stream.on('error', () => resolve(stream.rstCode ?? 0));
  stream.on('close', () => resolve(stream.rstCode ?? 0));
  stream.resume().end(textOf(reference));
  return promise;
}
