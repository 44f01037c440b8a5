import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { WebhookActor } from '@switchboard/contracts/webhooks/events';
import { testWebhookRpc } from '@switchboard/contracts/webhooks/rpc';
import { Budget } from '@switchboard/nats';
import { createLog, systemClock } from '@switchboard/platform';
import { statement } from '@switchboard/postgres';
import { eventually, testServers } from '@switchboard/testing';
import { NeverSent, SendRequest } from '../src/attempt/send-request.client.js';
import { StopGrace } from '../src/attempt/stop-grace.js';
import { TestWebhookHandler } from '../src/test-webhook/test-webhook.handler.js';
import { newCustomer } from './customer.js';
import { status, type Answer } from './receiver.js';
import { startWebhooks, type RunningWebhooks } from './running-webhooks.js';

const servers = testServers();
const actSql = statement<{ payload: string }>('t.act', 'SELECT payload FROM webhooks.outbox WHERE id = $1');
/** What is under way, as if it had begun a minute before. */
const agedSql = statement(
  't.aged',
  "UPDATE webhooks.test_send SET stored_at = stored_at - interval '1 minute' RETURNING id",
);
let running: RunningWebhooks;

beforeAll(async () => {
  running = await startWebhooks(servers);
});

const newActor = (): WebhookActor => {
  return { actId: newCuid(), userId: newCuid(), email: 'a@example.org', address: null, traceId: null };
};

async function tested(path: string, answer?: Answer) {
  const customer = newCustomer(running);
  const { id } = await customer.register(running.receiver.at(path, answer));
  const by = newActor();
  return {
    by,
    send: () => running.gateway.call(testWebhookRpc, customer.principal, { id, by }),
    call: (ms: number) => ({ principal: customer.principal, request: { id, by }, budget: new Budget(ms) }),
    attempts: () => customer.attempts(id),
  };
}

/** What answers in another process, which would send by `send`. */
async function otherProcess() {
  const send = jest.fn<SendRequest['send']>();
  const sender = Object.assign(Object.create(SendRequest.prototype) as SendRequest, { send });
  const grace = new StopGrace(new AbortController().signal);
  const log = createLog('test', { write: () => undefined });
  const database = await running.prepared.database();
  const transaction = jest.spyOn(database, 'transaction');
  return { handler: new TestWebhookHandler(database, sender, grace, systemClock, log), send, transaction };
}

describe('a test send', () => {
  it('that is asked for again makes one request, and is answered as the first time', async () => {
    const { by, send, attempts } = await tested('/again', status(418));
    const first = await send();
    expect(first).toMatchObject({ delivered: false, responseStatus: 418 });
    expect(await send()).toEqual(first);
    expect(running.receiver.arrivals('/again').map(({ dataId }) => dataId)).toEqual([by.actId]);
    expect(await attempts()).toHaveLength(1);
  });

  it('that is asked for again while it is under way makes one request', async () => {
    const held = Promise.withResolvers<void>();
    const { send, attempts } = await tested('/held', (response) => void held.promise.then(() => response.end()));
    const first = send();
    await eventually(() => running.receiver.arrivals('/held').length === 1);
    const second = send();
    held.resolve();
    expect(await second).toEqual(await first);
    expect(running.receiver.arrivals('/held')).toHaveLength(1);
    expect(await attempts()).toHaveLength(1);
  });

  it('that is asked for again of another process is not sent by it: what the first one records is answered', async () => {
    const held = Promise.withResolvers<void>();
    const { send, attempts, call } = await tested('/other', (response) => void held.promise.then(() => response.end()));
    const first = send();
    await eventually(() => running.receiver.arrivals('/other').length === 1);
    const other = await otherProcess();
    const second = other.handler.test(call(60_000));
    // It has found the act by then.
    await eventually(() => other.transaction.mock.results.length === 1);
    await other.transaction.mock.results[0]?.value;
    held.resolve();
    expect(await second).toEqual(await first);
    expect(other.send).not.toHaveBeenCalled();
    expect(await attempts()).toHaveLength(1);
  });

  it('whose process has ended is not sent by another one, which cannot know what came of it', async () => {
    const { attempts, call } = await tested('/ended');
    const [first, other] = [await otherProcess(), await otherProcess()];
    first.send.mockRejectedValue(new Error('the process ended'));
    await expect(first.handler.test(call(60_000))).rejects.toThrow('the process ended');
    const refused = other.handler.test(call(1_000));
    await expect(refused).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1 });
    expect([first.send.mock.calls.length, other.send.mock.calls.length, await attempts()]).toEqual([1, 0, []]);
  });

  it('of which no end is recorded is listed as interrupted, and whatever comes of it later changes nothing', async () => {
    const { call, attempts } = await tested('/no-end');
    const stalled = await otherProcess();
    const answer = Promise.withResolvers<Awaited<ReturnType<SendRequest['send']>>>();
    stalled.send.mockReturnValue(answer.promise);
    const test = stalled.handler.test(call(60_000));
    await eventually(() => stalled.send.mock.calls.length === 1);
    expect(await running.superuser.query(agedSql, [])).toHaveLength(1);
    await eventually(async () => (await attempts()).length > 0, { deadlineMs: 60_000 });
    const interrupted = { kind: 'TEST', attempt: 1, outcome: 'FAILED', error: 'interrupted', responseStatus: null };
    expect(await attempts()).toMatchObject([interrupted]);
    const seen = { durationMs: 1, responseStatus: 200, responseBody: '', error: null, retryAfterMs: null };
    answer.resolve({ result: { ...seen, outcome: 'SUCCEEDED' }, reason: null, isCut: false, waitedMs: 0 });
    await test;
    expect(await attempts()).toMatchObject([interrupted]);
  });

  it('that never left is in no log of attempts, then or later', async () => {
    const { call } = await tested('/never');
    const late = await otherProcess();
    late.send.mockRejectedValue(new NeverSent('late'));
    await expect(late.handler.test(call(1_000))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await running.superuser.query(agedSql, [])).toEqual([]);
  });

  it('is in the audit log before its request has ended, once', async () => {
    const held = Promise.withResolvers<void>();
    const { by, send } = await tested('/audited', (response) => void held.promise.then(() => response.end()));
    const ended = send();
    await eventually(() => running.receiver.arrivals('/audited').length === 1);
    const acts = await running.superuser.query(actSql, [by.actId]);
    held.resolve();
    await ended;
    expect(acts.map(({ payload }) => JSON.parse(payload) as unknown)).toMatchObject([
      { data: { action: 'webhook.tested', after: { deliveryId: by.actId }, by } },
    ]);
  });
});
