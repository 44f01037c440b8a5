import { once } from 'node:events';
import { connect, createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import tls, { type TLSSocket, type TlsOptions } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { closeOf } from '../test/raw-receiver.js';
import { makeCertificate, type TestCertificate } from '../test/test-certificates.js';
import { startTls13Receiver, type Tls13Connection } from '../test/tls13-receiver.js';
import { OutboundHttp, type OutboundEnd } from './index.js';

/** Ends what is not cut: longer than a busy machine holds up what is. */
const deadlineMs = 60_000;
const APPLICATION_DATA = 23;
const renegotiationsMax = tls.CLIENT_RENEG_LIMIT;
const ends: (() => unknown)[] = [];
let certificate: TestCertificate;
let client: OutboundHttp;

beforeAll(async () => {
  certificate = await makeCertificate('receiver.example.org');
  const resolve = () => Promise.resolve(['127.0.0.1']);
  client = new OutboundHttp({
    allowPrivate: true,
    refusedHosts: [],
    deadlineMs,
    resolve,
    authorities: certificate.cert,
  });
});

afterEach(() => {
  for (const end of ends.splice(0)) end();
});

afterAll(() => client.close());

async function portOf(server: Server): Promise<number> {
  ends.push(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** @param answer to each request, by its number on the connection */
async function receiver(
  answer: (socket: TLSSocket, request: number) => void,
  options: TlsOptions = {},
): Promise<number> {
  const server = tls.createServer({ ...certificate, ...options }, (socket) => {
    let requests = 0;
    socket
      .setNoDelay(true)
      .setMaxListeners(0)
      .on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      if (bytes.toString('latin1').endsWith('{"n":1}')) answer(socket, ++requests);
    });
  });
  return portOf(server);
}

function post(port: number): Promise<OutboundEnd> {
  return client.post({ url: `https://receiver.example.org:${port}/`, headers: {}, body: Buffer.from('{"n":1}') });
}

/** Each part in a record of its own, with a turn of the event loop for whoever reads. */
async function writeRecords(socket: Socket, parts: Iterable<string | Buffer>): Promise<void> {
  for (const part of parts) {
    if (socket.destroyed) return;
    await new Promise((written) => socket.write(part, written));
    await setImmediate();
  }
}

function* recordsOf(head: string, part: string, count: number): Generator<string> {
  yield head;
  for (let n = 0; n < count; n += 1) yield part;
}

/** Between both ends of connections: hands on what comes from the receiver, and from us until it is deaf. */
async function between(port: number, isDeaf: () => boolean): Promise<{ port: number; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server = createTcpServer((ours) => {
    const theirs = connect(port, '127.0.0.1');
    sockets.push(ours);
    ours.on('data', (bytes) => isDeaf() || theirs.write(bytes));
    theirs.on('data', (bytes: Buffer) => {
      // Byte by byte: records come in parts.
      for (const byte of bytes) ours.write(Buffer.of(byte));
    });
    for (const socket of [ours, theirs]) {
      socket.setNoDelay(true).on('error', () => undefined);
      ends.push(() => socket.destroy());
    }
  });
  return { port: await portOf(server), sockets };
}

/** @param answer to each request: records, of which some change the keys; none are written once the connection is closed */
async function changingReceiver(answer: (connection: Tls13Connection) => Iterable<Buffer>): Promise<number> {
  const { server, port } = await startTls13Receiver(certificate, (connection, bytes) => {
    if (bytes.toString('latin1').endsWith('{"n":1}')) void writeRecords(connection.socket, answer(connection));
  });
  ends.push(() => server.close());
  return port;
}

function* keyUpdates(connection: Tls13Connection, count: number): Generator<Buffer> {
  for (let n = 0; n < count; n += 1) yield connection.keyUpdate();
}

describe('a response over TLS', () => {
  it('ends with its connection when the receiver asks for one handshake after another', async () => {
    let isDeaf = false;
    const askOn = (socket: TLSSocket): void => {
      if (socket.destroyed) return;
      socket.renegotiate({}, () => undefined);
      void setImmediate(socket).then(askOn);
    };
    const port = await receiver(
      (socket) => {
        // It would end at our refusal.
        isDeaf = true;
        askOn(socket);
      },
      { maxVersion: 'TLSv1.2' },
    );
    const { port: open, sockets } = await between(port, () => isDeaf);
    Object.assign(tls, { CLIENT_RENEG_LIMIT: Infinity });
    ends.push(() => Object.assign(tls, { CLIENT_RENEG_LIMIT: renegotiationsMax }));
    expect(await post(open)).toMatchObject({ error: 'no response', reason: expect.stringContaining('too long') });
    await closeOf(sockets[0]);
  });

  it('ends with its connection at once when it is no record of TLS', async () => {
    const port = await receiver(() => void sockets[0]?.write(Buffer.of(APPLICATION_DATA, 3, 3, 0, 1, 0)));
    const { port: open, sockets } = await between(port, () => false);
    expect(await post(open)).toMatchObject({ error: 'no response', reason: expect.stringContaining('ERR_SSL') });
    await closeOf(sockets[0]);
  });

  it('ends with its connection when it comes in more records than any that is read', async () => {
    const flood = recordsOf('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;', 'a', 2_000);
    const closed = Promise.withResolvers<void>();
    const port = await receiver((socket) => {
      void closeOf(socket).then(closed.resolve);
      void writeRecords(socket, flood);
    });
    expect(await post(port)).toMatchObject({ status: 200, reason: expect.stringContaining('too long') });
    await closed.promise;
  });

  it('is read around changes of keys, and each response of a connection may have its own', async () => {
    const connections = new Set<Tls13Connection>();
    const port = await changingReceiver(function* (connection) {
      connections.add(connection);
      yield* keyUpdates(connection, 20);
      yield connection.data('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n');
      yield* keyUpdates(connection, 200);
      yield connection.data('done');
    });
    for (let n = 0; n < 4; n += 1) {
      expect(await post(port)).toMatchObject({ state: 'answered', status: 200, body: 'done' });
    }
    expect(connections.size).toBeLessThanOrEqual(2);
  });

  it('ends with its connection when keys change again and again', async () => {
    const closed = Promise.withResolvers<void>();
    let changes = 0;
    const port = await changingReceiver(function* (connection) {
      void closeOf(connection.socket).then(closed.resolve);
      for (; changes < 100_000; changes += 1) yield connection.keyUpdate();
      yield connection.data('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    });
    expect(await post(port)).toMatchObject({ error: 'no response', reason: expect.stringContaining('too long') });
    await closed.promise;
    expect(changes).toBeLessThan(100_000);
  });

  it('may come in hundreds of records, and each response of a connection has its own', async () => {
    const text = 'x'.repeat(50);
    const connections = new Set<TLSSocket>();
    const port = await receiver((socket) => {
      connections.add(socket);
      void writeRecords(socket, recordsOf('HTTP/1.1 200 OK\r\ncontent-length: 8000\r\n\r\n', text, 160));
    });
    const { port: open } = await between(port, () => false);
    for (let n = 0; n < 5; n += 1) {
      expect(await post(open)).toMatchObject({ state: 'answered', status: 200, body: 'x'.repeat(1_024), isCut: false });
    }
    expect(connections.size).toBeLessThanOrEqual(2);
  });
});
