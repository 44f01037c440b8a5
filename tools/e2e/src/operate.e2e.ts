import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@switchboard/testing';
import type { Api, Simulator } from './api.js';
import { startEverything, type EverythingRunning } from './start-everything.js';
import type { TraceCollector } from './trace-collector.js';

const CUID = /^c[0-9a-z]{24}$/;
const SOON = { deadlineMs: 20_000 };

describe('what an operator sees of a message', () => {
  let all: EverythingRunning;
  let acme: Api;
  let simulator: Simulator;
  let traces: TraceCollector;
  let messageWhen: EverythingRunning['messageWhen'];

  beforeAll(async () => {
    all = await startEverything();
    ({ acme, simulator, traces, messageWhen } = all);
  }, 180_000);

  afterAll(async () => all?.end(), 60_000);

  it('is one trace through HTTP, rpc, SQL, outbox, JetStream and callback', async () => {
    const sent = await acme.send('+14155550126', 'traced');
    const traceId = sent.headers.get('x-request-id') ?? '';
    await messageWhen(sent.body?.id, 'DELIVERED');
    const expected = [
      ['gateway', /^POST \/v1\/messages$/],
      ['gateway', /^rpc\.messaging\.send-message$/],
      ['messaging', /^rpc\.messaging\.send-message$/],
      ['messaging', /^batch messaging\.accept-message$/],
      ['messaging', /^messaging\.message\.judge$/],
      ['messaging', /^POST \/\{version\}/],
      ['messaging', /^batch messaging\.settle-dispatch$/],
      ['messaging', /^relay messaging\.message\.sent\.v1$/],
      ['contacts', /^rpc\.contacts\.resolve-many$/],
      ['contacts', /^relay contacts\.contact\.changed\.v1$/],
      ['messaging', /^consume messaging-contacts$/],
      ['messaging', /^message delivered$/],
      ['messaging', /^relay messaging\.message\.delivered\.v1$/],
    ] as const;
    const spans = await eventually(async () => {
      const own = traces.ofTrace(traceId);
      const complete = expected.every(([service, name]) => own.some((s) => s.service === service && name.test(s.name)));
      return complete ? own : undefined;
    }, SOON);
    const ids = new Set(spans.map(({ spanId }) => spanId));
    const roots = spans.filter(({ parentSpanId }) => !ids.has(parentSpanId));
    expect(roots.map(({ name }) => name)).toEqual(['POST /v1/messages']);
    const callback = spans.find(({ name }) => name === 'message delivered');
    const brought = traces.spans.find(({ spanId }) => spanId === callback?.links[0]?.spanId);
    const intake = traces.ofTrace(brought?.traceId ?? '').map(({ name }) => name);
    expect(intake).toContain('POST /upstream/cloud/callbacks');
  });

  it('does not send what a stopped process read after its caller was told 503', async () => {
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
  }, 60_000);

  it('survives kill -9 of messaging: what was accepted is known, nothing is sent twice', async () => {
    await simulator.post('knobs', { latencyMs: 400 });
    const sends = Array.from({ length: 40 }, (_, index) => acme.send(`+1415555${2_000 + index}`, 'under fire'));
    await eventually(
      async () => (await simulator.requests('since=1970-01-01T00:00:00Z')).length >= 20 || undefined,
      SOON,
    );
    const messaging = all.stack.process('messaging');
    messaging.kill('SIGKILL');
    const answers = await Promise.all(sends);
    await messaging.restarted();
    await simulator.post('knobs', { latencyMs: 0 });
    for (const answer of answers) {
      const id = answer.body?.id ?? answer.headers.get('x-message-id') ?? '';
      expect(id).toMatch(CUID);
      const requests = await simulator.requests(`reference=${id}`);
      expect(requests.length).toBeLessThanOrEqual(1);
      if (requests.length === 1) await messageWhen(id, 'DELIVERED');
      else if (answer.status === 200) expect((await acme.get(`/v1/messages/${id}`)).body?.status).toBe('QUEUED');
    }
    expect((await acme.send('+14155550123', 'after')).status).toBe(200);
  }, 120_000);
});
