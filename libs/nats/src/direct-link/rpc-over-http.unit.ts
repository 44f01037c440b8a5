import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { resolveContactsRpc as rpc } from '@switchboard/contracts/contacts/rpc';
import { headers } from '@nats-io/transport-node';
import type { RpcServerStrategy } from '../rpc-server.strategy.js';
import { callerToken, type Announcement } from './announcement.js';
import type { Directory } from './directory.js';
import { RpcOverHttp } from './rpc-over-http.client.js';
import { RPC_PATH, RpcOverHttpServer } from './rpc-over-http.server.js';

const SECRET = 'the password of contacts';
const envelope = { rpc, payload: '{}', headers: headers() };
const servers: Server[] = [];
const clients: RpcOverHttp[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function listen(server: Server): Promise<string> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A process that has read the whole of a request. @param taken counts them */
function processThat(answers: (response: ServerResponse) => void, taken: string[] = []): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      taken.push(request.url ?? '');
      answers(response);
    });
  });
  return listen(server);
}

function clientOf(urls: readonly string[]): RpcOverHttp {
  const addresses = (): Announcement[] => urls.map((url) => ({ url, token: 't', isStart: false }));
  const client = new RpcOverHttp({ addresses } as Partial<Directory> as Directory);
  clients.push(client);
  return client;
}

const ok = (response: ServerResponse): void => void response.end('{"ok":"second"}');

describe('an rpc over HTTP', () => {
  it('is asked of the next process when one turns it away', async () => {
    const [first, second] = [await processThat((response) => response.writeHead(503).end('{}')), await processThat(ok)];
    expect(await clientOf([first, second]).ask(envelope, 60_000)).toEqual({ ok: 'second' });
  });

  it('is asked of no other when the connection broke that has carried it: it may have had its effect', async () => {
    const taken: string[] = [];
    const first = await processThat((response) => response.destroy(), taken);
    const second = await processThat(ok, taken);
    const asked = clientOf([first, second]).ask(envelope, 60_000);
    await expect(asked).rejects.toMatchObject({ effect: 'unknown', cause: { name: 'LinkLost' } });
    expect(taken).toEqual([RPC_PATH + rpc.subject]);
  });

  it('ends at its deadline, with an unknown effect', async () => {
    const asked = clientOf([await processThat(() => undefined)]).ask(envelope, 200);
    await expect(asked).rejects.toMatchObject({ effect: 'unknown', cause: { name: 'TimeoutError' } });
  });

  it('is turned away when its body is larger than a message of NATS may be', async () => {
    const given: number[] = [];
    const answerDirectly: RpcServerStrategy['answerDirectly'] = async (_subject, _headers, text) => {
      given.push(text.length);
      return '{"ok":"taken"}';
    };
    const strategy = { answerDirectly } as Partial<RpcServerStrategy> as RpcServerStrategy;
    const http = new RpcOverHttpServer(strategy, { service: 'contacts', secret: SECRET });
    const url = await listen(createServer((request, response) => void http.handle(request, response)));
    const authorization = `Bearer ${callerToken(SECRET, 'contacts', 'messaging')}`;
    const statusOf = async (bytes: number): Promise<number> => {
      const request = { method: 'POST', headers: { authorization }, body: 'x'.repeat(bytes) };
      return (await fetch(url + RPC_PATH + rpc.subject, request)).status;
    };
    const most = 1024 * 1024;
    expect([await statusOf(most), await statusOf(most + 1), await statusOf(8 * most)]).toEqual([200, 413, 413]);
    expect(given).toEqual([most]);
  });
});
