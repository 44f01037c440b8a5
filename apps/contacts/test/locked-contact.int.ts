import { expect, it } from '@jest/globals';
import { lockWaiters, testServers } from '@switchboard/testing';
import { eventually } from '@switchboard/testing/eventually';
import { organizationOf } from './organization.js';
import { startContacts } from './running-contacts.js';

const servers = testServers();
/** Of two replicas, two each. */
const CONNECTIONS_OF_ONE = 4;

it('erasures of one organization that wait for a lock leave the connections to the others', async () => {
  const running = await startContacts(servers);
  const { dataSource } = running.superuser;
  const [own, other] = [organizationOf(running), organizationOf(running)];
  const { contact: locked } = await own.upsert({ phone: '+12015550101' });
  const { contact: free } = await other.upsert({ phone: '+12015550101' });
  const holder = dataSource.createQueryRunner();
  await holder.startTransaction();
  await holder.query('SELECT FROM contacts.contact WHERE id = $1 FOR UPDATE', [locked.id]);
  const erasures = Promise.allSettled(Array.from({ length: 40 }, () => own.erase(locked.id)));
  await eventually(async () => (await lockWaiters(running.superuser)) >= CONNECTIONS_OF_ONE);
  expect(await other.erase(free.id)).toEqual({});
  expect(await lockWaiters(running.superuser)).toBeLessThanOrEqual(CONNECTIONS_OF_ONE);
  await holder.rollbackTransaction();
  await holder.release();
  await erasures;
  await expect(own.contact(locked.id)).rejects.toMatchObject({ code: 'CONTACT_NOT_FOUND' });
});
