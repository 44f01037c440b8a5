import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { context, SpanKind, trace } from '@opentelemetry/api';
import { deliveryReportRpc } from '@switchboard/contracts/analytics/rpc';
import { contactChanged } from '@switchboard/contracts/contacts/events';
import { resolveContactsRpc as rpc, type ContactFacts } from '@switchboard/contracts/contacts/rpc';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { RpcDefinition } from '@switchboard/contracts/grammar/define-rpc';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import { getChannelRpc } from '@switchboard/contracts/messaging/rpc';
import { messagingContactsConsumer } from '@switchboard/contracts/consumers';
import {
  activeTraceparent,
  Budget,
  EventPublisher,
  PullConsumer,
  RpcClient,
  RpcServerStrategy,
  RpcUnanswered,
  type DeliveredEvent,
  type NatsConnection,
  type RpcCall,
  type StoredEvent,
} from '@switchboard/nats';
import { rpcFailure } from '@switchboard/platform';
import { collectSpans } from '../collect-spans.js';
import { eventually, testServers, type TestNats } from '../index.js';
import { patientBudget, TRY_MS } from '../patient-budget.js';
import { AskingClient } from './asking-client.js';

const servers = testServers();
const principal = systemPrincipal('corg', 'test');
const request = { sightings: [] };
const answer: { contacts: ContactFacts[] } = { contacts: [] };
type Call = RpcCall<unknown>;

let nats: TestNats;
let client: AskingClient;
beforeAll(async () => {
  nats = await servers.nats();
  client = new AskingClient(await nats.connect('messaging'));
});

describe('an rpc', () => {
  let connection: NatsConnection;
  let running: RpcServerStrategy | undefined;
  beforeAll(async () => (connection = await nats.connect('contacts')));
  afterEach(async () => {
    await running?.close();
    running = undefined;
  });

  const serve = (
    handler: (call: Call) => Promise<unknown>,
    inFlightMax = 10,
    served: { readonly rpc: RpcDefinition; readonly connection: NatsConnection } = { rpc, connection },
  ): RpcServerStrategy => {
    running = new RpcServerStrategy({
      connection: served.connection,
      service: served.rpc.owner,
      inFlightMax,
      failureOf: (error) => rpcFailure(error instanceof AppError ? error : new AppError(serviceErrors.INTERNAL)),
    });
    running.addHandler(served.rpc.subject, handler);
    running.listen(() => undefined);
    return running;
  };

  it('brings principal and request to the handler and its answer back', async () => {
    const calls: Call[] = [];
    serve(async (call) => (calls.push(call), { contacts: [], more: 1 }));
    expect(await client.call(rpc, principal, request)).toEqual({ contacts: [], more: 1 });
    expect(calls).toEqual([{ principal, request, budget: expect.any(Budget), callId: expect.any(String) }]);
  });

  it('refuses with the code, the sentence and the details of the service', async () => {
    const details = { retryAfterSeconds: 7, messageId: 'cmessage1' };
    serve(() => Promise.reject(new AppError(gatewayErrors.RATE_LIMITED, 'Slow down', details)));
    const refused = client.call(rpc, principal, request);
    await expect(refused).rejects.toBeInstanceOf(AppError);
    const said = { code: 'RATE_LIMITED', status: 429, message: 'Slow down' };
    await expect(refused).rejects.toMatchObject({ ...said, ...details });
  });

  it('had no effect when no process took it within the budget, and finds a service that comes meanwhile', async () => {
    const unanswered = client.call(rpc, principal, request, { budget: patientBudget(150) });
    await expect(unanswered).rejects.toBeInstanceOf(RpcUnanswered);
    await expect(unanswered).rejects.toMatchObject({ effect: 'none', subject: rpc.subject });
    const early = client.call(rpc, principal, request);
    await connection.flush();
    serve(() => Promise.resolve(answer));
    expect(await early).toEqual(answer);
  });

  it('has an unknown effect when the answer is late, and signals the handler that no caller waits any more', async () => {
    const aborted = Promise.withResolvers<unknown>();
    const release = Promise.withResolvers<unknown>();
    let isTaken = false;
    serve(({ budget: { signal } }) => {
      isTaken = true;
      signal.addEventListener('abort', () => aborted.resolve(signal.reason));
      return release.promise;
    });
    await connection.flush();
    const late = () => client.call(rpc, principal, request, { deadlineMs: 3_000 }).catch((error: unknown) => error);
    // What is read too late is not taken.
    expect(await eventually(async () => [await late()].find(() => isTaken))).toMatchObject({ effect: 'unknown' });
    expect(await aborted.promise).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    release.resolve(answer);
  });

  it('is not asked at all when the budget is spent, and has had no effect', async () => {
    const calls: Call[] = [];
    serve(async (call) => (calls.push(call), answer));
    const asked = client.call(rpc, principal, request, { budget: new Budget(0) });
    await expect(asked).rejects.toMatchObject({ name: 'RpcUnanswered', effect: 'none' });
    expect(calls).toEqual([]);
  });

  it('hands on less with every hop, and never more than its own deadline', async () => {
    const given: number[] = [];
    const [asking, relaying] = [new RpcClient(await nats.connect('messaging')), new RpcClient(connection)];
    const last = new RpcServerStrategy({
      connection: await nats.connect('messaging'),
      service: 'messaging',
      inFlightMax: 10,
      failureOf: () => rpcFailure(new AppError(serviceErrors.INTERNAL)),
    });
    servers.onEnd(() => last.close());
    last.addHandler(getChannelRpc.subject, async ({ budget }: Call) => (given.push(budget.leftMs), answer));
    last.listen(() => undefined);
    serve(async ({ budget }) => {
      given.push(budget.leftMs);
      return relaying.call({ ...getChannelRpc, deadlineMs: TRY_MS }, principal, { id: null }, { budget });
    });
    for (const ownMs of [TRY_MS / 2, TRY_MS * 2]) {
      const budget = new Budget(ownMs);
      await asking.call({ ...rpc, deadlineMs: TRY_MS }, principal, request, { budget });
      const [first = NaN, second = NaN] = given.splice(0);
      expect(first).toBeLessThanOrEqual(Math.min(ownMs, TRY_MS) - 250);
      expect(second).toBeLessThan(first);
    }
  });

  it('is refused at once beyond the bound of what is under way, and taken again below it', async () => {
    const release = Promise.withResolvers<unknown>();
    const entered: Call[] = [];
    serve((call) => (entered.push(call), release.promise), 2);
    const taken = [client.call(rpc, principal, request), client.call(rpc, principal, request)];
    await eventually(() => entered.length === 2);
    await expect(client.call(rpc, principal, request, {})).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    release.resolve(answer);
    expect(await Promise.all(taken)).toEqual([answer, answer]);
    expect(await client.call(rpc, principal, request)).toEqual(answer);
  });

  it('of an organization whose requests do not end finds a bound before all places are taken: another is served', async () => {
    const release = Promise.withResolvers<unknown>();
    let entered = 0;
    serve(() => (++entered === 4 && release.resolve(answer), release.promise), 4);
    const stuck = [1, 2, 3].map(() => client.call(rpc, principal, request));
    await eventually(() => entered === 3);
    await expect(client.call(rpc, principal, request, {})).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    stuck.push(client.call(rpc, systemPrincipal('another', 'test'), request));
    expect(await Promise.all(stuck)).toEqual(stuck.map(() => answer));
  });

  it('that is under way is answered before the server has closed; the next one finds no process', async () => {
    const release = Promise.withResolvers<unknown>();
    const entered = Promise.withResolvers<void>();
    const server = serve(() => (entered.resolve(), release.promise));
    const call = client.call(rpc, principal, request);
    await entered.promise;
    let isClosed = false;
    const closing = server.close().then(() => (isClosed = true));
    running = undefined;
    // The broker has heard of the end when it answers what was sent after it; a request before that would be taken.
    await connection.flush();
    const next = client.call(rpc, principal, request, { budget: patientBudget(100) });
    await expect(next).rejects.toMatchObject({ effect: 'none' });
    expect(isClosed).toBe(false);
    release.resolve(answer);
    expect(await call).toEqual(answer);
    await closing;
  });

  it('is INTERNAL when its answer is larger than a message may be, and the server goes on', async () => {
    let size = 2 * 1024 * 1024;
    serve(async () => 'x'.repeat(size));
    await expect(client.call(rpc, principal, request)).rejects.toMatchObject({ code: 'INTERNAL' });
    size = 10;
    expect(await client.call(rpc, principal, request)).toBe('x'.repeat(10));
  });

  it('whose answer has no limit is answered in parts, whole and in order, up to 32 MiB', async () => {
    // The broker lets only an rpc of the topology that says so be answered in parts.
    const unlimited: RpcDefinition = deliveryReportRpc;
    const client = new AskingClient(await nats.connect('gateway'));
    let answered: unknown = answer;
    serve(async () => answered, 10, { rpc: unlimited, connection: await nats.connect('analytics') });
    expect(await client.call(unlimited, principal, request)).toEqual(answer);
    // Characters of three bytes: parts end within them.
    answered = Array.from({ length: 2_500 }, (_none, index) => `${index} ${'字'.repeat(300)}`);
    const [one, other] = await Promise.all([1, 2].map(() => client.call(unlimited, principal, request)));
    expect([one, other]).toEqual([answered, answered]);
    answered = 'x'.repeat(33 * 1024 * 1024);
    await expect(client.call(unlimited, principal, request)).rejects.toMatchObject({ code: 'INTERNAL' });
    await running?.close();
    const unanswered = client.call(unlimited, principal, request, { budget: patientBudget(150) });
    await expect(unanswered).rejects.toMatchObject({ name: 'RpcUnanswered', effect: 'none' });
  });

  it('in parts has an unknown effect when the answer is late', async () => {
    const release = Promise.withResolvers<unknown>();
    serve(() => release.promise);
    await connection.flush();
    const late = client.call({ ...rpc, inParts: true }, principal, request, { deadlineMs: 3_000 });
    await expect(late).rejects.toMatchObject({ name: 'RpcUnanswered', effect: 'unknown' });
    release.resolve(answer);
  });

  it('and an event carry the trace', async () => {
    const collector = collectSpans();
    servers.onEnd(() => collector.stop());
    serve(() => Promise.resolve(answer));
    const root = trace.getTracer('test').startSpan('root');
    const traceparent = await context.with(trace.setSpan(context.active(), root), async () => {
      await client.call(rpc, principal, request);
      return activeTraceparent();
    });
    root.end();
    const { traceId } = root.spanContext();
    const spans = collector.named(rpc.subject);
    const [server, caller] = [
      spans.find(({ kind }) => kind === SpanKind.SERVER),
      spans.find(({ kind }) => kind === SpanKind.CLIENT),
    ];
    expect(caller).toMatchObject({ parentSpanContext: { spanId: root.spanContext().spanId } });
    expect(server).toMatchObject({ parentSpanContext: { spanId: caller?.spanContext().spanId, traceId } });

    const heard: DeliveredEvent[] = [];
    const consumer = new PullConsumer({
      connection: await nats.connect('messaging'),
      consumer: messagingContactsConsumer,
      batchMax: 10,
      handle: async (events) => events.map((event) => (heard.push(event), { ack: true })),
      onMalformed: () => undefined,
      onError: () => undefined,
    });
    consumer.start();
    servers.onEnd(() => consumer.stop());
    await new EventPublisher(connection, 'contacts').publish({ ...newEvent(), traceparent });
    const [delivered] = await eventually(() => heard.length > 0 && heard);
    await consumer.stop();
    expect(trace.getSpanContext(delivered?.context ?? context.active())).toMatchObject({ traceId });
  });
});

describe('a consumer', () => {
  it('hears an event that was given back again after the pause, not before, and drops what is no event', async () => {
    const publisher = new EventPublisher(await nats.connect('contacts'), 'contacts');
    const heard: { readonly id: string; readonly deliveries: number; readonly atMs: number }[] = [];
    const malformed: unknown[] = [];
    const consumer = new PullConsumer({
      connection: await nats.connect('messaging'),
      consumer: messagingContactsConsumer,
      batchMax: 10,
      handle: async (events) =>
        events.map(({ envelope: { id }, deliveries }) => {
          heard.push({ id, deliveries, atMs: performance.now() });
          // Pauses are drawn, and so have fractions.
          return deliveries === 1 ? { retryAfterMs: 300.123456789 } : { ack: true };
        }),
      onMalformed: (_subject, error) => void malformed.push(error),
      onError: () => undefined,
    });
    servers.onEnd(() => consumer.stop());
    for (const payload of ['no JSON', 'null', '[]', '{"id":"c1"}', '{"id":7,"subject":"x"}']) {
      await publisher.publish({ ...newEvent(), payload });
    }
    const event = newEvent();
    await publisher.publish(event);
    consumer.start();
    const own = await eventually(() => {
      const deliveries = heard.filter(({ id }) => id === event.id);
      return deliveries.length === 2 && deliveries;
    });
    const [first, second] = own.map(({ atMs }) => atMs);
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(290);
    expect(own.map(({ deliveries }) => deliveries)).toEqual([1, 2]);
    expect(malformed).toHaveLength(5);
  });
});

function newEvent(): StoredEvent {
  const [id, subject] = [newCuid(), contactChanged.subject];
  return { id, subject, payload: JSON.stringify({ id, subject }), traceparent: null };
}
