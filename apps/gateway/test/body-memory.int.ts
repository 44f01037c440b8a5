import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually, testServers } from '@switchboard/testing';
import { bootGateway, issueKey, sendRaw, type RawAnswer, type TestGateway } from './gateway-harness.js';

const servers = testServers();
let booted: TestGateway;
beforeAll(async () => {
  // Longer than any of these bodies is held.
  booted = await bootGateway(servers, { GATEWAY_REQUEST_TIMEOUT_MS: '300000' });
});

/** A signature of the right form, and the provider's is not known before the end. */
const SIGNED_HEAD = `POST /upstream/cloud/callbacks HTTP/1.1\r\nHost: x\r\nX-Hub-Signature-256: sha256=${'0'.repeat(64)}\r\n`;
const CALLBACK_HEAD = `${SIGNED_HEAD}Transfer-Encoding: chunked\r\n\r\n`;
const chunksOf = (count: number): string => '1\r\na\r\n'.repeat(count);

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
/** The memory in which the parser has handed on each part of a body, as long as something keeps it or a view of it. */
let parts: WeakRef<ArrayBufferLike>[] = [];
/** After a collection. To look for all Buffers of the process would take a minute late in a worker's life. */
function partsKept(): number {
  collectGarbage();
  return parts.filter((part) => part.deref() !== undefined).length;
}
const { push } = IncomingMessage.prototype;
IncomingMessage.prototype.push = function (part: unknown, encoding?: BufferEncoding): boolean {
  if (Buffer.isBuffer(part)) parts.push(new WeakRef(part.buffer));
  return push.call(this, part, encoding);
};
afterAll(() => {
  IncomingMessage.prototype.push = push;
});

/** Where the gateway has a connection, and the request on it, by the client's port. */
const accepted = new Map<number | undefined, Socket>();
const begun = new Map<number | undefined, IncomingMessage>();
const onSocket = (message: unknown): void => {
  const { socket } = message as { readonly socket: Socket };
  accepted.set(socket.remotePort, socket);
};
const onRequest = (message: unknown): void => {
  const { request } = message as { readonly request: IncomingMessage };
  begun.set(request.socket.remotePort, request);
};
subscribe('net.server.socket', onSocket);
subscribe('http.server.request.start', onRequest);
afterAll(() => {
  unsubscribe('net.server.socket', onSocket);
  unsubscribe('http.server.request.start', onRequest);
});

/** A connection with what was written to it, from both of its ends. */
interface Connected {
  readonly bytes: string;
  readonly client: Socket;
  readonly server: Socket;
  readonly request: IncomingMessage;
}

/** Writes to a connection of its own; there is a head in the bytes. */
async function connected(bytes: string): Promise<Connected> {
  const { hostname, port } = new URL(booted.gateway.url);
  const client = connect(Number(port), hostname);
  await once(client, 'connect');
  const { localPort } = client;
  client.write(bytes);
  const request = await eventually(() => begun.get(localPort));
  const server = await eventually(() => accepted.get(localPort));
  client.once('close', () => {
    begun.delete(localPort);
    accepted.delete(localPort);
  });
  return { bytes, client, server, request };
}

/** The gateway has taken every byte out of the connection, and out of the request. */
const isTaken = ({ bytes, server, request }: Connected): boolean =>
  server.bytesRead === bytes.length && request.readableDidRead && request.readableLength === 0;

it('is not held in a Buffer for each chunk that it came in', async () => {
  parts = [];
  const body = await connected(CALLBACK_HEAD + chunksOf(9_000));
  await eventually(() => isTaken(body));
  await turn();
  expect(parts.length).toBe(9_000);
  expect(partsKept()).toBeLessThan(500);
  body.client.destroy();
});

it('is refused once it comes in absurdly small chunks', async () => {
  const [answer] = await sendRaw(booted.gateway.url, CALLBACK_HEAD + chunksOf(100_000));
  expect([answer?.status, JSON.parse(answer?.body ?? '')]).toEqual([
    400,
    {
      error: { code: 'VALIDATION_FAILED', message: 'The body comes in too many chunks; 4 bytes in each are the least' },
    },
  ]);
});

it('is read no further than one reading of the socket before the gateway wants it', async () => {
  const { secret } = await issueKey(booted.database);
  // The seventeenth bulk send of an organization waits unread until another has ended.
  const head = `POST /v1/templates/send HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\nContent-Type: application/json\r\n`;
  const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n`;
  const reading = await Promise.all(Array.from({ length: 16 }, () => connected(`${chunked}1\r\n{\r\n`)));
  await eventually(() => reading.every(isTaken));
  parts = [];
  const waiting = await connected(chunked);
  for (let part = 0; part < 60; part++) {
    waiting.client.write(chunksOf(1_000));
    await turn();
  }
  await eventually(() => waiting.server.bytesRead > chunked.length);
  for (let more = 0; more < 100; more++) await turn();
  expect([waiting.request.readableDidRead, parts.length > 0]).toEqual([false, true]);
  expect(partsKept()).toBeLessThan(15_000);
  for (const { client } of [...reading, waiting]) client.destroy();
});

it('is refused before it is read when it is a callback without a signature', async () => {
  const unsigned = CALLBACK_HEAD.replace(/X-Hub.*\r\n/, '');
  for (const head of [unsigned, unsigned.replace('Host: x', 'Host: x\r\nX-Hub-Signature-256: sha256=none')]) {
    const [answer] = await sendRaw(booted.gateway.url, `${head}5\r\n`);
    expect([answer?.status, JSON.parse(answer?.body ?? '')]).toMatchObject([403, { error: { code: 'FORBIDDEN' } }]);
  }
});

it('is bounded together with the others of its organization or network, and frees its place', async () => {
  const { secret } = await issueKey(booted.database);
  const other = await issueKey(booted.database);
  const headOf = (key: string, bytes: number): string =>
    `POST /v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`;
  const all = 1_000_000;
  const part = '{'.padEnd(all - 1);
  // Of each 64 KiB are free.
  const holding = await Promise.all(Array.from({ length: 8 }, () => connected(headOf(secret, all) + part)));
  await eventually(() => holding.every(isTaken));
  const send = async (key: string): Promise<RawAnswer | undefined> => {
    const [answer] = await sendRaw(booted.gateway.url, headOf(key, all) + '{}'.padEnd(all));
    return answer;
  };
  const refused = await send(secret);
  expect([refused?.status, refused?.headers.get('retry-after')]).toEqual([429, '1']);
  expect((await send(other.secret))?.status).toBe(400);
  // What is small is taken all the same.
  const [small] = await sendRaw(booted.gateway.url, `${headOf(secret, 60_000)}${'{}'.padEnd(60_000)}`);
  expect(small?.status).toBe(400);
  for (const { client } of holding) client.destroy();
  await eventually(async () => (await send(secret))?.status === 400);

  const bytes = 4_000_000;
  const callback = `${SIGNED_HEAD}Content-Length: ${bytes}\r\n\r\n`;
  const open = await Promise.all(Array.from({ length: 4 }, () => connected(callback + 'a'.repeat(bytes - 1))));
  await eventually(() => open.every(isTaken));
  const [full] = await sendRaw(booted.gateway.url, callback + 'a'.repeat(bytes - 1));
  expect([full?.status, full?.headers.get('retry-after')]).toEqual([503, '1']);
  const [ordinary] = await sendRaw(
    booted.gateway.url,
    `${SIGNED_HEAD}Content-Length: 60000\r\n\r\n${'a'.repeat(60_000)}`,
  );
  expect(ordinary?.status).toBe(403);
  expect((await send(secret))?.status).toBe(400);
  for (const { client } of open) client.destroy();
});
