import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@switchboard/testing/eventually';
import { Api } from './api.js';
import { appClient } from './app-client.js';
import { ask, sendBytes } from './canary-requests.js';
import { PipelinedLoad } from './pipelined-load.js';

const HEAD = 'GET /v1/ping HTTP/1.1\r\nHost: x\r\n\r\n';

describe('an answer that no description knows', () => {
  let server: Server;
  let baseUrl: string;

  beforeAll(async () => {
    server = createServer((_request, response) => {
      const body = Buffer.from('{"ok":"é"}');
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });

  it('fails the test that asked for it, in whichever way it asked', async () => {
    const request = { method: 'GET', target: '/v1/ping', headers: {}, body: null };
    await expect(new Api(baseUrl, 'key').get('/v1/ping')).rejects.toThrow('not answered as described');
    await expect(ask(baseUrl, request)).rejects.toThrow('not answered as described');
    await expect(sendBytes(baseUrl, HEAD)).rejects.toThrow('it was 200 {"ok":"é"}');
    await expect(appClient(baseUrl).get('/app/api/session')).rejects.toThrow('not answered as described');
    const load = new PipelinedLoad({ url: baseUrl, head: HEAD }, 1, 2);
    await eventually(() => load.requests.some(({ status }) => status === 200) || undefined);
    await expect(load.stop()).rejects.toThrow('200: the header x-request-id is missing');
  });

  it('does not apply outside of the APIs', async () => {
    expect(await sendBytes(baseUrl, HEAD.replace('/v1/ping', '/health/ready'))).toBe(200);
    expect((await appClient(baseUrl).get('/app/apis')).status).toBe(200);
  });
});
