import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { blocksOf, runProgram } from './guide-program.js';

/** A request as it came: when, and for what. */
interface Arrival {
  readonly at: number;
  readonly target: string;
}

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
const refusal = (status: number, code: string, headers: Record<string, string> = {}): RequestListener =>
  json(status, { error: { code, message: 'Not now' } }, headers);
const htmlOfProxy: RequestListener = (_request, response) => response.writeHead(502).end('<h1>Bad gateway</h1>');
const lostAnswer: RequestListener = (request) => request.socket.destroy();
const cutAnswer: RequestListener = (request, response) => {
  response.writeHead(200, { 'content-length': 100 }).write('{"id":');
  setImmediate(() => request.socket.destroy());
};

let folder: string;
let server: Server | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-guide-'));
});

afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a program of a guide against answers, one a request; the last one is given to all that follow. */
async function runAgainst(
  answers: readonly RequestListener[],
  code: string,
): Promise<{ readonly exitCode: number | null; readonly said: string; readonly arrivals: readonly Arrival[] }> {
  const arrivals: Arrival[] = [];
  server = createServer((request, response) => {
    request.resume();
    arrivals.push({ at: performance.now(), target: String(request.url) });
    (answers[arrivals.length - 1] ?? answers.at(-1))?.(request, response);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const environment = { BASE_URL: `http://127.0.0.1:${port}`, API_KEY: 'svc_live_' };
  const [exitCode, said] = await runProgram(folder, code, environment);
  server.closeAllConnections();
  server.close();
  return { exitCode, said, arrivals };
}

describe('errors-and-retries.md', () => {
  /** The outcome of one call by the guide's function, and how many requests it took. */
  async function outcomeOf(answers: readonly RequestListener[], call: string): Promise<unknown> {
    const [code = ''] = await blocksOf('errors-and-retries.md', 'js');
    const print = `console.log(JSON.stringify(await ${call}.catch(({ name, status, code, messageId }) => ({ name, status, code, messageId }))));`;
    const { said, arrivals } = await runAgainst(answers, `${code}\n${print}`);
    return { outcome: JSON.parse(said) as unknown, requests: arrivals.length };
  }

  const keyed = `request('POST', '/v1/messages', {}, { idempotencyKey: 'one' })`;
  const unkeyed = `request('POST', '/v1/messages', {})`;
  const removal = `request('DELETE', '/v1/opt-outs/c1')`;

  it.each<[string, readonly RequestListener[], string, unknown, number]>([
    ['a page of a proxy, under a key', [htmlOfProxy, json(200, { id: 'c1' })], keyed, { id: 'c1' }, 2],
    ['an answer that is cut, under a key', [cutAnswer, json(200, { id: 'c1' })], keyed, { id: 'c1' }, 2],
    ['a request that came too slowly', [refusal(408, 'REQUEST_TIMEOUT'), json(200, {})], unkeyed, {}, 2],
    ['a removal whose answer was lost', [lostAnswer, refusal(404, 'OPT_OUT_NOT_FOUND')], removal, null, 2],
  ])('repeats %s', async (_what, answers, call, outcome, requests) => {
    expect(await outcomeOf(answers, call)).toEqual({ outcome, requests });
  });

  it.each<[string, readonly RequestListener[], string, object]>([
    [
      'a send without a key that may be stored, and names it',
      [refusal(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '1', 'x-message-id': 'c1' }), json(200, {})],
      unkeyed,
      { status: 503, code: 'SERVICE_UNAVAILABLE', messageId: 'c1' },
    ],
    ['a send without a key behind a proxy', [htmlOfProxy, json(200, {})], unkeyed, { status: 502 }],
    [
      'what was not there to be removed',
      [refusal(404, 'OPT_OUT_NOT_FOUND')],
      removal,
      { status: 404, code: 'OPT_OUT_NOT_FOUND' },
    ],
  ])('does not repeat %s', async (_what, answers, call, outcome) => {
    expect(await outcomeOf(answers, call)).toMatchObject({ outcome: { name: 'Error', ...outcome }, requests: 1 });
  });
});

it.each([
  ['errors-and-retries.md', 0, `await request('GET', '/v1/ping');`],
  ['sending-safely.md', 1, `await send('one', {});`],
])('%s pauses where `Retry-After` is a date', async (guide, last, call) => {
  const code = (await blocksOf(guide, 'js')).slice(0, last + 1).join('\n');
  const [functions = ''] = code.split('\nconst key =');
  const tooMany = refusal(429, 'RATE_LIMITED', { 'retry-after': 'Wed, 21 Oct 2099 07:28:00 GMT' });
  const { exitCode, arrivals } = await runAgainst([tooMany, json(200, {})], `${functions}\n${call}`);
  const [first, second] = arrivals.map(({ at }) => at);
  expect([exitCode, arrivals.length]).toEqual([0, 2]);
  expect(Number(second) - Number(first)).toBeGreaterThan(900);
});

describe('the program of receiving-webhooks.md that catches up', () => {
  const page = (nextCursor: string, ...ids: readonly string[]): RequestListener =>
    json(200, { items: ids.map((id) => ({ event: 'message.read', data: { id } })), nextCursor });

  it('waits where it is asked to, reads on behind an empty page, and goes on where it ended', async () => {
    const code = (await blocksOf('receiving-webhooks.md', 'js catch-up')).join('\n');
    const tooMany = refusal(429, 'RATE_LIMITED', { 'retry-after': '1' });
    const broken = refusal(400, 'VALIDATION_FAILED');
    const whole = [page('c1', 'e1'), tooMany, page('c2'), page('c3', 'e2'), broken];
    const first = await runAgainst(whole, code);
    expect([
      first.exitCode,
      [...first.said.matchAll(/^caught up with message\.read (\w+)$/gm)].map(([, id]) => id),
    ]).toEqual([1, ['e1', 'e2']]);
    const targets = ['', '&cursor=c1', '&cursor=c1', '&cursor=c2', '&cursor=c3'];
    expect(first.arrivals.map(({ target }) => target)).toEqual(
      targets.map((cursor) => `/v1/events?limit=100${cursor}`),
    );
    const second = await runAgainst([page('c4', 'e3'), page('c4')], code);
    expect([second.exitCode, second.said]).toEqual([0, 'caught up with message.read e3\ncaught up\n']);
    expect(second.arrivals.map(({ target }) => target)).toEqual(
      ['c3', 'c4'].map((cursor) => `/v1/events?limit=100&cursor=${cursor}`),
    );
  });
});

it('going-live.md finds the default channel on the last page of many', async () => {
  const channel = { status: 'CONNECTED', isDefault: false };
  const answers = [
    json(200, { ok: true }),
    json(200, { items: Array.from({ length: 100 }, () => channel), nextCursor: 'c1' }),
    json(200, { items: [{ ...channel, isDefault: true }] }),
    json(200, { items: [{}] }),
    json(200, { items: [], nextCursor: 'c1' }),
    json(200, { items: [] }),
  ];
  const { exitCode, said, arrivals } = await runAgainst(answers, (await blocksOf('going-live.md', 'js')).join('\n'));
  expect([exitCode, said]).toEqual([0, expect.stringContaining('0 failed messages')]);
  expect(arrivals[2]?.target).toBe('/v1/channels?limit=100&cursor=c1');
});
