import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import { beforeAll, expect, it } from '@jest/globals';
import { eventually, testServers } from '@switchboard/testing';
import { bootGateway, issueKey, sendRaw, type TestGateway } from './gateway-harness.js';

const servers = testServers();
let booted: TestGateway;
beforeAll(async () => {
  booted = await bootGateway(servers);
});

const CALLBACK_HEAD = 'POST /upstream/cloud/callbacks HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
const chunksOf = (count: number): string => '1\r\na\r\n'.repeat(count);
/** After a collection. */
const buffersKept = (): number => queryObjects(Buffer, { format: 'count' });

/** Writes to a connection of its own. @returns both of its ends */
async function connected(bytes: string): Promise<{ readonly client: Socket; readonly server: Socket }> {
  const accepted = Promise.withResolvers<Socket>();
  const onSocket = (message: unknown): void => accepted.resolve((message as { socket: Socket }).socket);
  subscribe('net.server.socket', onSocket);
  const { hostname, port } = new URL(booted.gateway.url);
  const client = connect(Number(port), hostname);
  await once(client, 'connect');
  client.write(bytes);
  const server = await accepted.promise;
  unsubscribe('net.server.socket', onSocket);
  return { client, server };
}

it('is not held in a Buffer for each chunk that it came in', async () => {
  const before = buffersKept();
  const bytes = CALLBACK_HEAD + chunksOf(9_000);
  const { client, server } = await connected(bytes);
  await eventually(() => server.bytesRead === bytes.length);
  await turn();
  expect(buffersKept() - before).toBeLessThan(500);
  client.destroy();
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
  await eventually(() => reading.every(({ server }) => server.bytesRead > chunked.length));
  const before = buffersKept();
  const waiting = await connected(chunked);
  for (let part = 0; part < 60; part++) {
    waiting.client.write(chunksOf(1_000));
    await turn();
  }
  for (let more = 0; more < 100; more++) await turn();
  expect(buffersKept() - before).toBeLessThan(15_000);
  for (const { client } of [...reading, waiting]) client.destroy();
});
