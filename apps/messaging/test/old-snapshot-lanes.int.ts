import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import type { Database } from '@switchboard/postgres';
import { behindSnapshot, blocksOfLooks, testServers } from '@switchboard/testing';
import { claimLanes } from '../src/begin-bulk/claim-lanes.js';
import { nextLook, sweepPaces } from '../src/bulk-lane/channel-pace.repository.js';
import { GetLaneStateHandler } from '../src/get-lane-state/get-lane-state.handler.js';
import { LaneStore, type Job } from './lane-store.js';
import { MessagingStore } from './messaging-store.js';

const servers = testServers();
const BEGUN = 20_000;
const OWNER = 'a process';

describe('lanes behind an old snapshot', () => {
  let store: MessagingStore;
  let lanes: LaneStore;
  /** Of one connection. */
  let database: Database;
  let job: Job;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
    lanes = new LaneStore(store);
    database = await store.openAnother();
    job = lanes.job(await store.sender(3));
    await lanes.submit(
      job,
      job.items.map((item) => ({ ...item, recipientIndex: BEGUN + item.recipientIndex })),
    );
    await items('an earlier job', 'BEGUN');
    await lanes.run('VACUUM ANALYZE messaging.bulk_item');
    await sweepPaces(database);
    const principal = systemPrincipal(job.sender.organizationId, 'jobs');
    const call = { principal, request: { jobId: job.jobId } } as Parameters<GetLaneStateHandler['get']>[0];
    await new GetLaneStateHandler(database).get(call);
  });

  async function items(jobId: string, state: string): Promise<void> {
    await lanes.run(
      `INSERT INTO messaging.bulk_item (organization_id, job_id, recipient_index, message_id, phone, state, is_contact_known)
       SELECT $1, $2, n, 'c' || n, '+1', $3, true FROM generate_series(0, $4::int - 1) AS n`,
      [job.sender.organizationId, jobId, state, BEGUN],
    );
  }

  /** One recipient begins. @returns where the next look may begin */
  async function begin(): Promise<number> {
    const spec = { owner: OWNER, lease: newCuid(), channelsMax: 32, attemptsMax: 1 };
    const { attempts } = await database.transaction((tx) => claimLanes(tx, spec));
    expect(attempts).toHaveLength(1);
    return (await nextLook(database, OWNER, -Infinity)).floorMs;
  }

  /** Pages that each look touches, while the channel waits for nothing, so that it is swept. */
  async function blocks(floorMs: number): Promise<Record<string, number>> {
    await lanes.forgetOthers();
    const { organizationId, channelId } = job.sender;
    const [lane] = await lanes.run<{ bound: number }>('SELECT waiting_from AS bound FROM messaging.bulk_lane');
    const floor = `'${floorMs}'`;
    return blocksOfLooks(database, {
      'messaging.pace.lock': [`'${OWNER}'`, '32', "'{}'", floor],
      'messaging.pace.next-look': [`'${OWNER}'`, floor],
      'messaging.pace.sweep': [],
      'messaging.lane.claimable': [`'{${organizationId}}'`, `'{${channelId}}'`, '201'],
      'messaging.lane-item.next': [`'{${organizationId}}'`, `'{${job.jobId}}'`, `'{${lane?.bound}}'`, "'{10}'"],
      'messaging.lane.state': [`'${organizationId}'`, `'${job.jobId}'`],
    });
  }

  /** Claims of the last hour: each has moved a look on and had a recipient begun, as far as the indexes can see. */
  async function churn(): Promise<void> {
    const { organizationId } = job.sender;
    await lanes.run(
      `INSERT INTO messaging.channel_pace (organization_id, channel_id, look_at, owner)
       SELECT $1, 'gone' || n, now() - n * interval '1 hour' / $2 - interval '1 minute', $3 FROM generate_series(1, $2::int) AS n`,
      [organizationId, BEGUN, OWNER],
    );
    await lanes.run("DELETE FROM messaging.channel_pace WHERE channel_id LIKE 'gone%'");
    await items(job.jobId, 'WAITING');
    await lanes.run("UPDATE messaging.bulk_item SET state = 'BEGUN' WHERE recipient_index < $1", [BEGUN]);
  }

  it('cost their looks what they cost without one, however many recipients have begun since', async () => {
    const floorMs = await begin();
    const before = await blocks(floorMs);
    await behindSnapshot(store.superuser, async () => {
      await churn();
      const behind = await blocks(floorMs);
      const dear = Object.entries(before).filter(([name, count]) => (behind[name] ?? Infinity) > 2 * count + 5);
      expect(dear.map(([name, count]) => ({ name, count, behind: behind[name] }))).toEqual([]);
      // Without floor and bound the entries are there to be walked through.
      await lanes.run('UPDATE messaging.bulk_lane SET waiting_from = 0');
      const whole = await blocks(-Infinity);
      const bound = Object.keys(before).filter((name) => (whole[name] ?? 0) > 200);
      expect(bound.toSorted()).toEqual(Object.keys(before).toSorted());
    });
  });
});
