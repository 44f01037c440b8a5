import { beforeAll, describe, expect, it } from '@jest/globals';
import { eraseContactRpc } from '@switchboard/contracts/contacts/rpc';
import type { AuditedActor } from '@switchboard/contracts/grammar/audited-act';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { testServers } from '@switchboard/testing';
import { organizationOf } from './organization.js';
import { startContacts, type RunningContacts } from './running-contacts.js';

const servers = testServers();
let running: RunningContacts;
beforeAll(async () => void (running = await startContacts(servers)));

const by = (): AuditedActor => ({
  actId: newCuid(),
  keyId: 'ckey0001',
  address: '192.0.2.1',
  traceId: 'a'.repeat(32),
});
const unavailable = { code: 'SERVICE_UNAVAILABLE' };
const notFound = { code: 'CONTACT_NOT_FOUND' };

describe('an erasure', () => {
  it('is answered when messaging has forgotten the contact, in a version above every one that it had', async () => {
    const { upsert, erase, events } = organizationOf(running);
    const { id: contactId } = (await upsert({ phone: '+12015550101' })).contact;
    await upsert({ phone: '+12015550101', name: 'Ana' });
    await erase(contactId, by());
    const event = (await events()).find(({ subject }) => subject.includes('erased'));
    const names = { phoneForms: ['+12015550101'], former: [], erasedAt: event?.occurredAt };
    expect(running.forgotten.filter((one) => one.contactId === contactId)).toEqual([{ contactId, version: 3, names }]);
    expect(event?.sequence).toBe(3);
  });

  it('that messaging does not confirm is refused and stays; the next call confirms it, and later ones find no contact', async () => {
    const { upsert, erase, contact, events } = organizationOf(running);
    const { id } = (await upsert({ phone: '+12015550101' })).contact;
    expect(await running.unconfirmed(() => erase(id, by()))).toMatchObject(unavailable);
    await expect(contact(id)).rejects.toMatchObject(notFound);
    expect(await running.unconfirmed(() => erase(id, by()))).toMatchObject(unavailable);
    expect(await erase(id, by())).toEqual({});
    const erasedAt = (await events()).find(({ subject }) => subject.includes('erased'))?.occurredAt;
    expect(running.forgotten.find(({ contactId }) => contactId === id)).toMatchObject({
      names: { phoneForms: ['+12015550101'], erasedAt },
    });
    await expect(erase(id, by())).rejects.toMatchObject(notFound);
    expect((await events()).filter(({ subject }) => subject.includes('erased'))).toHaveLength(1);
  });

  it('of another organization confirms nothing', async () => {
    const [alice, bob] = [organizationOf(running), organizationOf(running)];
    const { id } = (await alice.upsert({ phone: '+12015550101' })).contact;
    await running.unconfirmed(() => alice.erase(id, by()));
    const stranger = running.gateway.call(eraseContactRpc, bob.principal, { id, by: by() });
    await expect(stranger).rejects.toMatchObject(notFound);
  });
});
