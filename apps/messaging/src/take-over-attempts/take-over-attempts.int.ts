import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Log } from '@switchboard/platform';
import { testServers } from '@switchboard/testing';
import { endedCopyOf } from '../../test/ended-journal.js';
import { attemptsOf, LaneStore } from '../../test/lane-store.js';
import { MessagingStore, settlementOf, taken, type Sender } from '../../test/messaging-store.js';
import { LEASE_MS, type Attempt } from '../dispatch/dispatch.entity.js';
import { DispatchJournal } from '../dispatch/dispatch-journal.js';
import { TakeOverAttempts } from './take-over-attempts.js';

const servers = testServers();
const log: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe('attempts that a killed process left open', () => {
  let store: MessagingStore;
  let folder = '';
  let journal: DispatchJournal;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
    await store.lengthenMarks();
    folder = await mkdtemp(join(tmpdir(), 'take-over-'));
    journal = await DispatchJournal.open(folder, log);
    servers.onEnd(async () => {
      await journal.close({ isAllRecorded: true });
      await rm(folder, { recursive: true, force: true });
    });
  });

  it('are sent at once when they never began, and wait for evidence as UNKNOWN when they may have', async () => {
    const sender = await store.sender(2);
    const [notBegun, begun] = [await marked(sender, 0), await marked(sender, 1)];
    journal.begin(begun);
    const takeOver = await successor();
    await takeOver.execute(0);
    expect(await store.dispatches(notBegun)).toMatchObject([{ state: 'RETRY', attempts: 0 }]);
    // An opt-out still waits for what may be on its way.
    expect(await store.dispatches(begun)).toMatchObject([{ state: 'DISPATCHING' }]);
    await store.endLengthenedMark(begun);
    await takeOver.execute(1);
    expect(await store.dispatches(begun)).toMatchObject([{ state: 'UNKNOWN', attempts: 1 }]);
  });

  it('are released when the successor comes only after their leases ended', async () => {
    const notBegun = await marked(await store.sender());
    await store.superuser.dataSource.query("UPDATE messaging.dispatch SET state = 'UNKNOWN' WHERE message_id = $1", [
      notBegun.messageId,
    ]);
    await (await successor()).execute(0);
    expect(await store.dispatches(notBegun)).toMatchObject([{ state: 'RETRY', attempts: 0 }]);
  });

  it('are found as well when the COMMIT that marked them was done after the first look', async () => {
    const takeOver = await successor();
    await takeOver.execute(0);
    const late = await marked(await store.sender());
    await takeOver.execute(LEASE_MS);
    expect(await store.dispatches(late)).toMatchObject([{ state: 'RETRY' }]);
  });

  it('are decided when their row is free, with the journal kept that long, and hold up none of others', async () => {
    const [locked, other] = [await marked(await store.sender()), await marked(await store.sender())];
    const copy = await endedCopyOf(folder, journal.instance);
    const takeOver = new TakeOverAttempts(store.database, copy, 'successor');
    const holder = await store.superuser.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM messaging.message WHERE id = $1 FOR UPDATE', [locked.messageId]);
      const { released } = await takeOver.execute(0);
      expect(released.map(({ messageId }) => messageId)).toEqual([other.messageId]);
      expect(await store.dispatches(other)).toMatchObject([{ state: 'RETRY', attempts: 0 }]);
      await takeOver.execute(LEASE_MS + 1);
      expect(await readdir(copy)).not.toEqual([]);
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
    await takeOver.execute(LEASE_MS + 2);
    expect(await store.dispatches(locked)).toMatchObject([{ state: 'RETRY', attempts: 0 }]);
    expect(await readdir(copy)).toEqual([]);
  });

  it('are decided once: nothing of the journal is left when no COMMIT can come any more', async () => {
    const copy = await endedCopyOf(folder, journal.instance);
    const takeOver = new TakeOverAttempts(store.database, copy, 'successor');
    await takeOver.execute(0);
    expect(await readdir(copy)).not.toEqual([]);
    await takeOver.execute(LEASE_MS + 1);
    expect(await readdir(copy)).toEqual([]);
  });

  it('leave nothing in memory when another replica has taken them over', async () => {
    const copy = await endedCopyOf(folder, journal.instance);
    const takeOver = new TakeOverAttempts(store.database, copy, 'successor');
    await takeOver.execute(0);
    const away = `${copy}-away`;
    await rename(copy, away);
    await mkdir(copy);
    await takeOver.execute(1);
    await rm(copy, { recursive: true });
    await rename(away, copy);
    // As one that is found for the first time.
    await takeOver.execute(LEASE_MS + 2);
    expect(await readdir(copy)).not.toEqual([]);
    await takeOver.execute(2 * LEASE_MS + 3);
    expect(await readdir(copy)).toEqual([]);
  });

  it('are not decided by a database that is not compared, nor does their journal go meanwhile', async () => {
    const attempt = await marked(await store.sender());
    const copy = await endedCopyOf(folder, journal.instance);
    const takeOver = new TakeOverAttempts(store.database, copy, 'successor');
    const run = (sql: string): Promise<unknown> => store.superuser.dataSource.query(sql);
    await run(`INSERT INTO messaging.incarnation VALUES (1, 7, 'old', NULL, 0, now() - interval '1 hour', now())`);
    try {
      for (const nowMs of [0, LEASE_MS + 1]) expect((await takeOver.execute(nowMs)).released).toEqual([]);
      expect(await store.dispatches(attempt)).toMatchObject([{ state: 'DISPATCHING' }]);
      expect(await readdir(copy)).not.toEqual([]);
    } finally {
      await run('DELETE FROM messaging.incarnation');
    }
    await takeOver.execute(LEASE_MS + 2);
    expect(await store.dispatches(attempt)).toMatchObject([{ state: 'RETRY', attempts: 0 }]);
    expect(await readdir(copy)).not.toEqual([]);
  });

  it('are announced where they are of a bulk send and may have begun', async () => {
    const lanes = await LaneStore.anew(store);
    const job = lanes.job(await store.sender());
    await lanes.submit(job);
    const [attempt] = attemptsOf(await lanes.claim('a process', 8, journal.newLease()), job);
    if (!attempt) throw new Error('nothing was claimed');
    journal.begin(attempt);
    await store.endLengthenedMark(attempt);
    await (await successor()).execute(0);
    expect(await store.dispatches(attempt)).toMatchObject([{ state: 'UNKNOWN' }]);
    const events = await store.events(job.sender.organizationId);
    const unknown = events.filter(({ subject }) => subject === 'messaging.message.outcome-unknown.v1');
    expect(unknown).toMatchObject([{ data: { jobId: job.jobId, messageId: attempt.messageId } }]);
  });

  it('stay as they are while their process lives, and when it settled them', async () => {
    const [open, settled] = [await marked(await store.sender()), await marked(await store.sender())];
    await new TakeOverAttempts(store.database, folder, 'successor').execute(0);
    expect(await store.dispatches(open)).toMatchObject([{ state: 'DISPATCHING' }]);
    await store.settle(settlementOf(settled, taken(settled)));
    await (await successor()).execute(0);
    expect(await store.dispatches(settled)).toEqual([]);
    expect(await store.message(settled)).toMatchObject({ status: 'SENT' });
  });

  /** Takes over after a process that is killed now. */
  async function successor(): Promise<TakeOverAttempts> {
    return new TakeOverAttempts(store.database, await endedCopyOf(folder, journal.instance), 'successor');
  }

  async function marked(sender: Sender, contact = 0): Promise<Attempt> {
    const request = { ...store.request(sender, contact), lease: journal.newLease() };
    const [result] = await store.accept([request]);
    if (result?.verdict !== 'accepted') throw new Error(`not accepted but ${result?.verdict}`);
    return result.attempt;
  }
});
