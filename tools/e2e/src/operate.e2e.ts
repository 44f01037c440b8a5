import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@switchboard/testing/eventually';
import type { Api, Simulator } from './api.js';
import { startEverything, type EverythingRunning } from './start-everything.js';
import type { TraceCollector } from './trace-collector.js';

const CUID = /^c[0-9a-z]{24}$/;
const SOON = { deadlineMs: 60_000 };

describe('what an operator sees of a message', () => {
  let all: EverythingRunning;
  let acme: Api;
  let simulator: Simulator;
  let traces: TraceCollector;
  let messageWhen: EverythingRunning['messageWhen'];

  beforeAll(async () => {
    all = await startEverything();
    ({ acme, simulator, traces, messageWhen } = all);
  });

  afterAll(async () => all?.end());

  /** Waits until the trace holds each of these spans, below just what is named before it. */
  const expectPaths = async (traceId: string, paths: readonly (readonly string[])[]): Promise<void> => {
    const wanted = paths.map((path) => path.join(' > '));
    await eventually(() => {
      const found = new Set(traces.ofTrace(traceId).map((span) => traces.pathOf(span).join(' > ')));
      expect(wanted.filter((path) => !found.has(path))).toEqual([]);
      return true;
    }, SOON);
  };

  it('is one trace through HTTP, rpc, SQL, outbox, JetStream and callback, each below what it was done for', async () => {
    const sent = await acme.send('+14155550126', 'traced');
    const traceId = sent.headers.get('x-request-id') ?? '';
    await messageWhen(sent.body?.id, 'DELIVERED');
    const http = ['gateway SERVER POST /v1/messages'];
    const rpc = [...http, 'gateway CLIENT rpc.messaging.send-message', 'messaging SERVER rpc.messaging.send-message'];
    const contacts = [
      ...rpc,
      'messaging CLIENT rpc.contacts.resolve-many',
      'contacts SERVER rpc.contacts.resolve-many',
    ];
    const contactNotified = [...contacts, 'contacts PRODUCER relay contacts.contact.changed.v1'];
    const progress = [...rpc, 'messaging INTERNAL message delivered'];
    await expectPaths(traceId, [
      http,
      [...http, 'gateway INTERNAL batch admission', 'gateway CLIENT gateway.admit'],
      rpc,
      [...rpc, 'messaging INTERNAL batch messaging.accept-message', 'messaging CLIENT messaging.message.judge'],
      [...rpc, 'messaging INTERNAL batch messaging.accept-message', 'messaging CLIENT COMMIT'],
      [...rpc, 'messaging CLIENT POST /{version}/{phone-number-id}/messages'],
      [...rpc, 'messaging INTERNAL batch messaging.settle-dispatch', 'messaging CLIENT COMMIT'],
      contacts,
      contactNotified,
      [...contactNotified, 'messaging CONSUMER consume messaging-contacts', 'messaging CLIENT inbox.insert'],
      [...rpc, 'messaging PRODUCER relay messaging.message.accepted.v1'],
      [...rpc, 'messaging PRODUCER relay messaging.message.sent.v1'],
      progress,
      [...progress, 'messaging PRODUCER relay messaging.message.delivered.v1'],
    ]);
    // What lasts is exported after what it was made of.
    const own = await eventually(() => {
      const spans = traces.ofTrace(traceId);
      const roots = spans.filter(({ parentSpanId }) => traces.find(parentSpanId)?.traceId !== traceId);
      return roots.length === 1 && spans;
    });
    // The upstream begins a trace of its own, which goes as far as the effect; there the two are linked.
    const delivered = own.find(({ name }) => name === 'message delivered');
    const intake = ['gateway SERVER POST /upstream/cloud/callbacks'];
    const path = [...intake, 'gateway PRODUCER relay gateway.callback.status.v1'];
    // The gateway exports its spans by itself: the one that is linked may come after the one that links it.
    const brought = await eventually(() => {
      const linked = delivered?.links.map(({ spanId }) => traces.find(spanId));
      expect(linked?.map((span) => span && traces.pathOf(span))).toEqual([path]);
      return linked;
    }, SOON);
    await expectPaths(brought[0]?.traceId ?? '', [
      intake,
      [...intake, 'gateway INTERNAL batch take-callback', 'gateway CLIENT COMMIT'],
      path,
    ]);
    const relayed = brought[0]?.spanId;
    await eventually(
      () =>
        traces.spans.some(
          ({ name, kind, parentSpanId, links }) =>
            [name, kind].join() === 'consume messaging-callbacks,CONSUMER' &&
            (parentSpanId === relayed || links.some(({ spanId }) => spanId === relayed)),
        ),
      SOON,
    );
  });

  it('is linked with every message that shared a batch with it', async () => {
    const shared = await eventually(async () => {
      await Promise.all(Array.from({ length: 40 }, (_, index) => acme.send(`+1415555${1_000 + index}`, 'together')));
      return traces.spans.find(({ name, items = 0 }) => name === 'batch messaging.accept-message' && items > 2);
    }, SOON);
    const causes = [shared.parentSpanId, ...shared.links.map(({ spanId }) => spanId)];
    await eventually(() => causes.every((spanId) => traces.find(spanId) !== undefined), SOON);
    const paths = causes.map((spanId) => traces.pathOf(traces.find(spanId) ?? shared).at(-1));
    expect(paths).toEqual(
      Array.from({ length: shared.items ?? 0 }, () => 'messaging SERVER rpc.messaging.send-message'),
    );
    expect(new Set(causes.map((spanId) => traces.find(spanId)?.traceId)).size).toBe(shared.items);
    const consumed = await eventually(
      () => traces.spans.find(({ name, links }) => name === 'consume messaging-callbacks' && links.length > 0),
      SOON,
    );
    const parents = [consumed.parentSpanId, ...consumed.links.map(({ spanId }) => spanId)];
    await eventually(() => parents.every((spanId) => traces.find(spanId) !== undefined), SOON);
    const subjects = new Set(parents.map((spanId) => traces.find(spanId)?.name));
    expect([...subjects]).toEqual(['relay gateway.callback.status.v1']);
  });

  it('does not send what a stopped process read after its caller got 503', async () => {
    const messaging = all.stack.process('messaging');
    messaging.kill('SIGSTOP');
    const refused = await acme.send('+14155556001', 'too late');
    messaging.kill('SIGCONT');
    expect([refused.status, refused.body?.error?.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    const id = refused.headers.get('x-message-id') ?? '';
    expect(id).toMatch(CUID);
    // Whatever waited in its socket lies before this one.
    await eventually(async () => (await acme.send('+14155556001', 'in time')).status === 200, SOON);
    expect(await simulator.requests(`reference=${id}`)).toEqual([]);
    expect((await acme.get(`/v1/messages/${id}`)).status).toBe(404);
  });

  it('ends soon after SIGTERM although the upstream hangs; every caller gets an answer, nothing is sent twice', async () => {
    await simulator.post('knobs', { latencyMs: 60_000 });
    const since = new Date().toISOString();
    const sends = Array.from({ length: 20 }, (_, index) => acme.send(`+1415555${3_000 + index}`, 'into the stop'));
    const hung = await eventually(async () => {
      const requests = await simulator.requests(`since=${since}`);
      return requests.length >= 10 ? new Set(requests.map(({ reference }) => reference)) : undefined;
    }, SOON);
    const messaging = all.stack.process('messaging');
    const startedMs = performance.now();
    await messaging.kill('SIGTERM');
    // Long before the upstream would answer; an idle machine needs less than 8 s.
    expect(performance.now() - startedMs).toBeLessThan(30_000);
    await simulator.post('knobs', { latencyMs: 0 });
    for (const [index, answer] of (await Promise.all(sends)).entries()) {
      if (answer.status === 503 && !answer.headers.has('x-message-id')) {
        // On a busy machine the successor may be there too late for who still waits; what the provider has is answered by then.
        expect(await simulator.requests(`to=1415555${3_000 + index}&since=${since}`)).toEqual([]);
        continue;
      }
      expect(answer.status).toBe(200);
      // What came too late for the one that stops is sent by its successor.
      if (hung.has(answer.body?.id ?? '')) expect(answer.body?.upstreamMessageId).toBeNull();
      expect((await simulator.requests(`reference=${answer.body?.id}`)).length).toBeLessThanOrEqual(1);
    }
    await messaging.restarted();
  });

  it('survives kill -9 of messaging: what was accepted is known, nothing is sent twice', async () => {
    await simulator.post('knobs', { latencyMs: 1_500 });
    const since = new Date().toISOString();
    const sends = Array.from({ length: 40 }, (_, index) => acme.send(`+1415555${2_000 + index}`, 'under fire'));
    // None of them is answered before the kill: the upstream takes longer than it takes to see them.
    await eventually(async () => (await simulator.requests(`since=${since}`)).length >= 20 || undefined, SOON);
    const messaging = all.stack.process('messaging');
    messaging.kill('SIGKILL');
    const answers = await Promise.all(sends);
    await messaging.restarted();
    await simulator.post('knobs', { latencyMs: 0 });
    for (const [index, answer] of answers.entries()) {
      if (answer.status === 503 && !answer.headers.has('x-message-id')) {
        // None had taken it when the kill came, and on a busy machine the successor may be there too late.
        expect(await simulator.requests(`to=1415555${2_000 + index}&since=${since}`)).toEqual([]);
        continue;
      }
      const id = answer.body?.id ?? answer.headers.get('x-message-id') ?? '';
      expect(id).toMatch(CUID);
      const requests = await simulator.requests(`reference=${id}`);
      expect(requests.length).toBeLessThanOrEqual(1);
      if (requests.length === 1) await messageWhen(id, 'DELIVERED');
      else if (answer.status === 200) expect((await acme.get(`/v1/messages/${id}`)).body?.status).toBe('QUEUED');
    }
    expect((await acme.send('+14155550123', 'after')).status).toBe(200);
  });
});
