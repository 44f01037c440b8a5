import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CallbackReceiver } from '../test/callback-receiver.js';
import { SimulatorHarness, SLOW_ANSWER_MS, stopClock, type Json } from '../test/harness.js';

let receiver: CallbackReceiver;
let sim: SimulatorHarness;
/** What the simulator's randomness gives; the tests of shares set it. */
let drawn = 0.5;

beforeAll(async () => {
  receiver = await new CallbackReceiver().start();
  sim = await SimulatorHarness.start({ callbackUrl: receiver.url, random: () => drawn });
});

afterAll(async () => {
  await SimulatorHarness.stopAll();
  await CallbackReceiver.stopAll();
});

beforeEach(async () => {
  drawn = 0.5;
  await sim.control('DELETE', 'knobs');
  await sim.callbacksDone();
  await sim.control('DELETE', 'requests');
  receiver.received.length = 0;
});

afterEach(() => void jest.restoreAllMocks());

describe('magic recipients', () => {
  it.each([
    ['00', 131026],
    ['01', 131047],
    ['04', 131000],
    ['05', 131050],
    ['06', 100],
  ])('%s is refused with %i, and no callback follows', async (nn, code) => {
    const answer = await magic(nn);
    expect(answer.body['error']?.['code']).toBe(code);
    expect(answer.status).toBe(code === 131000 ? 500 : 400);
    await sim.callbacksDone();
    expect(receiver.received).toHaveLength(0);
  });

  it.each([
    ['02', 130429],
    ['03', 131056],
  ])('%s is refused twice with %i for each reference, then accepted', async (nn, code) => {
    for (const reference of [`${nn}-a`, `${nn}-b`]) {
      const answers = [await magic(nn, reference), await magic(nn, reference), await magic(nn, reference)];

      expect(answers.map(({ status }) => status)).toEqual([429, 429, 200]);
      expect(answers[0]?.body['error']?.['code']).toBe(code);
    }
    const unreferenced = [await magic(nn, null), await magic(nn, null), await magic(nn, null), await magic(nn, null)];
    expect(unreferenced.map(({ status }) => status)).toEqual([429, 429, 200, 429]);
  });

  it('07 is answered 500 without a body', async () => {
    expect(await magic('07')).toEqual({ status: 500, body: null });
  });

  it('08 is accepted and reported, while its answer is cut', async () => {
    await expect(magic('08')).rejects.toThrow();
    await sim.callbacksDone();
    expect(reported('08')).toEqual(['sent', 'delivered']);
    expect((await sim.requests('reference=08'))['items']?.[0]).toMatchObject({ answer: null, outcome: 'cut' });
  });

  it('09 is accepted late, and reported only then', async () => {
    await sim.control('PUT', 'knobs', { callbackDelayMs: { sent: 1_000, delivered: 1_000 } });
    const startedMs = performance.now();
    const clock = stopClock();
    const answer = magic('09');
    await sim.until('requests/open', (body) => Number(body['open']) === 1);
    expect((await sim.requests('reference=09'))['items']?.[0]).toMatchObject({ answer: null, outcome: 'open' });
    clock.advance(SLOW_ANSWER_MS + 10);
    expect((await answer).status).toBe(200);
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(SLOW_ANSWER_MS);
    expect(reported('09')).toEqual([]);
    clock.goOn();
    await sim.callbacksDone();
    expect(reported('09')).toEqual(['sent', 'delivered']);
  });

  it.each([
    ['10', ['sent', 'failed']],
    ['11', ['sent', 'read']],
    ['12', ['read', 'read', 'delivered', 'delivered', 'sent', 'sent']],
  ])('%s is accepted and reported as %j', async (nn, expected) => {
    expect((await magic(nn)).status).toBe(200);
    await sim.callbacksDone();
    expect(reported(nn)).toEqual(expected);
    if (nn === '10') expect(receiver.statusesOf(nn).at(-1)?.errors?.[0]?.code).toBe(131049);
  });

  it('change nothing for others, nor the knobs for them', async () => {
    await sim.control('PUT', 'knobs', { errorRate: { '131016': 1 } });

    expect((await magic('10')).status).toBe(200);
    expect((await magic('14', 'ordinary')).body['error']?.['code']).toBe(131016);
    expect((await sim.send({ to: '+12015550200' })).status).toBe(503);
  });
});

describe('knobs', () => {
  it('draw errors by their shares', async () => {
    await sim.control('PUT', 'knobs', { errorRate: { '131048': 0.25, '5xx': 0.25 } });
    const statuses: number[] = [];
    for (drawn of [0.1, 0.3, 0.6]) statuses.push((await sim.send()).status);

    expect(statuses).toEqual([429, 500, 200]);
  });

  it('cut the share of answers whose messages are accepted all the same', async () => {
    await sim.control('PUT', 'knobs', { dropAnswerRate: 0.4 });
    expect((await sim.send()).status).toBe(200);
    drawn = 0.3;
    await expect(sim.send({ biz_opaque_callback_data: 'dropped' })).rejects.toThrow();

    await sim.callbacksDone();
    expect(reported('dropped')).toEqual(['sent', 'delivered']);
  });

  it('delay, double and reorder statuses', async () => {
    drawn = 0;
    await sim.control('PUT', 'knobs', { reorder: true, callbackDelayMs: { sent: 0, delivered: 40, read: 80 } });
    await sim.send({ biz_opaque_callback_data: 'reordered' });
    await sim.callbacksDone();
    expect(reported('reordered')).toEqual(['read', 'sent', 'delivered']);

    await sim.control('PUT', 'knobs', { reorder: false, duplicateRate: 1, callbackDelayMs: { read: null } });
    await sim.send({ biz_opaque_callback_data: 'doubled' });
    await sim.callbacksDone();
    expect(reported('doubled')).toEqual(['sent', 'sent', 'delivered', 'delivered']);
  });

  it('hold answers for the latency', async () => {
    await sim.control('PUT', 'knobs', { latencyMs: 1_000 });
    const [startedMs, clock] = [performance.now(), stopClock()];
    const answers = [sim.send(), sim.send(), sim.send()];
    await sim.until('requests/open', (body) => Number(body['open']) === 3);
    clock.goOn();
    await Promise.all(answers);
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(1_000);
    await sim.until('requests/open', (body) => Number(body['open']) === 0);
    expect((await sim.control('GET', 'requests/open')).body).toEqual({ open: 0, highWater: 3 });
  });

  it('take nothing while down, and refuse connections at the second door', async () => {
    await sim.control('PUT', 'knobs', { down: true });
    await expect(sim.send()).rejects.toThrow();
    await expect(sim.send({}, sim.simulator.providerUrl)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect((await sim.requests())['total']).toBe(0);

    await sim.control('PUT', 'knobs', { down: false });
    expect((await sim.send()).status).toBe(200);
    expect((await sim.send({}, sim.simulator.providerUrl)).status).toBe(200);
    expect((await sim.requests())['total']).toBe(2);
  });

  it('let recipients reply when asked to', async () => {
    await sim.control('PUT', 'knobs', { autoReply: { text: 'Got it', delayMs: 0 } });
    const id = (await sim.send()).body['messages']?.[0]?.['id'];
    await sim.callbacksDone();
    const messages = receiver.received.flatMap(({ entry }) =>
      entry[0]?.changes.flatMap(({ value }) => value.messages ?? []),
    );
    expect(messages).toMatchObject([{ from: '16505551234', text: { body: 'Got it' }, context: { id } }]);
  });

  it.each([
    [{ latencyMs: -1 }, 'latencyMs'],
    [{ callbackDelayMs: { sent: 'soon' } }, 'callbackDelayMs.sent'],
    [{ errorRate: { '42': 0.1 } }, 'errorRate.42'],
    [{ errorRate: { '131000': 0.6, '131016': 0.6 } }, 'errorRate'],
    [{ limits: { pair: true } }, 'limits.pair'],
    [{ latencyMs: 5, speed: 1 }, 'speed'],
  ])('refuse %j, name the field and change nothing', async (patch, field) => {
    const before = (await sim.control('GET', 'knobs')).body;
    const answer = await sim.control('PUT', 'knobs', patch);

    expect(answer.status).toBe(400);
    expect(answer.body['error']?.['field']).toBe(field);
    expect((await sim.control('GET', 'knobs')).body).toEqual(before);
  });
});

describe('the record of requests', () => {
  it('has every request once, also repeated ones, and finds them by reference and recipient', async () => {
    await sim.send({ biz_opaque_callback_data: 'twice', to: '+16505550007' });
    await sim.send({ biz_opaque_callback_data: 'twice', to: '+16505550008' });
    await sim.send({ biz_opaque_callback_data: 'once', to: '+16505550008' });

    expect(await sim.requests('reference=twice')).toMatchObject({
      total: 2,
      items: [{ to: '+16505550007' }, { to: '+16505550008' }],
    });
    expect(await sim.requests('to=16505550008')).toMatchObject({
      total: 2,
      items: [{ reference: 'twice' }, { reference: 'once' }],
    });
    expect(await sim.requests('to=16505550008&reference=once')).toMatchObject({ total: 1 });
    expect(await sim.requests(`since=${Date.now() + 1000}`)).toEqual({ items: [], total: 0 });
    const once = (await sim.requests('reference=once'))['items']?.[0];
    expect(once).toMatchObject({ outcome: 'answered', answer: { status: 200 }, body: { text: { body: 'Hello' } } });
    expect(once?.['messageId']).toBe(once?.['answer']?.['body']?.['messages']?.[0]?.['id']);
  });

  it('is walked by cursor without gap or repetition', async () => {
    for (let at = 0; at < 7; at += 1) await sim.send({ biz_opaque_callback_data: `walk-${at}` });
    const walked: Json[] = [];
    for (let query: string | undefined = 'limit=3'; query !== undefined;) {
      const page: Json = await sim.requests(query);
      walked.push(...(page['items'] ?? []));
      query = page['nextCursor'] === undefined ? undefined : `limit=3&cursor=${String(page['nextCursor'])}`;
    }
    expect(walked.map((item) => item['reference'])).toEqual([0, 1, 2, 3, 4, 5, 6].map((at) => `walk-${at}`));
  });

  it('loses nothing that was answered, nor what was open, to a kill, and goes on after a line cut short', async () => {
    await Promise.all(Array.from({ length: 50 }, (_, at) => sim.send({ biz_opaque_callback_data: `kept-${at}` })));
    await sim.control('PUT', 'knobs', { latencyMs: 100 });
    const clock = stopClock();
    const open = sim.send({ biz_opaque_callback_data: 'open' });
    await sim.until('requests', (body) => Number(body['total']) === 51);
    const change = (dataDir: string): void => appendFileSync(join(dataDir, 'requests.jsonl'), '{"arrived":17,"phon');
    const next = await SimulatorHarness.start({ copyOf: sim, change });
    clock.goOn();
    expect((await next.requests())['total']).toBe(51);
    for (let at = 0; at < 50; at += 1) {
      const [before, after] = [await sim.requests(`reference=kept-${at}`), await next.requests(`reference=kept-${at}`)];
      expect(after).toEqual(before);
      expect(after).toMatchObject({ total: 1, items: [{ outcome: 'answered' }] });
    }
    expect((await next.requests('reference=open'))['items']?.[0]).toMatchObject({ outcome: 'cut', answer: null });
    await next.send({ biz_opaque_callback_data: 'after' });
    const third = await SimulatorHarness.start({ copyOf: next });
    expect((await third.requests())['total']).toBe(52);
    expect((await third.requests('reference=after'))['items']).toMatchObject([{ outcome: 'answered' }]);
    await Promise.all([next.stop(), third.stop()]);
    await open;
  });

  it('keeps pending callbacks over a kill until they are taken', async () => {
    const other = await new CallbackReceiver().start();
    const first = await SimulatorHarness.start({ callbackUrl: other.url });
    await first.control('PUT', 'knobs', { callbackDelayMs: { sent: 0, delivered: 3_600_000 } });
    other.answers.push(...Array<number>(20).fill(503));
    await first.send({ biz_opaque_callback_data: 'pending' });
    await other.until(() => other.received.length === 1);
    const second = await SimulatorHarness.start({ callbackUrl: receiver.url, copyOf: first });

    await receiver.until(() => receiver.statusesOf('pending').length === 1);
    expect(reported('pending')).toEqual(['sent']);
    expect((await second.control('GET', 'health')).body['callbacks']).toMatchObject({ pendingMessages: 1 });
    await Promise.all([first.stop(), second.stop(), other.stop()]);
  });

  it('is empty after DELETE, and an answer that comes then belongs to no other request', async () => {
    await sim.control('PUT', 'knobs', { latencyMs: 100 });
    const clock = stopClock();
    const open = sim.send({ biz_opaque_callback_data: 'forgotten' });
    await sim.until('requests', (body) => Number(body['total']) === 1);
    expect((await sim.control('DELETE', 'requests')).body).toEqual({ forgotten: 1 });
    await sim.control('PUT', 'knobs', { latencyMs: 0 });
    await magic('07', 'new');
    clock.goOn();
    await open;

    expect((await sim.requests())['items']).toMatchObject([{ reference: 'new', answer: { status: 500, body: null } }]);
  });
});

function magic(nn: string, reference: string | null = nn) {
  return sim.send({ to: `+1 201 555 01${nn}`, ...(reference === null ? {} : { biz_opaque_callback_data: reference }) });
}

function reported(reference: string): readonly string[] {
  return receiver.statusesOf(reference).map(({ status }) => status);
}
