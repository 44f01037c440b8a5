import { expect, it } from '@jest/globals';
import { testServers } from '@switchboard/testing';
import { contactsMigrations } from '../migrations/all.js';
import { pruneRemovals, UnconfirmedLiftRepository } from './unconfirmed-lift.repository.js';

const servers = testServers();

it('a lift that is not confirmed is remembered for a day, and forgotten then, some at a time', async () => {
  const prepared = await servers.serviceDatabase('contacts', contactsMigrations);
  const database = await prepared.database();
  const lifts = new UnconfirmedLiftRepository(database);
  const superuser = await prepared.superuser();
  const organizationId = 'corganization';
  for (const optOutId of ['cold1', 'cold2', 'cold3', 'cyoung']) {
    await lifts.begin({ organizationId, optOutId, contactId: 'ccontact' });
  }
  await superuser.dataSource.query(
    `UPDATE contacts.unconfirmed_removal SET started_at = now() - interval '25 hours' WHERE opt_out_id <> 'cyoung'`,
  );
  const prune = async (): Promise<number | undefined> => (await database.query(pruneRemovals, [2]))[0]?.count;
  expect([await prune(), await prune(), await prune()]).toEqual([2, 1, 0]);
  expect(await lifts.find(organizationId, 'cold1')).toBeNull();
  expect(await lifts.find(organizationId, 'cyoung')).toMatchObject({ contactId: 'ccontact' });
});
