import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { createServer as createTlsServer } from 'node:tls';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Canary } from '@switchboard/testing/canary';
import { closeOf, RawReceiver, response } from '../test/raw-receiver.js';
import { makeCertificate, type TestCertificate } from '../test/test-certificates.js';
import { OutboundHttp, type OutboundEnd } from './index.js';

const run = promisify(execFile);
const entry = join(import.meta.dirname, '..', 'dist', 'index.js');
const resolve = () => Promise.resolve(['127.0.0.1']);
const servers: Server[] = [];
let valid: TestCertificate;
let expired: TestCertificate;

beforeAll(async () => {
  valid = await makeCertificate('receiver.example.org');
  expired = await makeCertificate('receiver.example.org', new Date(Date.now() - 86_400_000));
});

afterAll(() => {
  for (const server of servers) server.close().closeAllConnections();
});

async function serverWith(certificate: TestCertificate, host = '127.0.0.1'): Promise<number> {
  const server = createServer({ ...certificate }, (_request, answer) => answer.end('ok'));
  servers.push(server);
  server.listen(0, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function postTo(port: number, name: string, authorities?: string): Promise<OutboundEnd> {
  const trust = authorities === undefined ? {} : { authorities };
  const client = new OutboundHttp({ allowPrivate: true, refusedHosts: [], resolve, ...trust });
  const end = await client.post({ url: `https://${name}:${port}/`, headers: {}, body: Buffer.from('{}') });
  await client.close();
  return end;
}

describe('TLS', () => {
  it('is verified against the name of the URL, though an address is connected', async () => {
    const port = await serverWith(valid);
    expect(await postTo(port, 'receiver.example.org', valid.cert)).toMatchObject({ state: 'answered', body: 'ok' });
    const other = await postTo(port, 'other.example.org', valid.cert);
    expect(other).toMatchObject({ state: 'failed', error: 'no response' });
    expect('reason' in other ? other.reason : '').toMatch(/ERR_TLS_CERT_ALTNAME_INVALID/);
  });

  it('is refused without a trusted authority, and with an expired certificate', async () => {
    expect(await postTo(await serverWith(valid), 'receiver.example.org')).toMatchObject({ error: 'no response' });
    const end = await postTo(await serverWith(expired), 'receiver.example.org', expired.cert);
    expect(end).toMatchObject({ error: 'no response', reason: expect.stringMatching(/CERT_HAS_EXPIRED/) });
  });
});

it('authorities that are given are trusted in addition to those of Node', async () => {
  const known = await makeCertificate('known.example.org');
  const folder = await mkdtemp(join(tmpdir(), 'authorities-'));
  const file = join(folder, 'known.pem');
  await writeFile(file, known.cert);
  const [knownPort, givenPort] = [await serverWith(known), await serverWith(valid)];
  const program = `
    import { OutboundHttp } from ${JSON.stringify(entry)};
    const resolve = async () => ['127.0.0.1'];
    const authorities = ${JSON.stringify(valid.cert)};
    const client = new OutboundHttp({ allowPrivate: true, refusedHosts: [], resolve, authorities });
    const post = (url) => client.post({ url, headers: {}, body: Buffer.from('{}') });
    const ends = [await post('https://known.example.org:${knownPort}/'), await post('https://receiver.example.org:${givenPort}/')];
    process.stdout.write(JSON.stringify(ends));
    await client.close();`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], {
    env: { NODE_EXTRA_CA_CERTS: file },
  });
  await rm(folder, { recursive: true });
  expect(JSON.parse(stdout)).toMatchObject([{ body: 'ok' }, { body: 'ok' }]);
});

it('a host of ours at the usual port of https is refused by each connection, where the URL names no port', async () => {
  const refusedHosts = [{ host: 'own.example.org', port: 443 }];
  const client = new OutboundHttp({ allowPrivate: true, refusedHosts, resolve });
  const end = await client.post({ url: 'https://own.example.org/', headers: {}, body: Buffer.from('{}') });
  expect(end).toMatchObject({ state: 'failed', error: 'url not allowed' });
  await client.close();
});

describe('a name with two addresses', () => {
  it('has the reasons of both in the log: what is wrong at the first one is not hidden by a closed port at the other', async () => {
    const port = await serverWith(expired);
    const options = { allowPrivate: true, refusedHosts: [], authorities: expired.cert };
    const client = new OutboundHttp({ ...options, resolve: () => Promise.resolve(['127.0.0.1', '127.0.0.2']) });
    const url = `https://receiver.example.org:${port}/`;
    const end = await client.post({ url, headers: {}, body: Buffer.from('{}') });
    await client.close();
    const reason = expect.stringMatching(/^127\.0\.0\.1: CERT_HAS_EXPIRED: .+; 127\.0\.0\.2: ECONNREFUSED: .+/);
    expect(end).toMatchObject({ error: 'no response', reason });
  });
});

it('for which this process has no descriptor left is never sent: the receiver has no part in it', async () => {
  const port = await serverWith(valid);
  const program = `
    import { openSync } from 'node:fs';
    import { OutboundHttp } from ${JSON.stringify(entry)};
    const client = new OutboundHttp({ allowPrivate: true, refusedHosts: [] });
    try {
      for (;;) openSync('/dev/null', 'r');
    } catch {
      const end = await client.post({ url: 'https://127.0.0.1:${port}/', headers: {}, body: Buffer.from('{}') });
      process.stdout.write(JSON.stringify(end), () => process.exit());
    }`;
  const node = ['--input-type=module', '-e', program];
  const { stdout } = await run('/bin/sh', ['-c', 'ulimit -n 100 && exec "$0" "$@"', process.execPath, ...node]);
  expect(JSON.parse(stdout)).toMatchObject({ error: 'never sent', reason: expect.stringMatching(/EMFILE/) });
});

describe('a connection over TLS 1.2', () => {
  it('has one handshake: the receiver has no other one made', async () => {
    const { promise: handshake, resolve: handshakeEnded } = Promise.withResolvers<'made' | 'refused'>();
    const server = createTlsServer({ ...valid, maxVersion: 'TLSv1.2' }, (socket) => {
      socket.on('error', () => handshakeEnded('refused')).on('close', () => handshakeEnded('refused'));
      socket.once('data', () => socket.renegotiate({}, (error) => handshakeEnded(error === null ? 'made' : 'refused')));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const client = new OutboundHttp({
      allowPrivate: true,
      refusedHosts: [],
      resolve,
      authorities: valid.cert,
      deadlineMs: 3_000,
    });
    const url = `https://receiver.example.org:${port}/`;
    const end = await client.post({ url, headers: {}, body: Buffer.from('{}') });
    expect([await handshake, end.state]).toEqual(['refused', 'failed']);
    await client.close();
    server.close();
  });
});

describe('an address that is silent in the handshake', () => {
  it('gives way to the next one, and its connection is closed then', async () => {
    const port = await serverWith(valid, '127.0.0.2');
    const silent = Promise.withResolvers<Socket>();
    const server = createTcpServer((socket) => silent.resolve(socket.on('error', () => undefined).resume()));
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const client = new OutboundHttp({
      allowPrivate: true,
      refusedHosts: [],
      resolve: () => Promise.resolve(['127.0.0.1', '127.0.0.2']),
      authorities: valid.cert,
      // Undici closes it by itself only then.
      deadlineMs: 600_000,
    });
    const url = `https://receiver.example.org:${port}/`;
    expect(await client.post({ url, headers: {}, body: Buffer.from('{}') })).toMatchObject({ body: 'ok' });
    await closeOf(await silent.promise);
    await client.close();
    server.close();
  });
});

describe('an address that is slow in the handshake', () => {
  it('has the rest of the time, next to the next one, which refuses', async () => {
    const receiver = await serverWith(valid);
    const { promise: nextTried, resolve: nextIsTried } = Promise.withResolvers<void>();
    const slow = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      void nextTried.then(() => socket.pipe(connect(receiver, '127.0.0.1')).pipe(socket));
    });
    slow.listen(0, '127.0.0.1');
    await once(slow, 'listening');
    const { port } = slow.address() as AddressInfo;
    const refusing = createTcpServer((socket) => void socket.on('close', nextIsTried).resetAndDestroy());
    refusing.listen(port, '127.0.0.2');
    await once(refusing, 'listening');
    const addresses = () => Promise.resolve(['127.0.0.1', '127.0.0.2']);
    const options = { allowPrivate: true, refusedHosts: [], authorities: valid.cert, resolve: addresses };
    const client = new OutboundHttp(options);
    const url = `https://receiver.example.org:${port}/`;
    expect(await client.post({ url, headers: {}, body: Buffer.from('{}') })).toMatchObject({ body: 'ok' });
    await client.close();
    slow.close();
    refusing.close();
  });
});

describe('the environment', () => {
  it('sets no proxy, and does not switch the verification of certificates off', async () => {
    const [proxy, receiver, port] = await Promise.all([
      Canary.start(),
      RawReceiver.start((socket) => socket.write(response(200, [], 'direct'))),
      serverWith(valid),
    ]);
    const program = `
      import { OutboundHttp } from ${JSON.stringify(entry)};
      const client = new OutboundHttp({ allowPrivate: true, refusedHosts: [], resolve: async () => ['127.0.0.1'] });
      const post = (url) => client.post({ url, headers: {}, body: Buffer.from('{}') });
      const ends = [await post('http://127.0.0.1:${receiver.port}/'), await post('https://receiver.example.org:${port}/')];
      process.stdout.write(JSON.stringify(ends));
      await client.close();`;
    const address = `http://127.0.0.1:${proxy.port}`;
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], {
      env: {
        ...Object.fromEntries(names.map((name) => [name, address])),
        NODE_USE_ENV_PROXY: '1',
        NODE_TLS_REJECT_UNAUTHORIZED: '0',
      },
    });
    expect(JSON.parse(stdout)).toMatchObject([
      { state: 'answered', body: 'direct' },
      { state: 'failed', error: 'no response' },
    ]);
    expect(proxy.seen().connections).toBe(0);
    await Promise.all([proxy.stop(), receiver.stop()]);
  });
});
