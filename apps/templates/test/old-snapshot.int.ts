import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '@switchboard/postgres';
import { behindSnapshot, blocksOfLooks, MeasuredTables, testServers } from '@switchboard/testing';
import { nextFeed, takeFeeds } from '../src/feed-jobs/job-feed.repository.js';
import { templatesMigrations } from '../src/migrations/all.js';

const servers = testServers();
const LOOKS = 20_000;

describe('the feeds of jobs behind an old snapshot', () => {
  /** Of one connection. */
  let database: Database;
  let superuser: Database;
  let tables: MeasuredTables;

  beforeAll(async () => {
    const prepared = await servers.serviceDatabase('templates', templatesMigrations);
    [database, superuser] = [await prepared.database({ poolMax: 1 }), await prepared.superuser()];
    tables = await MeasuredTables.of(superuser, 'templates.job', 'templates.job_feed');
    await run(`
      INSERT INTO templates.job (organization_id, id, template_id, channel_id, total, reserved, quota_month)
      SELECT 'o', 'j' || n, 't', 'l', 1, 1, '2026-02' FROM generate_series(1, 3) AS n`);
    await run(
      `INSERT INTO templates.job_feed (organization_id, job_id, due_at) SELECT organization_id, id, now() FROM templates.job`,
    );
    expect(await takeFeeds(database, 1)).toHaveLength(1);
  });

  async function run(sql: string): Promise<void> {
    await superuser.dataSource.query(sql);
  }

  /** Pages that each look touches, while every job is due. */
  async function blocks(floorMs: number): Promise<Record<string, number>> {
    await run('UPDATE templates.job_feed SET due_at = now()');
    return blocksOfLooks(database, {
      'templates.job-feed.next-due': [`'${floorMs}'`],
      'templates.job-feed.take': ['8', "'l'", `'${floorMs}'`],
    });
  }

  /** Looks of the last hour: each has moved a job's entry on, as far as the index can see. */
  async function churn(): Promise<void> {
    await run(`
      INSERT INTO templates.job_feed (organization_id, job_id, due_at)
      SELECT 'o', 'gone' || n, now() - n * interval '1 hour' / ${LOOKS} - interval '1 minute' FROM generate_series(1, ${LOOKS}) AS n`);
    await run("DELETE FROM templates.job_feed WHERE job_id LIKE 'gone%'");
  }

  it('cost their looks what they cost without one, however many looks were since', async () => {
    const { floorMs } = await nextFeed(database);
    const before = await blocks(floorMs);
    await behindSnapshot(superuser, async () => {
      await churn();
      // Plans are made anew from other samples.
      for (let again = 0; again < 3; again++) {
        await tables.measure(database);
        const behind = await blocks(floorMs);
        const dear = Object.entries(before).filter(([name, count]) => (behind[name] ?? Infinity) > 2 * count + 5);
        expect(dear.map(([name, count]) => ({ name, count, behind: behind[name] }))).toEqual([]);
      }
      // Without the floor the entries are there to be walked through.
      const whole = await blocks(-Infinity);
      expect(Object.keys(before).filter((name) => (whole[name] ?? 0) < 200)).toEqual([]);
    });
  });
});
