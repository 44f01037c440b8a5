import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { testServers } from '@switchboard/testing';
import { LaneStore } from '../../test/lane-store.js';
import { callbackOf, MessagingStore, settlementOf } from '../../test/messaging-store.js';
import { lockPaces } from '../bulk-lane/channel-pace.repository.js';
import type { Attempt } from '../dispatch/dispatch.entity.js';
import { orphanedAttempts } from '../dispatch/orphaned-attempts.repository.js';
import { claimRetries, retryLines } from '../dispatch/retry-claim.repository.js';
import { failExpired } from '../settle-overdue/settle-overdue.js';
import { takeBackRestored } from './take-back-restored.js';

const servers = testServers();
const throttled = { state: 'not-taken', code: '130429', message: 'too many', retry: 'normal' } as const;
const lines: { readonly event: string; readonly fields: unknown }[] = [];
const log = {
  info: () => undefined,
  warn: (event: string, fields?: object) => void lines.push({ event, fields }),
  error: () => undefined,
};

describe('messaging on a database that was restored', () => {
  let store: MessagingStore;
  const sql = (text: string): Promise<unknown> => store.superuser.dataSource.query(text);

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
  });
  beforeEach(async () => {
    lines.length = 0;
    await store.forgetDispatches();
    await sql('DELETE FROM messaging.incarnation');
  });

  /** As the row of a backup is found. */
  const backedUp = (): Promise<unknown> =>
    sql(
      `INSERT INTO messaging.incarnation VALUES (1, 7, 'old', NULL, 0, now() - interval '1 hour', now() - interval '1 day')`,
    );
  const compared = (): Promise<unknown> =>
    sql('UPDATE messaging.incarnation SET compared_at = now(), server_started_at = pg_postmaster_start_time()');
  const takeBack = (writtenBefore = new Date(Date.now() + 1_000)): Promise<void> =>
    takeBackRestored(store.database, { writtenBefore, number: 7, lastNumber: 9 }, log);
  const claim = async (): Promise<string[]> => {
    const bounds = { limit: 10, organizationMax: 10, underway: new Map() };
    const { lines } = await retryLines(store.database, null, 64);
    const claimed = await claimRetries(store.database, lines, bounds, newCuid());
    return claimed.map(({ messageId }) => messageId);
  };
  const retry = async (isDue: boolean): Promise<Attempt> => {
    const attempt = await store.attempt(await store.sender());
    await store.settle(settlementOf(attempt, throttled));
    if (isDue) await store.letTimePass(attempt);
    return attempt;
  };

  it('sends nothing that is due, settles nothing by its age and takes nothing over before it is compared', async () => {
    const due = await retry(true);
    const left = await store.attempt(await store.sender());
    await backedUp();
    expect(await claim()).toEqual([]);
    expect(await orphanedAttempts(store.database, [left.lease])).toEqual([]);
    await sql(`UPDATE messaging.dispatch SET state = 'UNKNOWN' WHERE message_id = '${due.messageId}'`);
    expect(await failExpired(store.database, 10, new Date())).toBe(0);
    await sql(`UPDATE messaging.dispatch SET state = 'RETRY' WHERE message_id = '${due.messageId}'`);
    await compared();
    expect(await orphanedAttempts(store.database, [left.lease])).toHaveLength(1);
    expect(await claim()).toEqual([due.messageId]);
  });

  it('never sends again what was due or under way at the backup; a status settles it', async () => {
    const sender = await store.sender();
    const underway = await store.attempt(sender);
    const due = await retry(true);
    const later = await retry(false);
    await backedUp();
    await takeBack();
    await compared();
    expect(await claim()).toEqual([]);
    expect(await store.dispatches(underway)).toMatchObject([{ state: 'UNKNOWN', lease: 'restored' }]);
    expect(await store.dispatches(due)).toMatchObject([{ state: 'UNKNOWN', lease: 'restored' }]);
    // A journal that outlived the restore does not speak for them.
    expect(await orphanedAttempts(store.database, [underway.lease, due.lease])).toEqual([]);
    expect(lines).toEqual([{ event: 'dispatch.restored', fields: { messages: 2, lanes: 0 } }]);
    await store.callbacks(callbackOf(sender, underway, { status: 'delivered' }));
    expect(await store.message(underway)).toMatchObject({ status: 'DELIVERED' });
    // It cannot have been attempted before it was due.
    await store.letTimePass(later);
    expect(await claim()).toEqual([later.messageId]);
  });

  it('leaves alone what has been accepted since the restore', async () => {
    const restoredAt = new Date(Date.now() - 60_000);
    const due = await retry(true);
    const underway = await store.attempt(await store.sender());
    await takeBack(restoredAt);
    expect(await store.dispatches(underway)).toMatchObject([{ state: 'DISPATCHING', lease: underway.lease }]);
    expect(await claim()).toEqual([due.messageId]);
  });

  it('begins no recipient of a lane before it is compared, and none of the backup after it', async () => {
    const lanes = new LaneStore(store);
    const [before, since] = [lanes.job(await store.sender(2)), lanes.job(await store.sender(2))];
    const begun = lanes.job(await store.sender(1));
    await lanes.submit(begun);
    const [refused] = (await lanes.claim()).attempts;
    if (!refused) throw new Error('nothing was claimed');
    await store.settle(settlementOf(refused, throttled));
    await lanes.run("UPDATE messaging.dispatch SET due_at = now() + interval '1 hour'");
    await lanes.submit(before);
    await backedUp();
    const paces = await store.database.transaction((tx) => lockPaces(tx, 'process', 10));
    expect(paces).toEqual([]);
    await takeBack();
    await lanes.submit(since);
    await compared();
    expect(lines).toEqual([{ event: 'dispatch.restored', fields: { messages: 0, lanes: 2 } }]);
    // The last message of a job that may have been cancelled since, which was to be sent again.
    await lanes.run("UPDATE messaging.dispatch SET due_at = now() WHERE state = 'PACED'");
    await lanes.look();
    const claimed = await lanes.claim();
    expect(new Set(claimed.attempts.map(({ lane }) => lane.jobId))).toEqual(new Set([since.jobId]));
  });
});
