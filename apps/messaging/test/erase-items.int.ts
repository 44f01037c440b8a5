import { beforeAll, describe, expect, it } from '@jest/globals';
import { cuidFloor, newCuid } from '@switchboard/contracts/grammar/cuid';
import { testServers } from '@switchboard/testing';
import { eraseItems, skipItems } from '../src/erase-messages/erased-item.repository.js';
import { LaneStore, type Job } from './lane-store.js';
import { MessagingStore } from './messaging-store.js';

const servers = testServers();
const at = (behindMs: number): Date => new Date(Date.now() - 60_000 + behindMs);

describe('recipients of a contact that had another number before it was erased', () => {
  let store: MessagingStore;
  let lanes: LaneStore;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
    lanes = new LaneStore(store);
  });

  /** Two jobs for the same numbers, before and after one of them was given up. */
  async function jobsAround(): Promise<{ before: Job; after: Job; erased: Parameters<typeof skipItems>[1][number] }> {
    const sender = await store.sender(3);
    const jobAt = async (time: Date): Promise<Job> => {
      const job = { ...lanes.job(sender), jobId: cuidFloor(time) + newCuid().slice(9) };
      await lanes.submit(job);
      return job;
    };
    const [before, after] = [await jobAt(at(1_000)), await jobAt(at(3_000))];
    const [former, present] = sender.contacts.map(({ phone }) => phone);
    const until = at(2_000).toISOString();
    const erased = {
      organizationId: sender.organizationId,
      erasedAt: at(10_000),
      phoneForms: [present ?? ''],
      former: [{ phoneForms: [former ?? ''], upstreamUserIds: [], until }],
    };
    return { before, after, erased };
  }

  const statesOf = async ({ jobId }: Job): Promise<string[]> => {
    const rows: { state: string }[] = await lanes.run(
      'SELECT state FROM messaging.bulk_item WHERE job_id = $1 ORDER BY recipient_index',
      [jobId],
    );
    return rows.map(({ state }) => state);
  };
  const phonesOf = async ({ jobId, items }: Job): Promise<string[]> => {
    const rows: { phone: string }[] = await lanes.run(
      'SELECT phone FROM messaging.bulk_item WHERE job_id = $1 ORDER BY recipient_index',
      [jobId],
    );
    return rows.map(({ phone }, index) => (phone === items[index]?.to ? 'kept' : phone));
  };

  it('are skipped and overwritten in jobs of that time; in later ones they are somebody else’s', async () => {
    const { before, after, erased } = await jobsAround();
    await store.database.transaction((tx) => skipItems(tx, [erased]));
    const [skipped, waits] = [await statesOf(before), await statesOf(after)];
    expect(new Set(skipped.slice(0, 2)).size).toBe(1);
    expect(skipped[0]).not.toBe('WAITING');
    expect([skipped[2], ...waits]).toEqual(['WAITING', 'WAITING', skipped[0], 'WAITING']);
    await eraseItems(store.database, { ...erased, keepOn: () => Promise.resolve() });
    expect(await phonesOf(before)).toEqual(['', '', 'kept']);
    expect(await phonesOf(after)).toEqual(['kept', '', 'kept']);
  });

  it('are overwritten once they have begun, too', async () => {
    const { before, after, erased } = await jobsAround();
    await lanes.run("UPDATE messaging.bulk_item SET state = 'BEGUN' WHERE job_id = ANY ($1)", [
      [before.jobId, after.jobId],
    ]);
    await eraseItems(store.database, { ...erased, keepOn: () => Promise.resolve() });
    expect([await phonesOf(before), await phonesOf(after)]).toEqual([
      ['', '', 'kept'],
      ['kept', '', 'kept'],
    ]);
  });
});
