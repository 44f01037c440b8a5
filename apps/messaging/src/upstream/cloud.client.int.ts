import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { CloudClient } from './cloud.client.js';
import type { UpstreamText } from './upstream.js';

const text: UpstreamText = {
  phoneNumberId: '106540352242922',
  accessToken: 'token',
  to: '+14155550123',
  text: 'hello',
  reference: 'c0123456789abcdefghijklmn',
};
const patient = new AbortController().signal;

describe('a request to the provider', () => {
  const closing: (() => Promise<unknown>)[] = [];

  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  it('that finds every connection in use is not taken, and leaves nothing behind', async () => {
    const seen: string[] = [];
    const url = await listen((path) => void seen.push(path));
    const client = clientOf(url, 1);
    const open = client.sendText(text, patient);
    expect(await client.sendText(text, patient)).toMatchObject({ state: 'not-taken', code: 'UPSTREAM_UNREACHABLE' });
    expect(await open).toEqual({ state: 'unknown', reason: expect.stringMatching(/no answer/) });
    expect(seen).toEqual(['/v23.0/106540352242922/messages']);
  });

  it('that finds nobody listening is not taken', async () => {
    const url = await listen(() => undefined);
    await closing.pop()?.();
    expect(await clientOf(url, 8).sendText(text, patient)).toMatchObject({ state: 'not-taken', retry: 'normal' });
  });

  it('that was delivered and cut has an unknown outcome', async () => {
    const url = await listen((_path, cut) => cut());
    expect(await clientOf(url, 8).sendText(text, patient)).toMatchObject({ state: 'unknown' });
  });

  it('that must not begin any more is not taken', async () => {
    const seen: string[] = [];
    const url = await listen((path) => void seen.push(path));
    expect(await clientOf(url, 8).sendText(text, AbortSignal.abort())).toMatchObject({ state: 'not-taken' });
    expect(seen).toEqual([]);
  });

  function clientOf(baseUrl: string, connectionsMax: number): CloudClient {
    const client = new CloudClient({ baseUrl, version: 'v23.0', connectionsMax, requestDeadlineMs: 300 });
    closing.push(() => client.close());
    return client;
  }

  /** A provider that takes requests and never answers. */
  async function listen(onRequest: (path: string, cut: () => void) => void): Promise<string> {
    const server: Server = createServer((request) => {
      request.resume().on('end', () => onRequest(request.url ?? '', () => request.socket.destroy()));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
});
