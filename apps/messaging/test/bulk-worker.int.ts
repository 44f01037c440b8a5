import { beforeAll, describe, expect, it } from '@jest/globals';
import { systemClock, type Clock, type Log } from '@switchboard/platform';
import type { RpcClient } from '@switchboard/nats';
import { eventually, testServers } from '@switchboard/testing';
import { BeginBulkWorker } from '../src/begin-bulk/begin-bulk.worker.js';
import { InteractiveBegins } from '../src/bulk-lane/interactive-begins.js';
import { LaneSignal, UnknownContactSignal } from '../src/bulk-lane/lane-signal.js';
import { AccessTokens } from '../src/channel/access-token.js';
import { DispatchJournal } from '../src/dispatch/dispatch-journal.js';
import { Dispatcher } from '../src/dispatch/dispatcher.js';
import { ReleasedLeases } from '../src/dispatch/released-leases.js';
import { RetrySignal } from '../src/dispatch/retry-signal.js';
import { SettleDispatch } from '../src/dispatch/settle-dispatch.batch.js';
import type { SendLimits, Upstream, UpstreamOutcome, UpstreamTemplateMessage } from '../src/upstream/upstream.js';
import { LaneStore, type Job } from './lane-store.js';
import { MessagingStore, storeKey } from './messaging-store.js';
import { silentRelay } from './silent-relay.js';

const servers = testServers();
const log: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** When the last attempt began, as the loop saw it: on a busy machine the provider may hear of it milliseconds later. */
let begunAtMs = -Infinity;
const clock: Clock = {
  ...systemClock,
  monotonic: () => (begunAtMs = systemClock.monotonic()),
};

describe('the loop over lanes', () => {
  let store: MessagingStore;
  let lanes: LaneStore;

  beforeAll(async () => {
    store = await MessagingStore.open(servers, 16);
    lanes = new LaneStore(store);
  });

  it('keeps the distance of a throttle where requests begin, over refusals and a process that ends, each recipient once', async () => {
    const begun: { readonly atMs: number; readonly reference: string }[] = [];
    const refused = new Set<string>();
    const upstream = upstreamOf((message) => {
      begun.push({ atMs: begunAtMs, reference: message.reference });
      // The first of three is refused for now, once.
      const isRefused = begun.length % 3 === 1 && !refused.has(message.reference);
      if (!isRefused) return { state: 'accepted', upstreamMessageId: `wamid.${message.reference}`, messagingId: null };
      refused.add(message.reference);
      return { state: 'not-taken', code: '131016', message: 'later', retry: 'normal' };
    });
    const job = lanes.job(await store.sender(12), 36_000);
    const stopFirst = await processOf(upstream);
    await lanes.submit(job);
    await eventually(() => begun.length >= 5);
    const stopSecond = await processOf(upstream);
    // What it had claimed and not begun goes to the other.
    await stopFirst();
    await eventually(async () => (await sent(job)) === 12);
    await stopSecond();
    expect(begun).toHaveLength(12 + refused.size);
    for (const [index, { atMs }] of begun.entries()) {
      expect(atMs - (begun[index - 1]?.atMs ?? -Infinity)).toBeGreaterThanOrEqual(100);
    }
    expect(await lanes.begun(job)).toHaveLength(begun.length);
  });

  it('goes on with what was begun before the clock of the database stepped back, a throttled job at its distance', async () => {
    const [free, throttled] = [lanes.job(await store.sender(4)), lanes.job(await store.sender(4), 36_000)];
    const begun = new Map<string, number>();
    const upstream = upstreamOf((message) => {
      begun.set(message.reference, begunAtMs);
      return { state: 'accepted', upstreamMessageId: `wamid.${message.reference}`, messagingId: null };
    });
    const sendAll = async (from: number, to: number): Promise<void> => {
      for (const job of [free, throttled]) await lanes.submit(job, job.items.slice(from, to));
      const stop = await processOf(upstream);
      try {
        await eventually(async () => (await sent(free)) === to && (await sent(throttled)) === to);
      } finally {
        await stop();
      }
    };
    await sendAll(0, 2);
    await lanes.letPass(-600_000);
    await sendAll(2, 4);
    const times = throttled.items.map(({ messageId }) => begun.get(messageId) ?? NaN);
    for (const [index, atMs] of times.entries())
      expect(atMs - (times[index - 1] ?? -Infinity)).toBeGreaterThanOrEqual(100);
  });

  async function sent({ jobId }: Job): Promise<number> {
    const sql = "SELECT FROM messaging.message WHERE job_id = $1 AND status = 'SENT'";
    return (await lanes.run(sql, [jobId])).length;
  }

  /** A process's loop with a dispatcher of its own, over the same database. */
  async function processOf(upstream: Upstream): Promise<() => Promise<void>> {
    const { database } = store;
    const [signal, begins, stopping] = [new LaneSignal(), new InteractiveBegins(), new AbortController()];
    const settlements = new SettleDispatch(database, silentRelay, new RetrySignal(), signal, log);
    const journal = await DispatchJournal.open('', log);
    const rpc = { call: async () => ({ contacts: [] }) } as Partial<RpcClient> as RpcClient;
    const tokens = new AccessTokens({ current: storeKey, previous: null });
    const end = stopping.signal;
    const dispatcher = new Dispatcher(upstream, settlements, tokens, journal, rpc, begins, clock, end, log);
    const released = new ReleasedLeases(database, systemClock, log);
    const unknown = new UnknownContactSignal();
    const worker = new BeginBulkWorker(
      database,
      dispatcher,
      journal,
      released,
      silentRelay,
      begins,
      unknown,
      end,
      log,
      signal,
    );
    worker.onApplicationBootstrap();
    return async () => {
      stopping.abort();
      await worker.onModuleDestroy();
      await dispatcher.onModuleDestroy();
      await settlements.beforeApplicationShutdown();
      await released.onModuleDestroy();
    };
  }
});

/** A provider that answers at once; an attempt begins when it is asked, and asks the clock last. */
function upstreamOf(answer: (message: UpstreamTemplateMessage) => UpstreamOutcome): Upstream {
  return {
    sendTemplate: async (message: UpstreamTemplateMessage, { onBegin }: SendLimits) => {
      onBegin();
      return answer(message);
    },
    close: async () => undefined,
  } as Partial<Upstream> as Upstream;
}
