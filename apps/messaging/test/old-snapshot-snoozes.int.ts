import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createLog, systemClock } from '@switchboard/platform';
import type { Database } from '@switchboard/postgres';
import { behindSnapshot, blocksOfLooks, MeasuredTables, testServers } from '@switchboard/testing';
import { SnoozeSignal } from '../src/conversation/snooze-signal.js';
import { nextSnooze, wakeSnoozed } from '../src/wake-snoozed/wake-snoozed.js';
import { WakeSnoozedWorker } from '../src/wake-snoozed/wake-snoozed.worker.js';
import { silentRelay } from './silent-relay.js';
import { TestInbox } from './test-inbox.js';

const servers = testServers();
const ENDED = 20_000;

class Rounds extends WakeSnoozedWorker {
  override round() {
    return super.round();
  }
}

describe('snoozes behind an old snapshot', () => {
  let inbox: TestInbox;
  /** Of one connection. */
  let database: Database;
  let conversations: MeasuredTables;

  beforeAll(async () => {
    inbox = await TestInbox.open(servers);
    database = await inbox.prepared.database({ poolMax: 1 });
    conversations = await MeasuredTables.of(inbox.superuser, 'messaging.conversation');
    await look();
  });

  /** So many that ended between then and then. @param from PostgreSQL interval, as `to`: how long ago */
  async function snooze(count: number, from: string, to: string): Promise<void> {
    const { id } = await inbox.addContact();
    await inbox.superuser.dataSource.query(
      `INSERT INTO messaging.conversation (organization_id, id, channel_id, contact_id, status, position, last_message_at,
         event_sequence, snoozed_until)
       SELECT $1, 'c' || n, 'channel' || n, $4, 'SNOOZED', n, now(), 1, now() - $3::interval - ($5::interval - $3::interval) * n / $2
       FROM generate_series(1, $2::int) AS n`,
      [inbox.organizationId, count, to, id, from],
    );
  }

  async function look(floorMs = -Infinity): Promise<number> {
    await database.transaction((tx) => wakeSnoozed(tx, 500, floorMs));
    const next = await database.transaction((tx) => nextSnooze(tx, floorMs));
    return next.floorMs;
  }

  it('are found from 30 s ago, when none waits: one that is committed late ends', async () => {
    const floorMs = await look();
    const { superuser } = inbox;
    await snooze(1, '29 seconds', '28 seconds');
    const next = await database.transaction((tx) => nextSnooze(tx, floorMs));
    expect(next.inMs).toBeLessThan(-28_000);
    // And above the floor that it makes, while it waits.
    expect(await database.transaction((tx) => wakeSnoozed(tx, 500, next.floorMs))).toHaveLength(1);
    expect((await database.transaction((tx) => nextSnooze(tx, floorMs))).inMs).toBeNull();
    await superuser.dataSource.query('DELETE FROM messaging.conversation');
  });

  it('all end in one round that begins below the floor, as behind a restored backup', async () => {
    const clock = jest.spyOn(systemClock, 'monotonic').mockReturnValue(0);
    try {
      const worker = new Rounds(
        database,
        silentRelay,
        createLog('messaging', { write: () => undefined }),
        new SnoozeSignal(),
      );
      await worker.round();
      await snooze(1_200, '1 hour', '50 minutes');
      clock.mockReturnValue(60_000);
      await worker.round();
      const left = "SELECT FROM messaging.conversation WHERE status = 'SNOOZED'";
      expect(await inbox.superuser.dataSource.query(left)).toEqual([]);
    } finally {
      clock.mockRestore();
      await inbox.superuser.dataSource.query('DELETE FROM messaging.conversation');
    }
  });

  it('cost each look what it costs without one, however many have ended since', async () => {
    const floorMs = await look();
    const looks = (fromMs: number): Promise<Record<string, number>> =>
      blocksOfLooks(database, {
        'messaging.conversation.wake': ['500', "'{}'", `'${fromMs}'`],
        'messaging.conversation.next-snooze': [`'${fromMs}'`],
      });
    const before = await looks(floorMs);
    await behindSnapshot(inbox.superuser, async () => {
      await snooze(ENDED, '1 hour', '1 minute');
      await inbox.superuser.dataSource.query("UPDATE messaging.conversation SET status = 'OPEN', snoozed_until = NULL");
      // Plans are made anew from other samples.
      for (let again = 0; again < 3; again++) {
        await conversations.measure(database);
        const behind = await looks(floorMs);
        const dear = Object.entries(before).filter(([name, count]) => (behind[name] ?? Infinity) > 2 * count + 5);
        expect(dear.map(([name, count]) => ({ name, count, behind: behind[name] }))).toEqual([]);
      }
      // At no floor the entries are there to be walked through.
      for (const count of Object.values(await looks(-Infinity))) expect(count).toBeGreaterThan(500);
    });
  });
});
