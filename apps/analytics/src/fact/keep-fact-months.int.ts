import { beforeAll, describe, expect, it } from '@jest/globals';
import { cuidFloor } from '@switchboard/contracts/grammar/cuid';
import type { Database } from '@switchboard/postgres';
import { testServers } from '@switchboard/testing';
import { analyticsMigrations } from '../migrations/all.js';
import { keepFactMonths } from './keep-fact-months.js';

const servers = testServers();
let database: Database;
let superuser: Database;

beforeAll(async () => {
  const prepared = await servers.serviceDatabase('analytics', analyticsMigrations);
  [database, superuser] = await Promise.all([prepared.database(), prepared.superuser()]);
});

describe('months of facts', () => {
  const now = new Date();
  const idOf = (monthsAgo: number): string =>
    `${cuidFloor(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo, 12)))}0000000000000000`;
  const store = (id: string): Promise<unknown> =>
    superuser.dataSource.query(
      `INSERT INTO analytics.message_fact (organization_id, id, channel_id, contact_id, is_inbound, version, stage, is_failed)
       VALUES ('corg', $1, 'cchannel', 'ccontact', true, 1, 0, false)`,
      [id],
    );
  const partitionOf = async (id: string): Promise<string> => {
    const rows = await superuser.dataSource.query(
      'SELECT c.relname AS name FROM analytics.message_fact f JOIN pg_class c ON c.oid = f.tableoid WHERE f.id = $1',
      [id],
    );
    return rows[0].name;
  };

  it('that are not kept ready are made for what is stored in them', async () => {
    const ids = [30, 30, 14, 0].map(idOf);
    await keepFactMonths(database, ids, now);
    await keepFactMonths(database, ids, now);
    for (const id of new Set(ids)) await store(id);
    for (const id of ids) expect(await partitionOf(id)).toMatch(/^message_fact_\d{6}$/);
  });

  it('stay together with the others when rows of them are there already', async () => {
    await store(idOf(40));
    await keepFactMonths(database, [idOf(40)], now);
    expect(await partitionOf(idOf(40))).toBe('message_fact_other');
  });
});
