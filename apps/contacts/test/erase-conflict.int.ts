import { expect, it } from '@jest/globals';
import { testServers } from '@switchboard/testing';
import { eventually } from '@switchboard/testing/eventually';
import { organizationOf } from './organization.js';
import { startContacts } from './running-contacts.js';

const servers = testServers();

it('an erasure that meets another transaction in a circle is made all the same', async () => {
  const running = await startContacts(servers);
  const { dataSource } = running.superuser;
  const own = organizationOf(running);
  const { contact } = await own.upsert({ phone: '+12015550101' });
  const other = dataSource.createQueryRunner();
  await other.startTransaction();
  await other.query('SELECT FROM contacts.contact_alias WHERE contact_id = $1 FOR UPDATE', [contact.id]);
  const erased = own.erase(contact.id);
  const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%DELETE FROM contact_alias%'`;
  await eventually(async () => (await dataSource.query(waiting)).length > 0);
  // It has waited for longer, and is the one that PostgreSQL ends.
  await other.query('SELECT FROM contacts.contact WHERE id = $1 FOR UPDATE', [contact.id]);
  await other.rollbackTransaction();
  await other.release();
  expect(await erased).toEqual({});
});
