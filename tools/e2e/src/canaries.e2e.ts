import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serviceNames } from '@switchboard/contracts/topology';
import type { DevProcess } from '@switchboard/dev';
import { gatewayRoutes, type GatewayRoute } from '@switchboard/gateway/routes';
import { eventually } from '@switchboard/testing/eventually';
import { walkThroughApp } from './app-walk.js';
import { canariesIn, type Canary } from './canary.js';
import { haveUpstreamQuote, publishNonsense, refuseRows, revokeKeys } from './canary-faults.js';
import { flockOf, type Flock } from './canary-flock.js';
import {
  ask,
  brokenBytes,
  callbacksOf,
  requestsOf,
  requestsToInternals,
  requestsToNothing,
  sendBytes,
  type CanaryRequest,
} from './canary-requests.js';
import { eachConcurrently } from './each-concurrently.js';
import { NatsRecorder } from './nats-recorder.js';
import { ownerOf } from './people.js';
import { carriers, surelySeen } from './personal-data.js';
import { startEverything, type EverythingRunning } from './start-everything.js';

const SOON = { deadlineMs: 60_000 };
const ANNOUNCEMENTS = 'announce.';

describe('phone numbers, texts, names, keys and passwords', () => {
  let all: EverythingRunning;
  let recorder: NatsRecorder;
  let flock: Flock;
  let routes: readonly GatewayRoute[];
  const statuses = new Set<number>();
  let appRoutes: { readonly expected: readonly string[]; readonly used: ReadonlySet<string> };
  /** Statuses of the answers to each route that needs a key. */
  const answered = new Map<string, Set<number>>();
  const processes = (): readonly DevProcess[] =>
    all.stack.devJson.processes.filter(({ health }) => health !== undefined);

  /** What the first makes, the later ones ask for, and the last takes away. */
  const sendToRoutes = async (ids: readonly string[]): Promise<void> => {
    const known = new Set(ids);
    for (const verb of ['POST', 'PUT', 'PATCH', 'GET', 'DELETE']) {
      // An erased contact takes its opt-outs with it.
      const isLast = ({ path }: GatewayRoute): boolean => path.endsWith('/contacts/:id');
      const own = routes.filter(({ method }) => method === verb);
      for (const route of own.toSorted((a, b) => Number(isLast(a)) - Number(isLast(b)))) {
        const answers = new Set<number>();
        if (route.access === 'key') answered.set(`${verb} ${route.path}`, answers);
        const made: string[] = [];
        const byTarget = new Map<string, number>();
        const send = async (request: CanaryRequest): Promise<void> => {
          const { status, id } = await ask(all.baseUrl, request);
          answers.add(status);
          statuses.add(status);
          byTarget.set(request.target, status);
          if (id !== undefined) made.push(id);
        };
        const requests = requestsOf(route, flock, [...known]);
        await eachConcurrently(requests.first, send);
        await eachConcurrently(requests.others(byTarget), send);
        if (verb === 'POST') made.slice(0, 1).forEach((id) => known.add(id));
      }
    }
  };

  beforeAll(async () => {
    all = await startEverything();
    recorder = await NatsRecorder.start(all.stack.devJson.natsUrl);
    flock = await flockOf(all.dataDir);
    routes = await gatewayRoutes();
    const { databaseUrl, organizations = [] } = all.stack.devJson;
    await revokeKeys(databaseUrl, organizations[2]?.id ?? '');
    await all.simulator.post('knobs', { callbackDelayMs: { read: 100 } });
    const sent = await Promise.all(flock.writtenPhones.map((phone) => all.acme.send(phone, flock.text)));
    await Promise.all(sent.map(({ body }) => all.messageWhen(body?.id, 'READ', 60_000)));
    await all.simulator.post('inbound', { from: flock.inboundPhone, name: flock.name, text: flock.text });
    await all.simulator.post('preferences', { from: flock.inboundPhone, name: flock.name, value: 'resume' });
    await eventually(async () => (await textOf(all, '/v1/conversations?limit=100')).includes(flock.name), SOON);
    expect(await haveUpstreamQuote(all, flock)).toEqual([400, 200, 200, 403]);
    expect(await refuseRows(all, recorder, flock)).toEqual([500, 500, 'INTERNAL']);
    await publishNonsense(recorder, flock);
    await eachConcurrently(
      brokenBytes(flock),
      async (bytes) => void statuses.add((await sendBytes(all.baseUrl, bytes)) ?? 0),
    );
    const templates = (await all.acme.get('/v1/templates?status=APPROVED&limit=1')).body?.items ?? [];
    const ids = ['id', 'contactId', 'conversationId'].map((name) => String(sent[0]?.body?.[name]));
    await sendToRoutes([...ids, ...templates.map(({ id }) => String(id))]);
    const elsewhere = [...requestsToNothing(flock), ...callbacksOf(flock, await lineOf(all))];
    await eachConcurrently(elsewhere, async (request) => void statuses.add((await ask(all.baseUrl, request)).status));
    for (const { metrics = '' } of processes()) {
      const internals = requestsToInternals(flock);
      await eachConcurrently(internals, async (request) => void (await ask(new URL(metrics).origin, request)));
    }
    const walk = await walkThroughApp(all.baseUrl, ownerOf(all.stack), all.simulator);
    for (const status of walk.statuses) statuses.add(status);
    appRoutes = { expected: namesOf(routes, 'session', 'visitor'), used: walk.used };
    flock = { ...flock, all: [...flock.all, ...tokensOf(recorder), ...walk.canaries] };
    await everythingElseIsOut(all);
  });

  afterAll(async () => {
    await recorder?.close();
    await all?.end();
  });

  it('were sent through every route, and accepted, refused and failed', () => {
    for (const status of [200, 308, 400, 401, 403, 404, 405, 413, 431]) expect(statuses).toContain(status);
    expect(statuses).not.toContain(500);
    // A new route that no body of canary-requests.ts suits is named here.
    const unused = [...answered].filter(([, own]) => ![...own].some((status) => status < 300)).map(([route]) => route);
    expect(unused).toEqual([]);
    expect([...answered].filter(([, own]) => !own.has(401))).toEqual([]);
    // A route that app-walk.ts does not use is named here.
    expect(appRoutes.expected.filter((route) => !appRoutes.used.has(route))).toEqual([]);
  });

  it('are in no span', () => {
    const spans = all.traces.spans.map(({ service, name, raw }) => ({ where: `${service} ${name}`, text: raw }));
    expect(spans.length).toBeGreaterThan(500);
    expect(leaks(spans, flock.all)).toEqual([]);
  });

  it('are in no log, be it of a service, of the simulator, of PostgreSQL or of NATS', async () => {
    const folder = join(all.dataDir, 'logs');
    const logs = await Promise.all(
      (await readdir(folder)).map(async (name) => ({ where: name, text: await readFile(join(folder, name), 'utf8') })),
    );
    const names = logs.map(({ where }) => where);
    expect(names).toEqual(expect.arrayContaining(all.stack.devJson.processes.map(({ name }) => `${name}.log`)));
    const lines = logs.flatMap(({ where, text }) =>
      text.split('\n').map((line, index) => ({ where: `${where}:${index + 1}`, text: line })),
    );
    for (const event of ['http.request', 'unexpected', 'event.malformed', 'callback.odd-items']) {
      expect(lines.some(({ text }) => text.includes(`"event":"${event}"`))).toBe(true);
    }
    expect(leaks(lines, flock.all)).toEqual([]);
  });

  it('are in no metric', async () => {
    const metrics = await Promise.all(
      processes().map(async ({ name, metrics: url = '' }) => ({ where: name, text: await (await fetch(url)).text() })),
    );
    for (const { text } of metrics) expect(text).toMatch(/^# TYPE /m);
    expect(leaks(metrics, flock.all)).toEqual([]);
  });

  it('are in no subject and no header of NATS', () => {
    const outside = recorder.messages.map(({ label, subject, headers }) => ({
      where: label,
      text: `${subject}\n${headers}`,
    }));
    expect(outside.some(({ text }) => text.includes('traceparent'))).toBe(true);
    expect(leaks(outside, flock.all)).toEqual([]);
  });

  it('are in no payload of NATS but those that need them, secrets in none', () => {
    const seen = new Map<string, Set<string>>();
    for (const { label, payload } of recorder.messages) {
      // Only the one caller that needs them gets those.
      if (label.startsWith(ANNOUNCEMENTS)) continue;
      const kinds = seen.get(label) ?? new Set();
      for (const { kind } of canariesIn(payload, flock.all)) kinds.add(kind);
      seen.set(label, kinds);
    }
    const surplus = [...seen].flatMap(([label, kinds]) =>
      [...kinds].filter((kind) => !carriers[label]?.some((one) => one === kind)).map((kind) => `${label}: ${kind}`),
    );
    expect(surplus).toEqual([]);
    // What is searched for would be found: these were used, with all that they may carry.
    const used = surelySeen.map((label) => [label, [...(seen.get(label) ?? [])].sort()]);
    expect(used).toEqual(surelySeen.map((label) => [label, [...(carriers[label] ?? [])].sort()]));
  });

  it('needed no right that anybody lacks', async () => {
    const logs = await Promise.all(
      [...serviceNames, 'nats'].map((name) => readFile(join(all.dataDir, 'logs', `${name}.log`), 'utf8')),
    );
    const lines = logs.join('\n').split('\n');
    expect(lines.filter((line) => /violation for|permission denied|"42501"/i.test(line))).toEqual([]);
  });
});

function namesOf(routes: readonly GatewayRoute[], ...accesses: readonly GatewayRoute['access'][]): string[] {
  const own = routes.filter(({ method, access }) => method !== 'HEAD' && accesses.includes(access));
  return own.map(({ method, path }) => `${method} ${path}`);
}

/** The upstream's id of the line that Acme sends from. */
async function lineOf({ dataDir }: EverythingRunning): Promise<string> {
  const text = await readFile(join(dataDir, 'demo-keys.json'), 'utf8');
  const [acme] = JSON.parse(text) as { channels: { phoneNumberId: string }[] }[];
  return acme?.channels[0]?.phoneNumberId ?? '';
}

/** The tokens by which callers reach a service directly; announced over NATS to those callers alone. */
function tokensOf({ messages }: NatsRecorder): Canary[] {
  const announced = messages.filter(({ label }) => label.startsWith(ANNOUNCEMENTS));
  const tokens = announced.map(({ payload }) => (JSON.parse(payload) as { token: string }).token);
  expect(tokens).not.toEqual([]);
  return [...new Set(tokens)].map((value) => ({ kind: 'secret', what: 'the token of a caller', value }));
}

/** Where a canary was found. */
function leaks(
  places: readonly { readonly where: string; readonly text: string }[],
  canaries: readonly Canary[],
): string[] {
  const found = places.flatMap(({ where, text }) =>
    canariesIn(text, canaries).map(({ what }) => `${what} in ${where}`),
  );
  return [...new Set(found)].slice(0, 50);
}

async function textOf({ acme }: EverythingRunning, path: string): Promise<string> {
  return JSON.stringify((await acme.get(path)).body);
}

/** A last message goes all the way, and its trace comes last: what was before it has been exported and written. */
async function everythingElseIsOut({ acme, messageWhen, traces }: EverythingRunning): Promise<void> {
  const sent = await acme.send('+14155550199', 'the last one');
  // Not DELIVERED: with the delays set above the message is that for a moment alone.
  await messageWhen(sent.body?.id, 'READ', 60_000);
  const traceId = sent.headers.get('x-request-id') ?? '';
  const isLast = ({ name }: { name: string }): boolean => name === 'relay messaging.message.delivered.v1';
  await eventually(() => traces.ofTrace(traceId).some(isLast), SOON);
}
