import { beforeAll, describe, expect, it } from '@jest/globals';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import { blocksOf, planOf, preparedStatements, testServers } from '@switchboard/testing';
import { GetLaneStateHandler } from '../src/get-lane-state/get-lane-state.handler.js';
import { LaneStore, type Job } from './lane-store.js';
import { MessagingStore } from './messaging-store.js';

const servers = testServers();
const BEGUN = 20_000;

describe('the state of a lane', () => {
  let store: MessagingStore;
  let lanes: LaneStore;
  let job: Job;

  beforeAll(async () => {
    // One connection, which has prepared what it was asked.
    store = await MessagingStore.open(servers, 1);
    lanes = new LaneStore(store);
    job = lanes.job(await store.sender(5));
    await lanes.submit(job);
    await lanes.run(`UPDATE messaging.bulk_item SET is_contact_known = false WHERE recipient_index < 2`);
    await lanes.run(
      `INSERT INTO messaging.bulk_item (organization_id, job_id, recipient_index, message_id, phone, state, is_contact_known)
       SELECT $1, $2, n, 'c' || n, '+1', 'BEGUN', n % 2 = 0 FROM generate_series(100, 99 + ${BEGUN}) AS n`,
      [job.sender.organizationId, job.jobId],
    );
    await lanes.run('VACUUM ANALYZE messaging.bulk_item');
  });

  it('counts who waits, whether or not the contact is known, and reads nothing of those who began', async () => {
    const { sender, jobId } = job;
    const principal = systemPrincipal(sender.organizationId, 'test');
    const call = { principal, request: { jobId } } as Parameters<GetLaneStateHandler['get']>[0];
    expect(await new GetLaneStateHandler(store.database).get(call)).toMatchObject({ waiting: 5, repeating: 0 });
    const statements = await preparedStatements(store.database);
    const state = statements.find(({ text }) => text.includes('AS waiting') && text.includes('"perSecond"'));
    if (!state) throw new Error('the statement is not prepared');
    const values = [`'${sender.organizationId}'`, `'${jobId}'`, "'-Infinity'"];
    expect(blocksOf(await planOf(store.database, state, { values, analyze: true }))).toBeLessThan(60);
  });
});
