import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  confirmErasureRpc,
  getOptOutRpc,
  listContactsRpc,
  resolveContactsRpc,
  type ContactFacts,
} from '@switchboard/contracts/contacts/rpc';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { optOutObserved } from '@switchboard/contracts/messaging/events';
import { serviceNames } from '@switchboard/contracts/topology';
import { eventually, testServers } from '@switchboard/testing';
import { organizationOf, publishEvent } from './organization.js';
import { startContacts, type RunningContacts } from './running-contacts.js';

const servers = testServers();
const [P1, P2, P3] = ['+12015550101', '+12015550102', '+12015550103'];
let running: RunningContacts;
beforeAll(async () => void (running = await startContacts(servers)));

/** An organization with so many contacts, each of a number of its own. */
async function world(phones: readonly string[]) {
  const own = organizationOf(running);
  const channelId = await own.connect();
  const ids: string[] = [];
  for (const phone of phones) ids.push((await own.upsert({ phone })).contact.id);
  const [x = '', y = '', z = ''] = ids;
  const move = async (formerPhone: string, phone: string): Promise<ContactFacts | undefined> => {
    const statement = { id: newCuid(), at: new Date().toISOString() };
    const sighting = { phone, formerPhone, profileName: null, messagingId: phone.slice(1), statement };
    const { contacts } = await running.messaging.call(resolveContactsRpc, own.principal, { sightings: [sighting] });
    return contacts[0];
  };
  const optedOut = async (): Promise<string[]> => {
    const request = { limit: 25, cursor: null, search: null, phone: null, isOptedOut: true };
    return (await running.gateway.call(listContactsRpc, own.principal, request)).items.map(({ id }) => id).sort();
  };
  const confirm = async (contactId: string): Promise<void> => {
    for (const service of serviceNames) {
      await running.messaging.call(confirmErasureRpc, own.principal, { contactId, service });
    }
  };
  const refuse = (contactId: string): Promise<string> => {
    const data = { contactId, messagingChannelId: channelId, source: 'UPSTREAM' } as const;
    return publishEvent(running, own.organizationId, contactId, optOutObserved, data);
  };
  const held = async (): Promise<unknown[]> =>
    running.superuser.dataSource.query('SELECT FROM contacts.held_opt_out WHERE organization_id = $1', [
      own.organizationId,
    ]);
  return { ...own, channelId, x, y, z, move, optedOut, confirm, refuse, held };
}

describe('a contact that was merged into another', () => {
  it('stands for the other: an opt-out by its id is the other’s, both show it, and one removal lifts it', async () => {
    const { x, y, move, optOut, optOuts, contact, remove, optedOut } = await world([P1, P2]);
    await move(P1, P2);
    const made = await optOut({ contactId: x });
    expect(made).toMatchObject({ isNew: true, optOut: { contactId: y, phone: P2 } });
    const [fence] = running.fenced.filter(({ id }) => id === y).slice(-1);
    expect(fence).toMatchObject({ phoneForms: [P2], optOuts: [{ channelId: '*' }] });
    expect(running.fencedMerged.at(-1)).toMatchObject([{ id: x, phoneForms: [], mergedInto: y }]);
    expect(await contact(x)).toMatchObject({ phone: P1, isOptedOut: true });
    expect(await contact(y)).toMatchObject({ phone: P2, isOptedOut: true });
    expect(await optedOut()).toEqual([x, y].sort());
    for (const filter of [{ contactId: x }, { contactId: y }, {}, { phone: P2 }]) {
      expect((await optOuts(filter)).items).toEqual([made.optOut]);
    }
    expect(await optOut({ contactId: y })).toEqual({ ...made, isNew: false });
    await remove(made.optOut.id);
    for (const id of [x, y]) expect((await contact(id)).isOptedOut).toBe(false);
    expect([await optedOut(), (await optOuts()).items]).toEqual([[], []]);
  });

  it('gives the other its opt-outs with their ids, so that removing one by its id lifts it', async () => {
    const { x, y, move, optOut, optOuts, contact, remove, principal, events, channelId } = await world([P1, P2]);
    const { id } = (await optOut({ contactId: x, messagingChannelId: channelId, reason: 'asked' })).optOut;
    expect(await move(P1, P2)).toMatchObject({ id: y, optOuts: [{ channelId }] });
    const moved = await running.gateway.call(getOptOutRpc, principal, { id });
    expect(moved).toMatchObject({ id, contactId: y, phone: P2, reason: 'asked' });
    expect((await optOuts()).items).toEqual([moved]);
    for (const one of [x, y]) {
      expect(await contact(one)).toMatchObject({ isOptedOut: true, optedOutChannelIds: [channelId] });
    }
    expect((await events()).filter(({ subject }) => subject.includes('opt-out.deleted'))).toEqual([]);
    await remove(id);
    for (const one of [x, y]) expect(await contact(one)).toMatchObject({ isOptedOut: false, optedOutChannelIds: [] });
    await expect(remove(id)).rejects.toMatchObject({ code: 'OPT_OUT_NOT_FOUND' });
  });

  it('stands for the last of a chain, which can be erased in the middle', async () => {
    const { x, y, z, move, optOut, contact, erase, optedOut } = await world([P1, P2, P3]);
    await move(P1, P2);
    await move(P2, P3);
    await erase(y);
    expect((await optOut({ contactId: x })).optOut).toMatchObject({ contactId: z, phone: P3 });
    expect(await optedOut()).toEqual([x, z].sort());
    await erase(x);
    expect((await contact(z)).isOptedOut).toBe(true);
  });

  it('is erased with the one that goes on, whose opt-outs hold for the number', async () => {
    const { x, y, z, move, optOut, contact, erase, upsert, events } = await world([P1, P2, P3]);
    await move(P1, P2);
    await move(P2, P3);
    await optOut({ contactId: x });
    await erase(z);
    for (const id of [x, y, z]) {
      await expect(contact(id)).rejects.toMatchObject({ code: 'CONTACT_NOT_FOUND' });
      await expect(optOut({ contactId: id })).rejects.toMatchObject({ code: 'CONTACT_NOT_FOUND' });
    }
    const erased = (await events()).filter(({ subject }) => subject.includes('erased'));
    expect(erased.map(({ aggregateId }) => aggregateId).sort()).toEqual([x, y, z].sort());
    expect((await upsert({ phone: P3 })).contact).toMatchObject({ isOptedOut: true });
  });

  it('takes a refusal of the upstream for the other, and confirms it for both', async () => {
    const { x, y, move, contact, events, refuse } = await world([P1, P2]);
    await move(P1, P2);
    const eventId = await refuse(x);
    const confirmed = await eventually(async () => {
      const all = (await events()).filter(({ data: of }) =>
        (of as { observed?: string[] }).observed?.includes(eventId),
      );
      return all.length > 1 && all.map(({ aggregateId }) => aggregateId);
    });
    expect(confirmed).toEqual([y, x]);
    for (const id of [x, y]) expect((await contact(id)).isOptedOut).toBe(true);
  });
});

describe('a refusal of a send to a merged contact that was erased meanwhile', () => {
  it('is of the one that goes on, also by a later merge, and of none that has the former number since', async () => {
    const { x, y, z, move, contact, erase, refuse, optedOut, upsert } = await world([P1, P2, P3]);
    await move(P1, P2);
    await erase(x);
    await upsert({ phone: P1 });
    await refuse(x);
    expect(await eventually(async () => (await contact(y)).isOptedOut)).toBe(true);
    expect(await optedOut()).toEqual([y]);
    const other = await world([P1, P2, P3]);
    await other.move(P1, P2);
    await other.erase(other.x);
    await other.move(P2, P3);
    await other.erase(other.y);
    await other.refuse(other.x);
    await eventually(async () => (await other.contact(other.z)).isOptedOut);
    expect(await other.optedOut()).toEqual([other.z]);
    expect((await contact(z)).isOptedOut).toBe(false);
  });

  it.each(['x', 'y'] as const)(
    'is held for the number of the one that went on, of which nothing is kept: %s',
    async (of) => {
      const own = await world([P1, P2, P3]);
      await own.move(P1, P2);
      await own.erase(own.x);
      await own.move(P2, P3);
      await own.erase(own.z);
      await own.confirm(own.z);
      await own.refuse(own[of]);
      await eventually(async () => (await own.held()).length === 1);
      const opted = [P1, P2, P3].map(async (phone) => (await own.upsert({ phone })).contact.isOptedOut);
      expect(await Promise.all(opted)).toEqual([false, false, true]);
    },
  );

  it('is held for that number too when a replica of the release before has erased it, which leads nothing on', async () => {
    const { x, y, move, erase, refuse, held, upsert } = await world([P1, P2]);
    await move(P1, P2);
    await erase(x);
    await erase(y);
    await running.superuser.dataSource.query(
      'UPDATE contacts.erased_number SET merged_into = $2, person_aliases = NULL WHERE contact_id = $1',
      [x, y],
    );
    await refuse(x);
    await eventually(async () => (await held()).length === 1);
    expect((await upsert({ phone: P2 })).contact.isOptedOut).toBe(true);
  });
});
