import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { resolveContactsRpc as rpc } from '@switchboard/contracts/contacts/rpc';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import {
  Announcer,
  Budget,
  DEADLINE_HEADER,
  DirectLink,
  LinkState,
  RPC_PATH,
  RpcOverHttpServer,
  RpcServerStrategy,
  type RpcCall,
} from '@switchboard/nats';
import { InternalServer, rpcFailure } from '@switchboard/platform';
import { eventually, testServers, type OwnTestNats } from '../index.js';
import { patientBudget } from '../patient-budget.js';
import { AskingClient } from './asking-client.js';

const servers = testServers({ ownNats: true });
const principal = systemPrincipal('corg', 'test');
const request = { sightings: [] };
const SECRET = 'the password of contacts';

/** A process of contacts that answers with its name. */
interface Process {
  readonly url: string;
  readonly calls: RpcCall<unknown>[];
  close(): Promise<void>;
}

describe('an rpc while NATS is away', () => {
  let nats: OwnTestNats;
  let client: AskingClient;
  let direct: DirectLink;
  let link: LinkState;
  const processes: Process[] = [];

  beforeAll(async () => {
    nats = await servers.ownNats();
    const connection = await nats.connect('messaging');
    link = new LinkState(connection);
    direct = new DirectLink(connection, link, 'messaging');
    client = new AskingClient(connection, { link, direct });
    servers.onEnd(() => direct.close());
  });
  afterEach(async () => {
    await Promise.all(processes.splice(0).map((process) => process.close()));
    await nats.server.restart('kill');
    await eventually(() => !link.isAway);
  });

  const startProcess = async (name: string, port = 0): Promise<Process> => {
    const connection = await nats.connect('contacts');
    const calls: RpcCall<unknown>[] = [];
    const strategy = new RpcServerStrategy({
      connection,
      service: 'contacts',
      inFlightMax: 10,
      failureOf: (error) => rpcFailure(error instanceof AppError ? error : new AppError(serviceErrors.INTERNAL)),
    });
    strategy.addHandler(rpc.subject, async (call: RpcCall<unknown>) => (calls.push(call), name));
    strategy.listen(() => undefined);
    const http = new RpcOverHttpServer(strategy, { service: 'contacts', secret: SECRET });
    const routes = { [RPC_PATH]: http.handle.bind(http) };
    const internal = new InternalServer({ checks: {}, metrics: undefined, routes });
    const url = await internal.listen('127.0.0.1', port);
    const own = new LinkState(connection);
    const announcer = new Announcer({ connection, link: own, service: 'contacts', secret: SECRET, url });
    announcer.start();
    const close = async (): Promise<void> => {
      announcer.stop();
      await strategy.close();
      await internal.close();
    };
    const process = { url, calls, close };
    processes.push(process);
    return process;
  };
  const away = async (): Promise<void> => {
    await nats.server.kill();
    await eventually(() => link.isAway);
  };

  it('goes directly to a process that had announced itself, with principal and request, and over NATS again after', async () => {
    const process = await startProcess('first');
    await eventually(() => direct.known('contacts').includes(process.url));
    await away();
    expect(await client.call(rpc, principal, request)).toBe('first');
    const callId = expect.stringMatching(/^c[0-9a-z]+$/);
    expect(process.calls).toEqual([{ principal, request, budget: expect.any(Budget), callId }]);
    await nats.server.restart('kill');
    await eventually(() => !link.isAway);
    await process.close();
    await startProcess('second');
    expect(await client.call(rpc, principal, request)).toBe('second');
  });

  it('in parts has its answer in one piece directly, however large a message of NATS may be', async () => {
    const name = 'x'.repeat(2 * 1024 * 1024);
    const process = await startProcess(name);
    await eventually(() => direct.known('contacts').includes(process.url));
    await away();
    expect(await client.call({ ...rpc, inParts: true }, principal, request)).toBe(name);
  });

  it('that was under way when NATS went is asked again directly', async () => {
    const process = await startProcess('direct');
    await eventually(() => direct.known('contacts').includes(process.url));
    // A server that stands still takes the request and never hands it on.
    globalThis.process.kill(nats.server.pid, 'SIGSTOP');
    const asked = client.call(rpc, principal, request, { deadlineMs: 20_000 });
    await nats.server.kill();
    expect(await asked).toBe('direct');
    expect(process.calls).toHaveLength(1);
  });

  it('that was under way when NATS went is reported, not repeated, when another owns its budget', async () => {
    const process = await startProcess('direct');
    await eventually(() => direct.known('contacts').includes(process.url));
    globalThis.process.kill(nats.server.pid, 'SIGSTOP');
    const asked = client.call(rpc, principal, request, { budget: new Budget(20_000) });
    await nats.server.kill();
    await expect(asked).rejects.toMatchObject({ name: 'RpcUnanswered', effect: 'unknown' });
    expect(process.calls).toEqual([]);
    // The owner repeats the request, and finds the direct way.
    expect(await client.call(rpc, principal, request, { budget: new Budget(20_000) })).toBe('direct');
  });

  it('is given to another process when the first is gone, and was taken by no process when all are', async () => {
    const [one, two] = [await startProcess('one'), await startProcess('two')];
    await eventually(() => processes.every(({ url }) => direct.known('contacts').includes(url)));
    await away();
    await one.close();
    for (let n = 0; n < 4; n++) expect(await client.call(rpc, principal, request)).toBe('two');
    await two.close();
    const refused = client.call(rpc, principal, request, { budget: patientBudget(200) });
    await expect(refused).rejects.toMatchObject({ name: 'RpcUnanswered', effect: 'none' });
  });

  it('is refused without a token, with another one, and for what its caller may not ask', async () => {
    const { url, calls } = await startProcess('closed');
    const ask = async (path: string, headers: Record<string, string>): Promise<number> =>
      (await fetch(url + path, { method: 'POST', body: JSON.stringify({ principal, request }), headers })).status;
    expect(await ask(RPC_PATH + rpc.subject, {})).toBe(401);
    expect(await ask(RPC_PATH + rpc.subject, { authorization: `Bearer ${SECRET}` })).toBe(401);
    const [heard] = await asDirectory();
    const authorization = `Bearer ${heard?.token}`;
    expect(await ask(`${RPC_PATH}rpc.contacts.anything-else`, { authorization })).toBe(403);
    expect(calls).toEqual([]);
    // A process that stood still for as long as a caller waits refuses what it reads then.
    const answered = async (): Promise<number | undefined> => {
      const status = await ask(RPC_PATH + rpc.subject, { authorization });
      return status === 503 ? undefined : status;
    };
    expect(await eventually(answered)).toBe(200);
    expect(calls).toHaveLength(1);
  });

  it('whose budget is spent is refused before it is begun, whatever its caller still waits for', async () => {
    const { url, calls } = await startProcess('busy');
    const [heard] = await asDirectory();
    const ask = async (deadlineMs: string): Promise<unknown> => {
      const headers = { authorization: `Bearer ${heard?.token}`, [DEADLINE_HEADER]: deadlineMs };
      const body = JSON.stringify({ principal, request });
      return (await fetch(url + RPC_PATH + rpc.subject, { method: 'POST', body, headers })).json();
    };
    for (const spent of ['0', '-1']) {
      expect(await ask(spent)).toMatchObject({ error: { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1 } });
    }
    expect(calls).toEqual([]);
    // A process that has just stood still takes nothing for a moment.
    expect(await eventually(async () => [await ask('5000')].find((one) => Object.hasOwn(Object(one), 'ok')))).toEqual({
      ok: 'busy',
    });
    expect(calls[0]?.budget.leftMs).toBeLessThanOrEqual(4_750);
  });

  /** The announcements of contacts that messaging's own NATS user receives. */
  async function asDirectory(): Promise<{ url: string; token: string }[]> {
    const connection = await nats.connect('messaging');
    const heard = new Map<string, { url: string; token: string }>();
    connection.subscribe('announce.contacts.messaging', {
      callback: (_error, message) => {
        const announcement = message.json<{ url: string; token: string }>();
        heard.set(announcement.url, announcement);
      },
    });
    // The last word of a process that has ended may still be on its way.
    const alive = processes.map(({ url }) => url);
    await eventually(() => alive.every((url) => heard.has(url)));
    await connection.close();
    return [...heard.values()].filter(({ url }) => alive.includes(url));
  }
});
