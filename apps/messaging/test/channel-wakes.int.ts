import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { lockWaiters, testServers } from '@switchboard/testing';
import { eventually } from '@switchboard/testing/eventually';
import { ChannelWakes } from '../src/bulk-lane/channel-wakes.batch.js';
import { LaneSignal } from '../src/bulk-lane/lane-signal.js';
import { LaneStore } from './lane-store.js';
import { MessagingStore } from './messaging-store.js';

const servers = testServers();
/** Far more than a pool has connections. */
const JOBS = 30;

describe('a channel that something new waits for', () => {
  let store: MessagingStore;
  let lanes: LaneStore;
  let wakes: ChannelWakes;
  let holder: Awaited<ReturnType<MessagingStore['superuser']['connect']>>;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
    lanes = new LaneStore(store);
    wakes = new ChannelWakes(store.database, new LaneSignal());
  });
  beforeEach(async () => {
    await lanes.forgetOthers();
    holder = await store.superuser.connect();
    await holder.query('BEGIN');
  });
  afterEach(() => holder.release(true));

  it('takes one connection, however many jobs wait for a claim that holds it, and other channels are looked at meanwhile', async () => {
    const [crowded, other] = [await store.sender(2), await store.sender(1)];
    const jobs = Array.from({ length: JOBS }, () => lanes.job(crowded));
    for (const job of jobs) await lanes.submit(job);
    await lanes.run(`UPDATE messaging.bulk_lane SET waiting_from = 9 WHERE channel_id = $1`, [crowded.channelId]);
    await lanes.forgetOthers();
    await holder.query('SELECT FROM messaging.channel_pace WHERE channel_id = $1 FOR UPDATE', [crowded.channelId]);
    const { organizationId } = crowded;
    const waiting = Promise.all(
      jobs.flatMap(({ jobId }) =>
        [1, 0].map((lowestIndex) => wakes.execute(crowded, { organizationId, jobId, lowestIndex })),
      ),
    );
    await eventually(async () => (await lockWaiters(store.superuser)) > 0);
    await wakes.execute(other);
    expect(await lockWaiters(store.superuser)).toBeLessThanOrEqual(1);
    await holder.query('ROLLBACK');
    await waiting;
    const woken = await lanes.run(
      `SELECT p.look_at < 'infinity' AS "isLookedAt", min(l.waiting_from) AS lowest, max(l.waiting_from) AS highest
       FROM messaging.channel_pace p LEFT JOIN messaging.bulk_lane l ON l.channel_id = p.channel_id
       WHERE p.channel_id = ANY($1) GROUP BY p.channel_id, p.look_at ORDER BY p.channel_id = $2`,
      [[crowded.channelId, other.channelId], other.channelId],
    );
    expect(woken).toEqual([
      { isLookedAt: true, lowest: 0, highest: 0 },
      { isLookedAt: true, lowest: null, highest: null },
    ]);
  });
});
