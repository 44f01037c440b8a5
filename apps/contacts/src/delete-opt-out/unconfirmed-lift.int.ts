import { expect, it } from '@jest/globals';
import { testServers } from '@switchboard/testing';
import { contactsMigrations } from '../migrations/all.js';
import { UnconfirmedLiftRepository } from './unconfirmed-lift.repository.js';

const servers = testServers();

it('a lift that is not confirmed is remembered for a day, and forgotten then, some at a time', async () => {
  const prepared = await servers.serviceDatabase('contacts', contactsMigrations);
  const lifts = new UnconfirmedLiftRepository(await prepared.database());
  const superuser = await prepared.superuser();
  const organizationId = 'corganization';
  for (const optOutId of ['cold1', 'cold2', 'cold3', 'cyoung']) {
    await lifts.begin({ organizationId, optOutId, contactId: 'ccontact' });
  }
  await superuser.dataSource.query(
    `UPDATE contacts.unconfirmed_lift SET begun_at = now() - interval '25 hours' WHERE opt_out_id <> 'cyoung'`,
  );
  expect([await lifts.forgetOld(2), await lifts.forgetOld(2), await lifts.forgetOld(2)]).toEqual([2, 1, 0]);
  expect(await lifts.find(organizationId, 'cold1')).toBeNull();
  expect(await lifts.find(organizationId, 'cyoung')).toMatchObject({ contactId: 'ccontact' });
});
