import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { cuidGenerator, newCuid } from '@switchboard/contracts/grammar/cuid';
import { testServers } from '@switchboard/testing';
import { attemptsOf, LaneStore } from './lane-store.js';
import { MessagingStore, settlementOf, taken } from './messaging-store.js';
import { ORDER_WITHIN_MS, type Attempt } from '../src/dispatch/dispatch.entity.js';
import { claimRetries, retryLines, type ClaimedAttempt } from '../src/dispatch/retry-claim.repository.js';
import type { AcceptRequest } from '../src/send-message/accept-message.batch.js';

const servers = testServers();
const throttled = { state: 'not-taken', code: '130429', message: 'too many', retry: 'normal' } as const;

describe('what is still to be sent', () => {
  let store: MessagingStore;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
  });

  // What a test leaves behind becomes due while another runs, which would claim it.
  beforeEach(() => store.forgetDispatches());

  describe('of one conversation', () => {
    it('goes in its order: a fresh one is queued behind one that is deferred, and follows it', async () => {
      const sender = await store.sender();
      const first = await store.attempt(sender);
      // Due later than this test takes: time passes when it says so.
      await store.settle(settlementOf(first, { ...throttled, retry: 'slow' }));
      const [second, third] = [await store.attempt(sender), await store.attempt(sender)];
      const rows = await Promise.all([second, third].map((one) => store.dispatches(one)));
      expect(rows).toMatchObject([[{ state: 'RETRY', attempts: 0 }], [{ state: 'RETRY', attempts: 0 }]]);
      expect(await claim()).toEqual([]);
      await store.letTimePass(first);
      for (const message of [first, second, third]) {
        const claimed = await claim();
        expect(claimed.map(({ messageId }) => messageId)).toEqual([message.messageId]);
        // Not while the one before it is under way.
        expect(await claim()).toEqual([]);
        for (const attempt of claimed) await store.settle(settlementOf(attempt, taken(attempt)));
      }
      expect(await store.dispatches(await store.attempt(sender))).toMatchObject([{ state: 'DISPATCHING' }]);
    });

    it('follows one that is being sent again, which may be refused once more', async () => {
      const sender = await store.sender(2);
      const first = await store.attempt(sender);
      await store.settle(settlementOf(first, throttled));
      await store.letTimePass(first);
      const [again] = await claim();
      if (!again) throw new Error('nothing was claimed');
      const second = await store.attempt(sender);
      expect(await store.dispatches(second)).toMatchObject([{ state: 'RETRY', attempts: 0 }]);
      expect(await store.dispatches(await store.attempt(sender, 1))).toMatchObject([{ state: 'DISPATCHING' }]);
      expect(await claim()).toEqual([]);
      await store.settle(settlementOf(again, throttled));
      await store.letTimePass(first);
      for (const message of [first, second]) {
        const claimed = await claim();
        expect(claimed.map(({ messageId }) => messageId)).toEqual([message.messageId]);
        // The one that waited is in its turn followed, though it is its first attempt.
        expect(await store.dispatches(await store.attempt(sender))).toMatchObject([{ state: 'RETRY' }]);
        await store.superuser.dataSource.query(
          'DELETE FROM messaging.dispatch WHERE organization_id = $1 AND attempts = 0 AND message_id <> ALL ($2::text[])',
          [sender.organizationId, [first.messageId, second.messageId]],
        );
        for (const attempt of claimed) await store.settle(settlementOf(attempt, taken(attempt)));
      }
      expect(await store.dispatches(await store.attempt(sender))).toMatchObject([{ state: 'DISPATCHING' }]);
    });

    it('holds up no bulk send while it is being sent again', async () => {
      const lanes = new LaneStore(store);
      const sender = await store.sender();
      const first = await store.attempt(sender);
      await store.settle(settlementOf(first, throttled));
      await store.letTimePass(first);
      expect(await claim()).toHaveLength(1);
      const job = lanes.job(sender);
      await lanes.submit(job);
      expect(attemptsOf(await lanes.claim(), job)).toHaveLength(1);
      // Nor does a send that somebody waits for follow the bulk one.
      await store.settle(settlementOf(first, taken(first)));
      expect(await store.dispatches(await store.attempt(sender))).toMatchObject([{ state: 'DISPATCHING' }]);
    });

    it('follows none whose process has gone, once its lease is over', async () => {
      const sender = await store.sender();
      const first = await store.attempt(sender);
      await store.settle(settlementOf(first, throttled));
      await store.letTimePass(first);
      expect(await claim()).toHaveLength(1);
      await store.letTimePass(first);
      expect(await store.dispatches(await store.attempt(sender))).toMatchObject([{ state: 'DISPATCHING' }]);
    });

    it('holds up no other conversation, and after five minutes none at all', async () => {
      const sender = await store.sender(2);
      const old = { ...store.request(sender), messageId: agedId(ORDER_WITHIN_MS + 1_000) };
      const deferred = await attemptOf(old);
      await store.settle(settlementOf(deferred, throttled));
      expect(await store.dispatches(await store.attempt(sender, 0))).toMatchObject([{ state: 'DISPATCHING' }]);
      const young = await attemptOf({
        ...store.request(sender),
        messageId: agedId(ORDER_WITHIN_MS - 30_000),
      });
      await store.settle(settlementOf(young, throttled));
      expect(await store.dispatches(await store.attempt(sender, 0))).toMatchObject([{ state: 'RETRY' }]);
      expect(await store.dispatches(await store.attempt(sender, 1))).toMatchObject([{ state: 'DISPATCHING' }]);
    });
  });

  it('that never began counts as no attempt, and is due again well within a second, however often', async () => {
    const sender = await store.sender();
    let attempt: Attempt = await store.attempt(sender);
    const notBegun = {
      state: 'not-taken',
      code: 'UPSTREAM_UNREACHABLE',
      message: 'in use',
      retry: 'not-begun',
    } as const;
    const delays = new Set<number>();
    for (let times = 0; times < 20; times++) {
      await store.settle(settlementOf(attempt, notBegun));
      expect(await store.dispatches(attempt)).toMatchObject([{ state: 'RETRY', attempts: 0 }]);
      const sql = `SELECT extract(epoch FROM due_at - now())::float8 AS s FROM messaging.dispatch WHERE message_id = $1`;
      const [row]: { s: number }[] = await store.superuser.dataSource.query(sql, [attempt.messageId]);
      expect(row?.s).toBeLessThan(0.6);
      delays.add(row?.s ?? 0);
      await store.letTimePass(attempt);
      const [claimed] = await claim({ limit: 1 });
      if (!claimed) throw new Error('not claimed');
      attempt = claimed;
    }
    expect(delays.size).toBeGreaterThan(10);
  });

  async function claim(bounds: Partial<Parameters<typeof claimRetries>[2]> = {}): Promise<ClaimedAttempt[]> {
    const { lines } = await retryLines(store.database, null, 64);
    const all = { limit: 200, organizationMax: 200, underway: new Map<string, number>(), ...bounds };
    return claimRetries(store.database, lines, all, newCuid());
  }

  /** Of a message that was created so many milliseconds ago. */
  function agedId(ageMs: number): string {
    const now = (): number => Date.now() - ageMs;
    return cuidGenerator({ now, fill: (bytes) => void globalThis.crypto.getRandomValues(bytes) })();
  }

  async function attemptOf(request: AcceptRequest): Promise<Attempt> {
    const [result] = await store.accept([request]);
    if (result?.verdict !== 'accepted') throw new Error(`not accepted but ${result?.verdict}`);
    return result.attempt;
  }
});
