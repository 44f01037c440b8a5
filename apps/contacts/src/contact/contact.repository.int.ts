import { describe, expect, it } from '@jest/globals';
import { statement, type Database } from '@switchboard/postgres';
import { eventually, lockWaiters, testServers } from '@switchboard/testing';
import { contactsMigrations } from '../migrations/all.js';
import type { Contact } from './contact.entity.js';
import type { ContactWrite } from './contact-ledger.js';
import { storeContacts } from './contact.repository.js';

const servers = testServers();
/** However long a busy machine takes to look at what waits. */
const patientSql = statement('t.patient', 'SET LOCAL lock_timeout = 0');

describe('claims of aliases', () => {
  it('wait for each other in the order of the key, whatever order they are given in, and so never in a circle', async () => {
    const prepared = await servers.serviceDatabase('contacts', contactsMigrations);
    const database = await prepared.database({ statementWithinMs: 300_000 });
    const superuser = await prepared.superuser();
    const claim = async (id: string, ...aliases: string[]): Promise<boolean> => {
      const lost = new Error('lost');
      const work = database.transaction(async (tx) => {
        await tx.query(patientSql, []);
        if (!(await storeContacts(tx, [created(id, aliases)]))) throw lost;
      });
      return work.then(
        () => true,
        (error: unknown) => {
          if (error === lost) return false;
          throw error;
        },
      );
    };
    const waiting = (): Promise<number> => lockWaiters(superuser);

    // The blocker holds +1. In the order given the first would then hold +3 and the second +2, and each want the other's.
    const blocker = database.dataSource.createQueryRunner();
    servers.onEnd(() => blocker.release());
    await blocker.startTransaction();
    await blocker.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    await blocker.query(`INSERT INTO contact_alias VALUES ('corg', '+1', 'c0')`);
    const first = claim('c1', '+3', '+1', '+2');
    await eventually(async () => (await waiting()) === 1);
    let secondEnded = false;
    const second = claim('c2', '+2', '+3').finally(() => (secondEnded = true));
    await eventually(async () => secondEnded || (await waiting()) === 2);
    await blocker.rollbackTransaction();

    expect(await Promise.all([first, second])).toEqual([false, true]);
    expect(await ownersOf(database)).toEqual(['+2 c2', '+3 c2']);
  });
});

function created(id: string, aliases: readonly string[]): ContactWrite {
  const after: Contact = {
    organizationId: 'corg',
    id: id.padEnd(9, '0'),
    phone: '',
    aliases,
    messagingId: '',
    name: null,
    email: null,
    optOuts: [],
    appliedStatements: null,
    mergedInto: null,
    version: 1,
    versionFloor: 0,
    updatedAt: new Date(),
  };
  return { before: null, after };
}

async function ownersOf(database: Database): Promise<string[]> {
  const rows = await database.dataSource.query('SELECT alias, contact_id FROM contacts.contact_alias ORDER BY alias');
  return rows.map((row: { alias: string; contact_id: string }) => `${row.alias} ${row.contact_id.slice(0, 2)}`);
}
