import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { testServers } from '@switchboard/testing';
import { claimableLanes } from '../src/begin-bulk/claimable-lanes.repository.js';
import { closeFinished } from '../src/close-lanes/close-lanes.js';
import { attemptsOf, LaneStore, type Job } from './lane-store.js';
import { MessagingStore } from './messaging-store.js';

const servers = testServers();

describe('many lanes of a channel', () => {
  let store: MessagingStore;
  let lanes: LaneStore;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
    lanes = new LaneStore(store);
  });
  beforeEach(() => lanes.forgetOthers());

  const claimable = async ({ sender }: Job, limit = 201): Promise<readonly string[]> =>
    store.database.transaction(async (tx) => (await claimableLanes(tx, [sender], limit)).map(({ jobId }) => jobId));

  it('are claimed for until their job has finished, and while something of them is to be sent again', async () => {
    const sender = await store.sender(2);
    const [waiting, begun, finished, repeated] = [0, 1, 2, 3].map(() => lanes.job(sender)) as [Job, Job, Job, Job];
    for (const job of [begun, finished, repeated]) await lanes.submit(job);
    const attempts = await lanes.claim();
    await lanes.submit(waiting);
    await finish(finished, repeated);
    const [again] = attemptsOf(attempts, repeated);
    await lanes.run(
      `UPDATE messaging.dispatch SET state = 'PACED', due_at = now() + interval '1 minute' WHERE message_id = $1`,
      [again?.messageId],
    );
    expect(await claimable(waiting)).toEqual([waiting.jobId, begun.jobId, repeated.jobId].toSorted());
  });

  it('are closed as fast as jobs finish', async () => {
    const sender = await store.sender(1);
    await lanes.run(
      `INSERT INTO messaging.bulk_lane (organization_id, job_id, channel_id, finished_at)
       SELECT $1, 'cold' || n, $2, now() - interval '2 hours' FROM generate_series(1, 250) AS n`,
      [sender.organizationId, sender.channelId],
    );
    const rounds: boolean[] = [];
    do rounds.push(await closeFinished(store.database));
    while (rounds.at(-1) === true);
    expect(rounds).toEqual([true, true, false]);
  });

  async function finish(...jobs: readonly Job[]): Promise<void> {
    const ids = jobs.map(({ jobId }) => jobId);
    await lanes.run('UPDATE messaging.bulk_lane SET finished_at = now() WHERE job_id = ANY ($1)', [ids]);
  }
});
