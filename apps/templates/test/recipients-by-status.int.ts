import { expect, it } from '@jest/globals';
import type { RecipientStatus } from '@switchboard/contracts/templates/job-http';
import { blocksOf, planOf, preparedStatements, testServers } from '@switchboard/testing';
import { RecipientPageRepository } from '../src/list-recipients/recipient-page.repository.js';
import { templatesMigrations } from '../src/migrations/all.js';

const servers = testServers();
const RECIPIENTS = 20_000;

it('a page of recipients of a status ends with the last that the job has of it: of none nothing is read', async () => {
  const prepared = await servers.serviceDatabase('templates', templatesMigrations);
  const database = await prepared.database({ poolMax: 1 });
  const { dataSource } = await prepared.superuser();
  await dataSource.query(
    `INSERT INTO templates.job (organization_id, id, template_id, channel_id, total, reserved, quota_month)
     VALUES ('o', 'j', 't', 'l', ${RECIPIENTS}, ${RECIPIENTS}, '2026-11')`,
  );
  await dataSource.query(
    `INSERT INTO templates.recipient (organization_id, job_id, index, phone, status)
     SELECT 'o', 'j', n, '+1', CASE WHEN n IN (3, 5) THEN 'FAILED' ELSE 'READ' END FROM generate_series(0, ${RECIPIENTS - 1}) AS n`,
  );
  // Counted by two processes, one of which has seen a recipient leave what the other has seen it become.
  await dataSource.query(
    `INSERT INTO templates.job_count (organization_id, job_id, shard, queued, unconfirmed, sent, delivered, read, failed, skipped)
     VALUES ('o', 'j', 0, 0, 0, 0, 1, ${RECIPIENTS - 2}, 1, 0), ('o', 'j', 1, 0, 0, 0, -1, 0, 1, 0)`,
  );
  const recipients = new RecipientPageRepository(database);

  async function page(status: RecipientStatus | null): Promise<{ indexes: number[]; blocks: number }> {
    const found = await recipients.list('o', 'j', { behind: -1, status, limit: 26 });
    const ran = (await preparedStatements(database)).find(({ name }) => name === 'templates.recipient.page');
    if (!ran) throw new Error('the statement was not prepared');
    const values = [`'o'`, `'j'`, '-1', status === null ? 'NULL' : `'${status}'`, '26'];
    const blocks = blocksOf(await planOf(database, ran, { values, analyze: true }));
    return { indexes: found.map(({ index }) => index), blocks };
  }

  const first = Array.from({ length: 26 }, (_, index) => index);
  for (const [status, indexes] of [
    ['DELIVERED', []],
    ['SKIPPED', []],
    ['FAILED', [3, 5]],
    [null, first],
  ] as const) {
    const found = await page(status);
    expect(found.indexes).toEqual(indexes);
    expect(found.blocks).toBeLessThan(20);
  }
});
