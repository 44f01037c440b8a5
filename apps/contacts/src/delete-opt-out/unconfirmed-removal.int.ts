import { expect, it } from '@jest/globals';
import { testServers } from '@switchboard/testing';
import { contactsMigrations } from '../migrations/all.js';
import { pruneRemovals, UnconfirmedRemovalRepository } from './unconfirmed-removal.repository.js';

const servers = testServers();

it('an unconfirmed removal is kept for a day and then deleted, a slice at a time', async () => {
  const prepared = await servers.serviceDatabase('contacts', contactsMigrations);
  const database = await prepared.database();
  const removals = new UnconfirmedRemovalRepository(database);
  const superuser = await prepared.superuser();
  const organizationId = 'corganization';
  for (const optOutId of ['cold1', 'cold2', 'cold3', 'cyoung']) {
    await removals.begin({ organizationId, optOutId, contactId: 'ccontact' });
  }
  await superuser.dataSource.query(
    `UPDATE contacts.unconfirmed_removal SET started_at = now() - interval '25 hours' WHERE opt_out_id <> 'cyoung'`,
  );
  const prune = async (): Promise<number | undefined> => (await database.query(pruneRemovals, [2]))[0]?.count;
  expect([await prune(), await prune(), await prune()]).toEqual([2, 1, 0]);
  expect(await removals.find(organizationId, 'cold1')).toBeNull();
  expect(await removals.find(organizationId, 'cyoung')).toMatchObject({ contactId: 'ccontact' });
});
