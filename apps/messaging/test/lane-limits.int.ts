import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '@switchboard/platform';
import { eventually, testServers } from '@switchboard/testing';
import { ApplySuppressions } from '../src/apply-suppressions/apply-suppressions.js';
import type { LaneAttempt } from '../src/begin-bulk/claim-lanes.js';
import { nextLook, NO_FLOORS } from '../src/bulk-lane/channel-pace.repository.js';
import { LaneSignal } from '../src/bulk-lane/lane-signal.js';
import { BEGIN_WITHIN_MS } from '../src/dispatch/dispatch.entity.js';
import { RetrySignal } from '../src/dispatch/retry-signal.js';
import { SettleDispatch } from '../src/dispatch/settle-dispatch.batch.js';
import type { UpstreamOutcome } from '../src/upstream/upstream.js';
import { attemptsOf, LaneStore, type Job } from './lane-store.js';
import { contactOf, MessagingStore, settlementOf, taken, type Sender } from './messaging-store.js';
import { silentRelay } from './silent-relay.js';

const servers = testServers();
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const LATE: UpstreamOutcome = { state: 'not-taken', code: 'late', message: 'no', retry: 'not-begun' };
const refusedBy = (limit: 'throughput' | 'pair', code: string): UpstreamOutcome => {
  return { state: 'not-taken', code, message: 'no', retry: limit === 'pair' ? 'pair' : 'normal', limit };
};

describe('lanes of bulk sends, next to others and to the limits of the upstream', () => {
  let store: MessagingStore;
  let lanes: LaneStore;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
    lanes = new LaneStore(store);
  });
  beforeEach(() => lanes.forgetOthers());

  const paceOf = async ({ channelId }: Sender): Promise<number> => {
    const sql = 'SELECT share::float8 AS share FROM messaging.channel_pace WHERE channel_id = $1';
    return (await lanes.run<{ share: number }>(sql, [channelId]))[0]?.share ?? NaN;
  };
  /** When it last changed, in milliseconds. */
  const changedMs = async ({ channelId }: Sender): Promise<number> => {
    const sql =
      'SELECT (extract(epoch FROM share_changed_at) * 1000)::float8 AS ms FROM messaging.channel_pace WHERE channel_id = $1';
    return (await lanes.run<{ ms: number }>(sql, [channelId]))[0]?.ms ?? NaN;
  };
  const setPace = ({ channelId }: Sender, share: number, secondsAgo: number): Promise<unknown[]> =>
    lanes.run(
      `UPDATE messaging.channel_pace SET share = $2, share_changed_at = now() - make_interval(secs => $3)
       WHERE channel_id = $1`,
      [channelId, share, secondsAgo],
    );
  const claimedOf = async (job: Job): Promise<LaneAttempt[]> => {
    await lanes.look();
    return attemptsOf(await lanes.claim(), job);
  };
  /** As the dispatcher records it, the pace behind the commit included. */
  const settle = async (attempt: LaneAttempt, outcome: UpstreamOutcome): Promise<void> => {
    const settlements = new SettleDispatch(store.database, silentRelay, new RetrySignal(), new LaneSignal(), log);
    await settlements.execute(settlementOf(attempt, outcome));
    await settlements.beforeApplicationShutdown();
  };
  /** Milliseconds between the slots of what is claimed now. */
  const distanceMs = async (job: Job): Promise<number> => {
    await lanes.letPass(2_000);
    const [one, other] = (await claimedOf(job)).map(({ lane }) => lane.slotMs).toSorted((a, b) => a - b);
    return (other ?? NaN) - (one ?? NaN);
  };

  it('are looked at next when there is one, by the process that has it, and known to wait to every other one', async () => {
    const next = async (owner: string): Promise<[boolean, boolean]> => {
      const { inMs, isAnyWaiting } = await nextLook(store.database, owner, NO_FLOORS);
      return [inMs !== null, isAnyWaiting];
    };
    // Without a lane no credit is kept from which interactive sends would take.
    expect(await next('a process')).toEqual([false, false]);
    const sender = await store.sender(1);
    await lanes.submit(lanes.job(sender));
    expect(await next('a process')).toEqual([true, true]);
    await lanes.run(
      `UPDATE messaging.channel_pace SET owner = 'a process', owned_until = now() + interval '1 hour' WHERE channel_id = $1`,
      [sender.channelId],
    );
    expect([await next('a process'), await next('another')]).toEqual([
      [true, true],
      [false, true],
    ]);
  });

  it.each(['130429', '80007'])('halve their rate at %s, once for what was under way, and regain it', async (code) => {
    const sender = await store.sender(60);
    await lanes.setRate(sender, 20);
    const job = lanes.job(sender);
    await lanes.submit(job);
    await setPace(sender, 1, 3_600);
    const [one, other, third] = await claimedOf(job);
    if (!one || !other || !third) throw new Error('too few were claimed');
    await settle(one, refusedBy('throughput', code));
    expect(await paceOf(sender)).toBe(0.5);
    await setPace(sender, 0.5, -3_600);
    await settle(other, refusedBy('throughput', code));
    expect(await paceOf(sender)).toBe(0.5);
    await setPace(sender, 0.5, 4);
    const beforeMs = await changedMs(sender);
    await settle(third, refusedBy('throughput', code));
    // What was regained in these 4 s at least, then halved; an eighth of a rate in 4 s.
    const regained = (await changedMs(sender)) - beforeMs;
    expect(regained).toBeGreaterThanOrEqual(4_000);
    expect(await paceOf(sender)).toBeCloseTo(Math.min(0.5 + regained / 32_000, 1) / 2, 5);
    await setPace(sender, 0.25, 0);
    expect(await distanceMs(job)).toBeGreaterThan(50.1);
    await setPace(sender, 0.25, 24);
    expect(await distanceMs(job)).toBeCloseTo(50, 0);
  });

  it('send nothing slower than a 64th of their rate, however often the upstream refuses', async () => {
    const job = lanes.job(await store.sender(3));
    await lanes.submit(job);
    const [first] = await claimedOf(job);
    if (!first) throw new Error('nothing was claimed');
    // Changed a moment ago, but not too lately to be slowed again.
    await setPace(job.sender, 1 / 1_024, 2);
    await settle(first, refusedBy('throughput', '130429'));
    expect(await paceOf(job.sender)).toBeGreaterThanOrEqual(1 / 64);
  });

  it('delay the one recipient whose pair has its limit (131056), at the full rate of the others', async () => {
    const job = lanes.job(await store.sender(12));
    await lanes.submit(job);
    const [first] = attemptsOf(await lanes.claim('a process', 1), job);
    if (!first) throw new Error('nothing was claimed');
    await setPace(job.sender, 1, 3_600);
    const settledAt = new Date();
    await settle(first, refusedBy('pair', '131056'));
    expect(await paceOf(job.sender)).toBe(1);
    // Later by an hour, so that it does not become due while the machine stands still.
    const later = `UPDATE messaging.dispatch SET due_at = due_at + interval '1 hour'
      WHERE message_id = $1 AND due_at > $2::timestamptz + interval '2 seconds' RETURNING message_id`;
    expect((await lanes.run(later, [first.messageId, settledAt]))[0]).toEqual([{ message_id: first.messageId }]);
    await lanes.letPass(1_000);
    const others = await claimedOf(job);
    expect(others).toHaveLength(11);
    expect(others.map(({ messageId }) => messageId)).not.toContain(first.messageId);
    expect(await store.dispatches(first)).toMatchObject([{ state: 'PACED' }]);
  });

  it('leave ten recipients of another organization and channel their place in the first claim', async () => {
    const [crowd, few] = [await store.sender(120), await store.sender(10)];
    for (const sender of [crowd, few]) await lanes.setRate(sender, 10_000);
    const large = [lanes.job(crowd), lanes.job(crowd), lanes.job(crowd)];
    for (const job of large) await lanes.submit(job);
    const small = lanes.job(few);
    await lanes.submit(small);
    const claim = await lanes.claim('a process', 40);
    expect(attemptsOf(claim, small)).toHaveLength(10);
    const shares = large.map((job) => attemptsOf(claim, job).length);
    expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
  });

  it('begin no request to a contact behind its opt-out, which waits for what was claimed before', async () => {
    const suppressions = new ApplySuppressions(store.database, log);
    for (const isClaimedFirst of [true, false, true]) {
      const sender = await store.sender(4);
      const job = lanes.job(sender);
      await lanes.submit(job);
      const [target] = sender.contacts;
      if (!target) throw new Error('no contact');
      const begun: string[] = [];
      const send = async (attempt: LaneAttempt): Promise<void> => {
        // As the dispatcher: what is late is given back.
        const mayBegin = systemClock.monotonic() <= attempt.markedMs + BEGIN_WITHIN_MS;
        if (mayBegin) begun.push(attempt.messageId);
        await store.settle(settlementOf(attempt, mayBegin ? taken(attempt) : LATE));
      };
      const fence = async (): Promise<readonly string[]> => {
        const { contact } = contactOf(sender.organizationId, target.id, target.phone);
        const facts = { ...contact, version: 2, optOuts: [{ channelId: sender.channelId, source: 'API' as const }] };
        await suppressions.execute(sender.organizationId, { contact: facts }, AbortSignal.timeout(30_000));
        return [...begun];
      };
      const isSuppressed = async (): Promise<boolean> =>
        (await lanes.run('SELECT FROM messaging.suppression WHERE contact_id = $1', [target.id])).length > 0;
      const claimed = isClaimedFirst ? attemptsOf(await lanes.claim(), job) : [];
      const fenced = fence();
      if (!isClaimedFirst) claimed.push(...attemptsOf(await lanes.claim(), job));
      // The worst moment: the opt-out is committed, and what was claimed before begins now.
      await eventually(isSuppressed);
      await Promise.all(claimed.map(send));
      const beforeOptOut = await fenced;
      await Promise.all((await claimedOf(job)).map(send));
      const message = job.items[0]?.messageId ?? '';
      expect(begun.includes(message)).toBe(beforeOptOut.includes(message));
      expect(await lanes.states(job)).toEqual(claimed.length === 4 ? { BEGUN: 4 } : { BEGUN: 3, SKIPPED: 1 });
    }
  });
});
