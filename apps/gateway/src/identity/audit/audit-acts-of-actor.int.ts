import { expect, it } from '@jest/globals';
import { blocksOf, planOf, preparedStatements, testServers } from '@switchboard/testing';
import { gatewayMigrations } from '../../migrations/all.js';
import { listAudit } from './audit.repository.js';

const servers = testServers();

it('finds one kind of act of one actor without those of others, and without what else it did', async () => {
  const prepared = await servers.serviceDatabase('gateway', gatewayMigrations);
  const database = await prepared.database({ poolMax: 1 });
  const { dataSource } = await prepared.superuser();
  await dataSource.query('ALTER TABLE gateway.audit_entry DISABLE TRIGGER chain_audit_entry');
  await dataSource.query(
    `INSERT INTO gateway.audit_entry (organization_id, sequence, action, actor_type, actor_id, at, recorded_by, hash)
     SELECT 'o', n, CASE WHEN n % 2 = 0 OR n = 7 THEN 'plan.changed' ELSE 'session.opened' END, 'user',
       CASE WHEN n % 2 = 0 THEN 'often' ELSE 'never' END, now() + make_interval(secs => n), 'r', '\\x'::bytea
     FROM generate_series(1, 20000) AS n`,
  );
  await dataSource.query('VACUUM ANALYZE gateway.audit_entry');

  const asked = { organizationId: 'o', since: null, until: null, limit: 100, cursor: null };
  const page = await listAudit(database, { ...asked, action: 'plan.changed', actor: 'never' });
  expect(page.items.map(({ sequence }) => sequence)).toEqual([7]);

  const lists = await preparedStatements(database);
  const list = lists.find(({ name }) => name === 'gateway.list-audit-action-actor');
  if (!list) throw new Error('the list has another name');
  const values = [`'o'`, String(Number.MAX_SAFE_INTEGER), '101', `'plan.changed'`, `'never'`];
  const plan = await planOf(database, list, { values, analyze: true });
  expect(blocksOf(plan)).toBeLessThan(20);
});
