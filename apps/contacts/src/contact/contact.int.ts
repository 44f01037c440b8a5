import { describe, expect, it } from '@jest/globals';
import { statement } from '@switchboard/postgres';
import { eventually, testServers } from '@switchboard/testing';
import { migrations } from '../migrations/index.js';
import { ContactRepository, type PhoneClaim } from './contact.repository.js';

const servers = testServers();
const lockWaiters = statement<{ count: number }>(
  't.lock-waiters',
  `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
);

describe('claims of phones', () => {
  it('wait for each other in the order of the key, whatever order they are given in, and so never in a circle', async () => {
    const prepared = await servers.serviceDatabase('contacts', migrations);
    const database = await prepared.database();
    const superuser = await prepared.superuser();
    const contacts = new ContactRepository(database);
    const claim = (...phones: string[]): Promise<boolean> =>
      database.transaction((tx) =>
        contacts.claimPhones(
          tx,
          phones.map((phone): PhoneClaim => {
            return { organizationId: 'corg', phone, contactId: 'c1' };
          }),
        ),
      );
    const waiting = async (): Promise<number> => (await superuser.query(lockWaiters, []))[0]?.count ?? 0;

    // The blocker holds +1. In the order given the first would then hold +3 and the second +2, and each want the other's.
    const blocker = database.dataSource.createQueryRunner();
    servers.onEnd(() => blocker.release());
    await blocker.startTransaction();
    await blocker.query(`INSERT INTO contact_phone VALUES ('corg', '+1', 'c0')`);
    const first = claim('+3', '+1', '+2');
    await eventually(async () => (await waiting()) === 1);
    let secondEnded = false;
    const second = claim('+2', '+3').finally(() => (secondEnded = true));
    await eventually(async () => secondEnded || (await waiting()) === 2);
    await blocker.rollbackTransaction();

    expect(await Promise.all([first, second])).toEqual([false, true]);
  });
});
