import { expect, it } from '@jest/globals';
import { testServers } from '@switchboard/testing';
import { contactsMigrations } from '../migrations/all.js';
import { pruneErasures, UnconfirmedErasureRepository } from './unconfirmed-erasure.repository.js';

const servers = testServers();

it('an unconfirmed erasure is kept for a day and then deleted, a slice at a time', async () => {
  const prepared = await servers.serviceDatabase('contacts', contactsMigrations);
  const database = await prepared.database();
  const erasures = new UnconfirmedErasureRepository(database);
  const superuser = await prepared.superuser();
  const organizationId = 'corganization';
  for (const contactId of ['cold1', 'cold2', 'cold3', 'cyoung']) {
    await database.transaction(async (tx) => erasures.begin(tx, { organizationId, contactId, version: 2 }));
  }
  await superuser.dataSource.query(
    `UPDATE contacts.unconfirmed_erasure SET started_at = now() - interval '25 hours' WHERE contact_id <> 'cyoung'`,
  );
  const prune = async (): Promise<number | undefined> => (await database.query(pruneErasures, [2]))[0]?.count;
  expect([await prune(), await prune(), await prune()]).toEqual([2, 1, 0]);
  expect(await erasures.find(database, organizationId, 'cold1')).toBeNull();
  expect(await erasures.find(database, organizationId, 'cyoung')).toMatchObject({ version: 2 });
});
