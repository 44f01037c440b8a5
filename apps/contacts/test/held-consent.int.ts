import { beforeAll, describe, expect, it } from '@jest/globals';
import { resolveContactsRpc, type ContactFacts, type ContactSighting } from '@switchboard/contracts/contacts/rpc';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { testServers } from '@switchboard/testing';
import { pruneHeldStatements } from '../src/held-opt-out/held-opt-out.repository.js';
import { organizationOf } from './organization.js';
import { startContacts, type RunningContacts } from './running-contacts.js';

const servers = testServers();
const [OLD, NEW] = ['+12015550101', '+12015550102'];
/** Within the time for which statements are held. */
const STATED_MS = Date.now() - 2 * 86_400_000;
let running: RunningContacts;
beforeAll(async () => void (running = await startContacts(servers)));

/** An organization with a channel, and what its people say there. */
async function world() {
  const own = organizationOf(running);
  const channelId = await own.connect();
  const see = async (sighting: Partial<ContactSighting>): Promise<ContactFacts> => {
    const sightings = [{ phone: null, profileName: null, messagingId: null, ...sighting }];
    const { contacts } = await running.messaging.call(resolveContactsRpc, own.principal, { sightings });
    const [contact] = contacts;
    if (!contact) throw new Error('there is no contact');
    return contact;
  };
  const say = (value: 'stop' | 'start', secondsAgo: number, by: Partial<ContactSighting>): Promise<ContactFacts> => {
    const at = new Date(STATED_MS - secondsAgo * 1_000).toISOString();
    const preference = { channelId, value, source: 'KEYWORD' } as const;
    return see({ ...by, preference, statement: { id: `${value} ${at}`, at } });
  };
  const move = (formerPhone: string, phone: string): Promise<ContactFacts> =>
    see({ phone, formerPhone, statement: { id: newCuid(), at: new Date().toISOString() } });
  const stopped = [{ channelId, source: 'KEYWORD' }];
  return { ...own, channelId, see, say, move, stopped };
}

describe('an opt-out of an erased contact', () => {
  const both = { phone: OLD, messagingId: NEW.slice(1) };

  it('that was taken and removed does not come back by another number of the same contact', async () => {
    const { see, optOut, remove, erase, upsert, contact, optOuts } = await world();
    const { id } = await see(both);
    await optOut({ contactId: id });
    await erase(id);
    const next = (await upsert({ phone: OLD })).contact;
    expect(next.isOptedOut).toBe(true);
    await remove((await optOuts()).items[0]?.id ?? '');
    expect(await see(both)).toMatchObject({ id: next.id, phoneForms: [OLD, NEW], optOuts: [] });
    await erase(next.id);
    const last = await see({ phone: OLD });
    await see(both);
    expect((await contact(last.id)).isOptedOut).toBe(false);
  });

  it('that was taken by one number holds for the other, while that leads to another contact', async () => {
    const { see, optOut, remove, erase, optOuts } = await world();
    const { id } = await see(both);
    await optOut({ contactId: id });
    await erase(id);
    await see({ phone: OLD });
    await remove((await optOuts()).items[0]?.id ?? '');
    expect((await see({ phone: NEW })).optOuts).toMatchObject([{ channelId: '*' }]);
  });
});

describe('what a person said of messages', () => {
  it('holds for the number of an erased contact: an earlier statement that is repeated changes nothing, a later one does', async () => {
    const { say, erase, stopped } = await world();
    await say('start', 20, { phone: OLD });
    const { id } = await say('stop', 10, { phone: OLD });
    await erase(id);
    expect((await say('start', 20, { phone: OLD })).optOuts).toEqual(stopped);
    expect((await say('stop', 10, { phone: OLD })).optOuts).toEqual(stopped);
    expect((await say('start', 5, { phone: OLD })).optOuts).toEqual([]);
    expect((await say('stop', 10, { phone: OLD })).optOuts).toEqual([]);
  });

  it('holds as well where no opt-out was left', async () => {
    const { say, erase, stopped } = await world();
    await say('stop', 20, { phone: OLD });
    const { id } = await say('start', 10, { phone: OLD });
    await erase(id);
    expect((await say('stop', 20, { phone: OLD })).optOuts).toEqual([]);
    expect((await say('stop', 5, { phone: OLD })).optOuts).toEqual(stopped);
  });

  it('is not said by whoever has the number after it changed', async () => {
    const { say, move, stopped } = await world();
    const { id } = await say('stop', 10, { phone: OLD });
    expect(await move(OLD, NEW)).toMatchObject({ id, optOuts: stopped });
    expect((await say('stop', 10, { phone: OLD })).optOuts).toEqual([]);
    expect((await say('stop', 5, { phone: OLD })).optOuts).toEqual(stopped);
  });

  it('is held for so many days and then deleted, a slice at a time', async () => {
    const { say, erase, organizationId } = await world();
    for (const last of [1, 2, 3]) {
      const { id } = await say('start', last, { phone: `+1201555020${last}` });
      await erase(id);
    }
    const sql = 'DELETE FROM contacts.held_statement WHERE organization_id <> $1';
    await running.superuser.dataSource.query(sql, [organizationId]);
    const prune = async (days: number): Promise<number | undefined> =>
      (await running.superuser.query(pruneHeldStatements, [2, days]))[0]?.count;
    expect([await prune(3), await prune(1), await prune(1), await prune(1)]).toEqual([0, 2, 1, 0]);
  });
});
