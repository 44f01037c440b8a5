import { constants } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { createSecureContext, TLSSocket } from 'node:tls';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { makeCertificate, type TestCertificate } from '../test/test-certificates.js';
import { OutboundHttp, type OutboundEnd } from './index.js';

const [CHANGE_CIPHER_SPEC, HANDSHAKE, SERVER_HELLO] = [20, 22, 2];
/** More than of any handshake. */
const RECORDS = 2_000;
const ends: (() => unknown)[] = [];
let certificate: TestCertificate;

beforeAll(async () => {
  certificate = await makeCertificate('receiver.example.org');
});

afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A request to a receiver of which each connection is handled so, and how many there were when it had ended. */
async function post(handle: (connection: Socket) => void): Promise<{ end: OutboundEnd; connections: number }> {
  let connections = 0;
  const server = createServer((connection) => {
    connections += 1;
    connection.setNoDelay(true).on('error', () => undefined);
    ends.push(() => connection.destroy());
    handle(connection);
  });
  ends.push(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = new OutboundHttp({
    allowPrivate: true,
    refusedHosts: [],
    resolve: () => Promise.resolve(['127.0.0.1']),
    authorities: certificate.cert,
    // Where connections follow one another it ends the request, and not them.
    deadlineMs: 5_000,
  });
  ends.push(() => client.close());
  const url = `https://receiver.example.org:${(server.address() as AddressInfo).port}/`;
  const end = await client.post({ url, headers: {}, body: Buffer.from('{}') });
  return { end, connections };
}

/** A beginning of a handshake that goes on and on: each byte in a record of its own. */
function endlessHandshake(connection: Socket): void {
  const message = Buffer.alloc(RECORDS);
  message.writeUInt32BE(SERVER_HELLO * 2 ** 24 + 2 * RECORDS);
  const records = [...message].map((byte) => Buffer.of(HANDSHAKE, 3, 3, 0, 1, byte));
  connection.once('data', () => connection.write(Buffer.concat(records)));
}

/** As servers of mail do: over TLS 1.2 its first words come with the end of the handshake. */
function speaksFirst(connection: Socket): void {
  const held: Uint8Array[] = [];
  let isHeld = false;
  const below = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, written) => {
      isHeld ||= chunk[0] === CHANGE_CIPHER_SPEC;
      if (isHeld) held.push(chunk);
      else connection.write(chunk);
      written();
    },
  });
  connection.on('data', (chunk) => below.push(chunk));
  const secureOptions = constants.SSL_OP_NO_TICKET;
  const secureContext = createSecureContext({ ...certificate, maxVersion: 'TLSv1.2', secureOptions });
  const secured = new TLSSocket(below, { isServer: true, secureContext });
  secured.on('error', () => undefined);
  secured.on('secure', () => secured.write('* OK IMAP4rev1\r\n', () => connection.write(Buffer.concat(held))));
}

describe('a request that could not be written ends with its connection: no other one is made', () => {
  it.each([
    ['whose handshake is longer than any that is read', endlessHandshake, 'too long'],
    ['that speaks first', speaksFirst, 'bad response'],
  ])('to a receiver %s', async (_which, handle, reason) => {
    const { end, connections } = await post(handle);
    expect(end).toMatchObject({ error: 'no response', reason: expect.stringContaining(reason) });
    expect(connections).toBe(1);
  });
});
