import { beforeAll, describe, expect, it } from '@jest/globals';
import { resolveContactsRpc, type ContactFacts, type ContactSighting } from '@switchboard/contracts/contacts/rpc';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { optOutObserved } from '@switchboard/contracts/messaging/events';
import { eventually, testServers } from '@switchboard/testing';
import { organizationOf, publishEvent } from './organization.js';
import { startContacts, type RunningContacts } from './running-contacts.js';

const servers = testServers();
const [OLD, NEW] = ['+12015550101', '+12015550102'];
let running: RunningContacts;
beforeAll(async () => void (running = await startContacts(servers)));

/** An organization, and what the upstream notes of its people. */
async function world() {
  const own = organizationOf(running);
  const channelId = await own.connect();
  const resolve = async (
    ...sightings: readonly Partial<ContactSighting>[]
  ): Promise<readonly (ContactFacts | null)[]> => {
    const whole = sightings.map((sighting) => ({ phone: null, profileName: null, messagingId: null, ...sighting }));
    const answer = await running.messaging.call(resolveContactsRpc, own.principal, { sightings: whole });
    const contacts = [...answer.contacts];
    return whole.map((_, index) => (answer.without?.includes(index) ? null : (contacts.shift() ?? null)));
  };
  const see = async (sighting: Partial<ContactSighting>): Promise<ContactFacts | null | undefined> =>
    (await resolve(sighting))[0];
  const stated = (value: 'stop' | 'start', secondsAgo: number, on = channelId): Partial<ContactSighting> => {
    const at = new Date(Math.trunc(Date.now() / 1_000 - secondsAgo) * 1_000).toISOString();
    const preference = { channelId: on, value, source: 'UPSTREAM' } as const;
    return { phone: OLD, preference, isNote: true, statement: { id: `${value} ${at}`, at } };
  };
  const people = async (): Promise<unknown[]> =>
    running.superuser.dataSource.query('SELECT phone FROM contacts.contact WHERE organization_id = $1 ORDER BY 1', [
      own.organizationId,
    ]);
  const eraseOld = async (): Promise<void> => own.erase((await see({ phone: OLD }))?.id ?? '').then(() => undefined);
  return { ...own, channelId, resolve, see, stated, people, eraseOld, stopped: [{ channelId, source: 'UPSTREAM' }] };
}

const move = (formerPhone: string, phone: string): Partial<ContactSighting> => ({
  phone,
  formerPhone,
  messagingId: phone.slice(1),
  isNote: true,
  statement: { id: newCuid(), at: new Date().toISOString() },
});

describe('a note of the upstream about a person who was erased', () => {
  it('makes no contact when it is repeated', async () => {
    const { see, stated, people, eraseOld, stopped } = await world();
    const [start, stop] = [stated('start', 20), stated('stop', 10)];
    await see(start);
    await see(stop);
    await eraseOld();
    expect([await see(start), await see(stop), await people()]).toEqual([null, null, []]);
    expect(await see({ phone: OLD })).toMatchObject({ optOuts: stopped });
  });

  it('holds an opt-out that is new, for the next contact of the number, and lifts it', async () => {
    const { see, stated, people, eraseOld, channelId, optOut, resolve } = await world();
    const { id = '' } = (await see({ phone: OLD })) ?? {};
    await optOut({ contactId: id, messagingChannelId: channelId });
    await eraseOld();
    const [elsewhere, third] = [newCuid(), newCuid()];
    // Of a whole account: one for each line.
    expect(await resolve(stated('stop', 20), stated('stop', 20, elsewhere), stated('stop', 30, third))).toEqual([
      null,
      null,
      null,
    ]);
    expect(await see(stated('start', 10, elsewhere))).toBeNull();
    expect(await see(stated('stop', 20, elsewhere))).toBeNull();
    expect(await people()).toEqual([]);
    const next = await see({ phone: OLD });
    expect(next?.optOuts).toEqual([
      { channelId, source: 'API' },
      { channelId: third, source: 'UPSTREAM' },
    ]);
    expect((await see(stated('stop', 20, elsewhere)))?.optOuts).toEqual(next?.optOuts);
    expect((await see(stated('stop', 5, elsewhere)))?.optOuts).toHaveLength(3);
  });

  it('leaves what it holds to a message of the same request, and to one by the other name of the person', async () => {
    const { resolve, see, stated, eraseOld, stopped } = await world();
    await eraseOld();
    const note = { ...stated('stop', 20), upstreamUserId: 'U.1' };
    const [none, made, byUser] = await resolve(note, { phone: OLD }, { upstreamUserId: 'U.1' });
    expect([none, made?.optOuts, byUser?.optOuts]).toEqual([null, stopped, stopped]);
    expect(made?.id).not.toBe(byUser?.id);
    expect((await see({ phone: OLD }))?.id).toBe(made?.id);
  });

  it('leaves the moment of the erasure, which names the erased contact, to no contact that has the number since', async () => {
    const { see, stated, eraseOld, channelId } = await world();
    await see(stated('stop', 20));
    await eraseOld();
    const { id } = (await see({ phone: OLD })) ?? {};
    const [row] = await running.superuser.dataSource.query(
      `SELECT applied_statements->'preferences' AS stated FROM contacts.contact WHERE id = $1`,
      [id],
    );
    expect(Object.keys(row.stated)).toEqual([channelId]);
  });

  it('is of the contact that the number has by now, where there is one', async () => {
    const { see, stated, eraseOld, stopped } = await world();
    await eraseOld();
    const { id } = (await see({ phone: OLD })) ?? {};
    expect(await see(stated('stop', 20))).toMatchObject({ id, optOuts: stopped });
  });

  it('loses no opt-out to a contact that comes into being at the same time', async () => {
    const { see, stated, stopped, eraseOld } = await world();
    for (let round = 0; round < 25; round++) {
      await eraseOld();
      await Promise.all([see(stated('stop', 20)), see({ phone: OLD }), see({ phone: OLD }), see(stated('stop', 20))]);
      const contact = await see({ phone: OLD });
      expect([round, contact?.optOuts]).toEqual([round, stopped]);
      await see(stated('start', 10));
      // What was stated is over with this round.
      await running.superuser.dataSource.query(
        'UPDATE contacts.contact SET applied_statements = NULL, version = version + 1 WHERE id = $1',
        [contact?.id],
      );
    }
  });
});

describe('a changed number', () => {
  it('that is repeated after the erasure makes no contact, and moves none of whoever has the former number', async () => {
    const { see, people, erase } = await world();
    const { id } = (await see({ phone: OLD })) ?? {};
    const note = move(OLD, NEW);
    expect(await see(note)).toMatchObject({ id, phone: NEW });
    await erase(id ?? '');
    expect([await see(note), await people()]).toEqual([null, []]);
    const other = await see({ phone: OLD });
    expect(await see(note)).toBeNull();
    expect(await see({ phone: OLD })).toEqual(other);
    // Another note is news.
    expect(await see(move(OLD, NEW))).toMatchObject({ id: other?.id, phone: NEW });
  });

  it('of a person who was erased makes none, and leaves no way for a note of the former number', async () => {
    const { see, stated, people, eraseOld, erase } = await world();
    await eraseOld();
    expect([await see(move(OLD, NEW)), await people()]).toEqual([null, []]);
    const { id } = (await see({ phone: OLD })) ?? {};
    await see(move(OLD, NEW));
    await erase(id ?? '');
    expect([await see(stated('stop', 20)), await people()]).toEqual([null, []]);
  });

  it('of a person who was erased takes the opt-outs along to the new number, once', async () => {
    const { see, stated, people, eraseOld, erase, stopped } = await world();
    await see(stated('stop', 20));
    await eraseOld();
    const note = move(OLD, NEW);
    expect([await see(note), await people()]).toEqual([null, []]);
    const next = await see({ phone: NEW });
    expect(next?.optOuts).toEqual(stopped);
    // It may be of the same person again.
    expect((await see({ phone: OLD }))?.optOuts).toEqual(stopped);
    await eraseOld();
    expect((await see({ ...stated('start', 5), phone: NEW }))?.optOuts).toEqual([]);
    await erase(next?.id ?? '');
    expect(await see(note)).toBeNull();
    expect((await see({ phone: NEW }))?.optOuts).toEqual([]);
  });

  it('of a person who was erased takes the opt-outs along to the contact that has the new number, once', async () => {
    const { see, stated, eraseOld, optOuts, stopped } = await world();
    const { id } = (await see({ phone: NEW })) ?? {};
    await see(stated('stop', 20));
    await eraseOld();
    const note = move(OLD, NEW);
    expect(await see(note)).toMatchObject({ id, phone: NEW, optOuts: stopped });
    expect((await optOuts()).items).toMatchObject([{ contactId: id, phone: NEW }]);
    expect((await see({ ...stated('start', 5), phone: NEW }))?.optOuts).toEqual([]);
    expect((await see(note))?.optOuts).toEqual([]);
  });
});

describe('a refusal of a send to a contact that was erased meanwhile', () => {
  const refuse = async ({ organizationId, channelId }: { organizationId: string; channelId: string }, of: string) => {
    const data = { contactId: of, messagingChannelId: channelId, source: 'UPSTREAM' } as const;
    await publishEvent(running, organizationId, of, optOutObserved, data);
  };

  it('is held for its numbers, next to what is held for them, and makes no contact', async () => {
    const own = await world();
    const { id = '' } = (await own.see({ phone: OLD, messagingId: NEW.slice(1), upstreamUserId: 'U.1' })) ?? {};
    const elsewhere = await own.connect();
    await own.optOut({ contactId: id, messagingChannelId: elsewhere });
    await own.erase(id);
    await refuse(own, id);
    const sql = 'SELECT DISTINCT alias_hmac FROM contacts.held_opt_out WHERE organization_id = $1 AND source = $2';
    const { dataSource } = running.superuser;
    await eventually(async () => (await dataSource.query(sql, [own.organizationId, 'UPSTREAM'])).length === 3);
    expect(await own.people()).toEqual([]);
    const all = [
      { channelId: own.channelId, source: 'UPSTREAM' },
      { channelId: elsewhere, source: 'API' },
    ];
    for (const by of [{ phone: OLD }, { phone: NEW }, { upstreamUserId: 'U.1' }]) {
      expect((await own.see(by))?.optOuts).toEqual(expect.arrayContaining(all));
    }
  });

  it('is of whoever has the number by now', async () => {
    const own = await world();
    const { id = '' } = (await own.see({ phone: OLD })) ?? {};
    await own.erase(id);
    const next = await own.see({ phone: OLD });
    await refuse(own, id);
    await eventually(async () => (await own.optOuts()).items.length > 0);
    expect(await own.see({ phone: OLD })).toMatchObject({ id: next?.id, optOuts: own.stopped });
  });
});
