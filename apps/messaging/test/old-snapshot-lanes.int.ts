import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import type { Database } from '@switchboard/postgres';
import { behindSnapshot, blocksOfLooks, MeasuredTables, testServers } from '@switchboard/testing';
import { claimLanes } from '../src/begin-bulk/claim-lanes.js';
import { nextLook, NO_FLOORS, sweepPaces, type LaneFloors } from '../src/bulk-lane/channel-pace.repository.js';
import { claimPaced } from '../src/dispatch/paced-claim.repository.js';
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
  let tables: MeasuredTables;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
    lanes = new LaneStore(store);
    database = await store.openAnother();
    job = lanes.job(await store.sender(3));
    await lanes.submit(
      job,
      job.items.map((item) => ({ ...item, recipientIndex: BEGUN + item.recipientIndex })),
    );
    const names = ['dispatch', 'channel_pace', 'bulk_item', 'bulk_lane'].map((name) => `messaging.${name}`);
    tables = await MeasuredTables.of(store.superuser, ...names);
    await items('an earlier job', 'BEGUN');
    await lanes.run('VACUUM ANALYZE messaging.bulk_item');
    await sweepPaces(database);
    await database.transaction((tx) => claimPaced(tx, [{ ...job.sender, jobId: job.jobId, count: 1 }], 'l', -Infinity));
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

  /** One recipient begins. @returns where the next looks may begin */
  async function begin(): Promise<LaneFloors> {
    const spec = { owner: OWNER, lease: newCuid(), channelsMax: 32, attemptsMax: 1 };
    const { attempts } = await database.transaction((tx) => claimLanes(tx, spec));
    expect(attempts).toHaveLength(1);
    return nextLook(database, OWNER, NO_FLOORS);
  }

  /** Pages that each look touches, while the channel waits for nothing, so that it is swept. */
  async function blocks({ looksFromMs, repeatsFromMs }: LaneFloors): Promise<Record<string, number>> {
    await lanes.forgetOthers();
    const { organizationId, channelId } = job.sender;
    const [lane] = await lanes.run<{ bound: number }>('SELECT waiting_from AS bound FROM messaging.bulk_lane');
    const [looks, repeats] = [`'${looksFromMs}'`, `'${repeatsFromMs}'`];
    return blocksOfLooks(database, {
      'messaging.pace.lock': [`'${OWNER}'`, '32', "'{}'", looks],
      'messaging.pace.next-look': [`'${OWNER}'`, looks, repeats],
      'messaging.pace.sweep': [repeats],
      'messaging.lane.claimable': [`'{${organizationId}}'`, `'{${channelId}}'`, '201', repeats, "'{34}'"],
      'messaging.dispatch.claim-paced': [
        "'l'",
        `'{${organizationId}}'`,
        `'{${channelId}}'`,
        `'{${job.jobId}}'`,
        "'{10}'",
        repeats,
      ],
      'messaging.lane-item.next': [`'{${organizationId}}'`, `'{${job.jobId}}'`, `'{${lane?.bound}}'`, "'{10}'"],
      'messaging.lane.state': [`'${organizationId}'`, `'${job.jobId}'`, repeats],
    });
  }

  /** Claims of the last hour: each has moved a look on, had a recipient begun and another one repeated, as far as the indexes can see. */
  async function churn(): Promise<void> {
    const { organizationId } = job.sender;
    await lanes.run(
      `INSERT INTO messaging.channel_pace (organization_id, channel_id, look_at, owner)
       SELECT $1, 'gone' || n, now() - n * interval '1 hour' / $2 - interval '1 minute', $3 FROM generate_series(1, $2::int) AS n`,
      [organizationId, BEGUN, OWNER],
    );
    await lanes.run("DELETE FROM messaging.channel_pace WHERE channel_id LIKE 'gone%'");
    await lanes.run(
      `INSERT INTO messaging.dispatch (organization_id, message_id, channel_id, contact_id, recipient_phone, lease, state, due_at,
         attempts, job_id)
       SELECT $1, 'c' || n, $2, 'contact' || n, '+14155550100', 'l', 'PACED', now() - n * interval '1 hour' / $4 - interval '1 minute', 1, $3
       FROM generate_series(1, $4::int) AS n`,
      [organizationId, job.sender.channelId, job.jobId, BEGUN],
    );
    await lanes.run("DELETE FROM messaging.dispatch WHERE state = 'PACED'");
    await items(job.jobId, 'WAITING');
    await lanes.run("UPDATE messaging.bulk_item SET state = 'BEGUN' WHERE recipient_index < $1", [BEGUN]);
  }

  it('cost their looks what they cost without one, however many recipients have begun since', async () => {
    const floors = await begin();
    const before = await blocks(floors);
    await behindSnapshot(store.superuser, async () => {
      await churn();
      // Plans are made anew from other samples.
      for (let again = 0; again < 3; again++) {
        await tables.measure(database);
        const behind = await blocks(floors);
        const dear = Object.entries(before).filter(([name, count]) => (behind[name] ?? Infinity) > 2 * count + 5);
        expect(dear.map(([name, count]) => ({ name, count, behind: behind[name] }))).toEqual([]);
      }
      // Without floor and bound the entries are there to be walked through.
      await lanes.run('UPDATE messaging.bulk_lane SET waiting_from = 0');
      const whole = await blocks(NO_FLOORS);
      const bound = Object.keys(before).filter((name) => (whole[name] ?? 0) > 200);
      expect(bound.toSorted()).toEqual(Object.keys(before).toSorted());
    });
  });
});
