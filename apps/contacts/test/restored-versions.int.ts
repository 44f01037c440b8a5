import { beforeAll, describe, expect, it } from '@jest/globals';
import { resolveContactsRpc, type ContactSighting } from '@switchboard/contracts/contacts/rpc';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { createLog } from '@switchboard/platform';
import { statement } from '@switchboard/postgres';
import { testServers } from '@switchboard/testing';
import { ContactRepository } from '../src/contact/contact.repository.js';
import { raiseVersionFloor } from '../src/contact/version-floor.js';
import { contactsMigrations } from '../src/migrations/all.js';
import { organizationOf } from './organization.js';
import { startContacts, type RunningContacts } from './running-contacts.js';

const servers = testServers();
const PHONE = '+12015550123';
const restore = { writtenBefore: new Date(), number: 1, lastNumber: 2 };
const log = createLog('contacts', { write: () => undefined });
const serverOfSql = statement(
  't.server',
  `INSERT INTO incarnation (number, token, previous_token, consumer_epoch, compared_at, server_started_at)
   VALUES (1, 'token', NULL, 0, now(), pg_postmaster_start_time() - make_interval(secs => $1))
   ON CONFLICT (id) DO UPDATE SET server_started_at = excluded.server_started_at`,
);
const floorSql = statement<{ version: number }>('t.floor', 'SELECT version::float8 AS version FROM version_floor');
const startedSql = statement<{ at: Date }>('t.started', 'SELECT pg_postmaster_start_time() AS at');

let running: RunningContacts;
beforeAll(async () => void (running = await startContacts(servers)));

const organization = (): ReturnType<typeof organizationOf> => organizationOf(running);
/** As after a restore. @returns the version up to which messaging may hold what contacts has lost */
async function raise(): Promise<number> {
  await raiseVersionFloor(running.database, restore, log);
  return (await running.database.query(floorSql, []))[0]?.version ?? 0;
}

describe('after a restore contacts', () => {
  it('says of an opt-out what messaging takes for newer than all that it holds', async () => {
    const { upsert, optOut, remove } = organization();
    const { contact } = await upsert({ phone: PHONE });
    const floor = await raise();
    const { optOut: made } = await optOut({ contactId: contact.id });
    const version = running.fenced.at(-1)?.version ?? 0;
    expect(version).toBeGreaterThan(floor);
    await remove(made.id);
    expect(running.fenced.at(-1)).toMatchObject({ version: version + 1, optOuts: [] });
  });

  it('says so of an opt-out that the backup holds, once', async () => {
    const { upsert, optOut, events } = organization();
    const { contact } = await upsert({ phone: PHONE });
    await optOut({ contactId: contact.id });
    const floor = await raise();
    expect(await optOut({ contactId: contact.id })).toMatchObject({ isNew: false });
    const version = running.fenced.at(-1)?.version ?? 0;
    expect(version).toBeGreaterThan(floor);
    await optOut({ contactId: contact.id });
    expect(running.fenced.at(-1)?.version).toBe(version);
    expect((await events()).filter(({ sequence }) => sequence === version)).toHaveLength(1);
  });

  it('says so of a STOP of somebody who is opted out in the backup', async () => {
    const { upsert, optOut, principal } = organization();
    const { contact } = await upsert({ phone: PHONE });
    const channelId = newCuid();
    running.channels.set(channelId, { organizationId: principal.organizationId, defaultRegion: 'US' });
    await optOut({ contactId: contact.id, messagingChannelId: channelId });
    const floor = await raise();
    const preference = { channelId, value: 'stop', source: 'KEYWORD' } as const;
    const statement = { id: 'wamid.stop', at: new Date().toISOString() };
    const sightings = [{ phone: PHONE, profileName: null, messagingId: null, preference, statement }];
    const { contacts } = await running.messaging.call(resolveContactsRpc, principal, { sightings });
    expect(contacts).toMatchObject([{ id: contact.id, optOuts: [{ channelId, source: 'API' }] }]);
    expect(contacts[0]?.version).toBeGreaterThan(floor);
  });

  it('has an erased contact forgotten', async () => {
    const { upsert, erase, events } = organization();
    const { contact } = await upsert({ phone: PHONE });
    const floor = await raise();
    await erase(contact.id);
    const version = running.forgotten.at(-1)?.version ?? 0;
    expect(version).toBeGreaterThan(floor);
    expect((await events()).at(-1)).toMatchObject({ subject: 'contacts.contact.erased.v1', sequence: version });
  });

  it('answers a send that finds no owner of a number with a contact that messaging stores', async () => {
    const { upsert, principal } = organization();
    const { contact } = await upsert({ phone: PHONE });
    const floor = await raise();
    const resolve = async (more: Partial<ContactSighting>): Promise<number | undefined> => {
      const sightings = [{ phone: PHONE, profileName: null, messagingId: null, ...more }];
      const { contacts } = await running.messaging.call(resolveContactsRpc, principal, { sightings });
      expect(contacts[0]?.id).toBe(contact.id);
      return contacts[0]?.version;
    };
    // What messaging alone still holds of the contact, an opt-out above all, goes on holding while a message comes in.
    expect(await resolve({ profileName: 'Ana' })).toBe(2);
    const version = (await resolve({ hasNoOwner: true })) ?? 0;
    expect(version).toBeGreaterThan(floor);
    expect(await resolve({ hasNoOwner: true })).toBe(version);
  });

  it('leaves to messaging what it holds of the opt-outs when a name changes', async () => {
    const { upsert, events } = organization();
    await upsert({ phone: PHONE });
    await raise();
    await upsert({ phone: PHONE, name: 'Ana' });
    expect((await events()).map(({ sequence }) => sequence)).toEqual([1, 2]);
  });

  it('raises what it says again with each restore', async () => {
    const { upsert, optOut, remove } = organization();
    const { contact } = await upsert({ phone: PHONE });
    await raise();
    const { optOut: made } = await optOut({ contactId: contact.id });
    const former = running.fenced.at(-1)?.version ?? 0;
    const floor = await raise();
    expect(floor).toBeGreaterThan(former);
    await remove(made.id);
    expect(running.fenced.at(-1)?.version).toBeGreaterThan(floor);
  });
});

describe('the version floor', () => {
  it('is there from the start of a server that was not compared yet, which may run on a backup', async () => {
    const own = await (await servers.serviceDatabase('contacts', contactsMigrations)).database();
    const contacts = new ContactRepository(own);
    await own.query(insertSql, []);
    const floor = async (): Promise<number | undefined> =>
      (await contacts.find([{ organizationId: 'corg', aliases: [], contactIds: ['ccontact1'] }]))[0]?.versionFloor;
    const [started] = await own.query(startedSql, []);
    expect(await floor()).toBe(0);
    await own.query(serverOfSql, [0]);
    expect(await floor()).toBe(0);
    await own.query(serverOfSql, [3600]);
    expect(Math.abs(((await floor()) ?? 0) - (started?.at.getTime() ?? 0))).toBeLessThan(2);
  });
});

const insertSql = statement(
  't.insert-contact',
  `INSERT INTO contact (organization_id, id, phone, messaging_id, version, created_at, updated_at, coverage, search_text)
   VALUES ('corg', 'ccontact1', '', '', 1, now(), now(), 0, '')`,
);
