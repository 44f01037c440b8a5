import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { resolveContactsRpc as rpc } from '@switchboard/contracts/contacts/rpc';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import { Announcer, Budget, DirectLink, LinkState, RpcClient, type NatsConnection } from '@switchboard/nats';
import { testServers, type TestNats } from '../index.js';

const servers = testServers();
const principal = systemPrincipal('corg', 'test');
const request = { sightings: [] };
const answer = { contacts: [] };

describe('an rpc whose process is killed before it answers', () => {
  let nats: TestNats;
  let client: RpcClient;
  const ending: (() => unknown)[] = [];
  /** The ids of the calls that were taken, each try. */
  const calls: (string | undefined)[] = [];

  beforeAll(async () => {
    nats = await servers.nats();
    const connection = await nats.connect('messaging');
    const link = new LinkState(connection);
    const starts = new DirectLink(connection, link, 'messaging');
    client = new RpcClient(connection, { link, starts });
    await connection.flush();
    servers.onEnd(() => starts.close());
  });
  afterEach(async () => {
    calls.length = 0;
    for (const end of ending.splice(0)) await end();
  });

  it('is asked again under the same id as soon as the next process starts, and not at the end of its deadline', async () => {
    const { taken } = await takeAndDie();
    const asked = client.call(rpc, principal, request, { deadlineMs: 60_000 });
    await taken;
    await start();
    expect(await asked).toEqual(answer);
    expect(calls).toEqual([expect.stringMatching(/^c[0-9a-z]+$/), calls[0]]);
  });

  it('is reported then to the owner of its budget, who asks again', async () => {
    const { taken } = await takeAndDie();
    const asked = client.call(rpc, principal, request, { deadlineMs: 60_000, budget: new Budget(60_000) });
    await taken;
    await start();
    await expect(asked).rejects.toMatchObject({ name: 'RpcUnanswered', effect: 'unknown' });
    const again = { deadlineMs: 60_000, budget: new Budget(60_000) };
    expect(await client.call(rpc, principal, request, again)).toEqual(answer);
  });

  /** A process that takes one request, and is gone then. */
  async function takeAndDie(): Promise<{ readonly taken: Promise<void> }> {
    const connection = await nats.connect('contacts');
    const { promise, resolve } = Promise.withResolvers<void>();
    connection.subscribe(rpc.subject, {
      queue: 'contacts',
      callback: (_error, { headers }) => {
        calls.push(headers?.get('Switchboard-Call'));
        resolve(connection.close());
      },
    });
    await connection.flush();
    return { taken: promise };
  }

  async function start(): Promise<NatsConnection> {
    const connection = await nats.connect('contacts');
    const reply = JSON.stringify({ ok: answer });
    connection.subscribe(rpc.subject, {
      queue: 'contacts',
      callback: (_error, message) => {
        calls.push(message.headers?.get('Switchboard-Call'));
        message.respond(reply);
      },
    });
    const link = new LinkState(connection);
    const own = { service: 'contacts', secret: 'secret', url: 'http://127.0.0.1:1' };
    const announcer = new Announcer({ connection, link, ...own });
    announcer.start();
    ending.push(
      () => announcer.stop(),
      () => connection.close(),
    );
    return connection;
  }
});
