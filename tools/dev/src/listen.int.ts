import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { subscribableEvents } from '@switchboard/contracts/webhooks/http';
import { eventually } from '@switchboard/testing/eventually';
import { newSigningSecret, signatureHeaders } from '@switchboard/webhook-signature';
import { baseEnvironment } from './dev.config.js';

const program = join(import.meta.dirname, '..', 'dist', 'main.js');
const secret = newSigningSecret();
let folder: string;
let api: Server;
let asked: string[];
/** Bodies of what was asked, by method and path. */
let bodies: Map<string, unknown>;
let sessions: number;
/** How the API answers a DELETE: every session but the first, which has ended, may do it. */
let onDelete: (response: ServerResponse, isSignedIn: boolean) => void;
let child: ChildProcess;
/** Of former listeners. */
let registered: readonly object[];
let lines: string[];

/** An application's API with as much as a listener asks of it, and a listener. */
beforeEach(async () => {
  asked = [];
  bodies = new Map();
  lines = [];
  sessions = 0;
  onDelete = (response, isSignedIn) => void response.writeHead(isSignedIn ? 204 : 401).end();
  api = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    asked.push(`${method} ${url}`);
    request.on('data', (chunk: Buffer) => bodies.set(`${method} ${url}`, JSON.parse(chunk.toString('utf8'))));
    if (url.endsWith('/cformer')) return void response.writeHead(204).end();
    if (method === 'DELETE') return onDelete(response, headers.cookie !== 'session=1');
    if (url.endsWith('/sign-in')) response.setHeader('set-cookie', `session=${++sessions}; Path=/`);
    const made = { id: 'cwebhook', secret, csrfToken: 'token', items: registered };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(made));
  });
  api.listen(0, '127.0.0.1');
  await once(api, 'listening');
  const { port } = api.address() as AddressInfo;
  const former = { id: 'cformer', url: 'http://127.0.0.1:1/', description: 'npm run listen' };
  registered = [
    former,
    { ...former, id: 'cliving', url: `http://127.0.0.1:${port}/` },
    { ...former, id: 'cother', description: null },
  ];
  folder = await mkdtemp(join(tmpdir(), 'switchboard-listen-'));
  const users = [{ role: 'OWNER', email: 'a@example.org', password: 'x' }];
  const baseUrl = `http://127.0.0.1:${port}`;
  await writeFile(join(folder, 'dev.json'), JSON.stringify({ baseUrl, organizations: [{ name: 'Acme', users }] }));
  child = spawn(process.execPath, [program, 'listen'], {
    env: { ...baseEnvironment(), SWITCHBOARD_DATA_DIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (child.stdout) createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  await eventually(async () => lines.length > 0);
});

afterEach(async () => {
  child.kill('SIGKILL');
  api.close();
  api.closeAllConnections();
  await rm(folder, { recursive: true, force: true });
});

async function exit(): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}

describe('npm run listen', () => {
  it('deletes its webhook at Ctrl-C, in a session of its own', async () => {
    child.kill('SIGINT');
    expect(await exit()).toBe(0);
    expect(asked.at(-1)).toBe('DELETE /app/api/webhooks/cwebhook');
    expect(lines.at(-1)).toBe('The webhook is deleted.');
  });

  it('deletes those of listeners that were killed, and none of one that still listens', () => {
    expect(asked.filter((one) => one.startsWith('DELETE'))).toEqual(['DELETE /app/api/webhooks/cformer']);
  });

  it('takes a webhook that was deleted meanwhile, in the console for example, for deleted', async () => {
    onDelete = (response) => void response.writeHead(404).end('{}');
    child.kill('SIGINT');
    expect(await exit()).toBe(0);
    expect(lines.at(-1)).toBe('The webhook is deleted.');
  });

  it('ends at Ctrl-C although the webhook cannot be deleted, and says so', async () => {
    onDelete = (response) => void response.writeHead(401).end('{}');
    child.kill('SIGINT');
    expect(await exit()).toBe(1);
    expect(lines.at(-1)).toMatch(/^The webhook stays \(.*401.*\): the next `npm run listen` deletes it\.$/);
  });

  it('ends at Ctrl-C although nothing runs any more', async () => {
    api.close();
    api.closeAllConnections();
    child.kill('SIGINT');
    expect(await exit()).toBe(1);
    expect(lines.at(-1)).toMatch(/^The webhook stays /);
  });

  it('takes a signal that comes twice for one, and ends at once at a later one', async () => {
    const held = Promise.withResolvers<ServerResponse>();
    onDelete = (response) => held.resolve(response);
    child.kill('SIGINT');
    child.kill('SIGINT');
    await held.promise;
    expect(child.exitCode).toBeNull();
    await eventually(async () => {
      child.kill('SIGINT');
      return child.exitCode !== null;
    });
    expect(child.exitCode).toBe(130);
  });

  it('registers its receiver for all events, and prints what arrives there', async () => {
    const url = /http:\S+/.exec(lines[0] ?? '')?.[0] ?? '';
    expect(bodies.get('POST /app/api/webhooks')).toMatchObject({ url, events: subscribableEvents });
    const body = JSON.stringify({ event: 'message.sent', data: { id: 'cevent', message: { text: 'Grüße' } } });
    const signed = signatureHeaders(
      Buffer.from(body),
      { current: secret, previous: null },
      { id: 'c', atMs: Date.now() },
    );
    for (const headers of [signed, {}]) await fetch(url, { method: 'POST', body, headers });
    await eventually(async () => lines.length === 3);
    expect(lines.slice(1).map((line) => line.split('  ').slice(1))).toEqual([
      ['signed', body],
      ['NOT SIGNED', body],
    ]);
  });

  it('goes on after a sender that breaks off in the middle of a body', async () => {
    const { port } = new URL(/http:\S+/.exec(lines[0] ?? '')?.[0] ?? '');
    const sender = connect(Number(port), '127.0.0.1');
    sender.on('error', () => undefined);
    sender.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\nabc');
    await once(sender, 'connect');
    sender.destroySoon();
    await once(sender, 'close');
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' });
    expect([answer.status, child.exitCode]).toEqual([401, null]);
    child.kill('SIGINT');
    expect(await exit()).toBe(0);
  });

  it('takes what either secret has signed, and refuses the rest', async () => {
    const url = /http:\S+/.exec(lines[0] ?? '')?.[0] ?? '';
    const body = Buffer.from('{"event":"message.sent"}');
    const send = async (current: string, previous: string | null): Promise<number> => {
      const headers = signatureHeaders(body, { current, previous }, { id: 'cevent', atMs: Date.now() });
      return (await fetch(url, { method: 'POST', body, headers })).status;
    };
    const other = newSigningSecret();
    expect([await send(secret, null), await send(other, secret), await send(other, null)]).toEqual([204, 204, 401]);
  });
});
