import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { createLog } from '@switchboard/platform';
import { eventually, FakeClock, testServers } from '@switchboard/testing';
import { sentAt } from '../../test/aged-messages.js';
import { attemptsOf, LaneStore } from '../../test/lane-store.js';
import { MessagingStore, settlementOf, type Sender } from '../../test/messaging-store.js';
import { silentRelay } from '../../test/silent-relay.js';
import type { Attempt } from '../dispatch/dispatch.entity.js';
import { claimRetries, retryLines, unclaim } from '../dispatch/retry-claim.repository.js';
import { SETTLE_DEADLINE_MS } from '../dispatch/retry.policy.js';
import { failExpired } from './settle-overdue.js';
import { SettleOverdueWorker } from './settle-overdue.worker.js';

const servers = testServers();
const throttled = { state: 'not-taken', code: '130429', message: 'too many', retry: 'normal' } as const;
const log = createLog('messaging', { write: () => undefined });

describe('an attempt whose holder does not end it in time', () => {
  let store: MessagingStore;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
  });
  beforeEach(() => store.forgetDispatches());

  it('is unknown although its lease ended long ago, as behind an outage of all processes', async () => {
    const attempt = await store.attempt(await store.sender());
    await store.superuser.dataSource.query(
      "UPDATE messaging.dispatch SET due_at = now() - interval '1 hour' WHERE message_id = $1",
      [attempt.messageId],
    );
    const worker = new SettleOverdueWorker(store.database, silentRelay, new FakeClock(), log);
    worker.onApplicationBootstrap();
    try {
      await eventually(async () => (await store.dispatches(attempt))[0]?.state === 'UNKNOWN');
    } finally {
      await worker.onModuleDestroy();
    }
  });

  it('is not postponed by it when another has the lease by now', async () => {
    const attempt = await store.attempt(await store.sender());
    await store.settle(settlementOf(attempt, throttled));
    await store.letTimePass(attempt);
    const lease = newCuid();
    const { lines } = await retryLines(store.database, null, 8);
    const bounds = { limit: 8, organizationMax: 8, underway: new Map() };
    expect(await claimRetries(store.database, lines, bounds, lease)).toMatchObject([{ messageId: attempt.messageId }]);
    const underway = [{ state: 'DISPATCHING', attempts: 2, lease }];
    for (const outcome of [throttled, { state: 'unknown', reason: 'cut' } as const]) {
      await store.settle(settlementOf(attempt, outcome));
      expect(await store.dispatches(attempt)).toMatchObject(underway);
    }
    await unclaim(store.database, [attempt.lease]);
    expect(await store.dispatches(attempt)).toMatchObject(underway);
  });

  it('goes back to its lane when it was of a bulk send and never began', async () => {
    const lanes = await LaneStore.anew(store);
    const job = lanes.job(await store.sender());
    await lanes.submit(job);
    const lease = newCuid();
    const [attempt] = attemptsOf(await lanes.claim('a process', 8, lease), job);
    if (!attempt) throw new Error('nothing was claimed');
    await unclaim(store.database, [lease]);
    expect(await store.dispatches(attempt)).toMatchObject([{ state: 'PACED', attempts: 0 }]);
  });

  it('fails a minute after the last claim that it may have, so that no message is both sent and failed', async () => {
    const sender = await store.sender(2);
    const [claimable, expired] = [await retryOfAge(sender, 0, 30_000), await retryOfAge(sender, 1, 90_000)];
    expect(await failExpired(store.database, 8, new Date())).toBe(1);
    expect(await store.message(claimable)).toMatchObject({ status: 'QUEUED' });
    expect(await store.message(expired)).toMatchObject({ status: 'FAILED', errorCode: 'UPSTREAM_UNAVAILABLE' });
  });

  /** A message that is to be sent again, so much older than it is tried. */
  async function retryOfAge(sender: Sender, contact: number, beyondMs: number): Promise<Attempt> {
    const attempt = await sentAt(store, sender, new Date(Date.now() - SETTLE_DEADLINE_MS - beyondMs), contact);
    await store.settle(settlementOf(attempt, throttled));
    return attempt;
  }
});
