import { beforeAll, describe, expect, it } from '@jest/globals';
import { getOptOutRpc, listContactsRpc, type ListOptOutsRequest } from '@switchboard/contracts/contacts/rpc';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import { testServers } from '@switchboard/testing';
import { organizationOf } from './organization.js';
import { startContacts, type RunningContacts } from './running-contacts.js';

const servers = testServers();
let running: RunningContacts;
beforeAll(async () => void (running = await startContacts(servers)));

const organization = (): ReturnType<typeof organizationOf> => organizationOf(running);

const short = ({ subject, data }: EventEnvelope): string => {
  const { messagingChannelId = '' } = data as { messagingChannelId?: string };
  return `${subject.replace(/^contacts\.|\.v1$/g, '')} ${messagingChannelId}`.trim();
};

describe('contacts', () => {
  it('keep what is left out, lose what is null, and emit events only when they change', async () => {
    const { upsert, contact, events } = organization();
    const made = await upsert({ phone: '+525512345678', name: 'Ana' });
    expect(made).toMatchObject({ isNew: true, contact: { name: 'Ana', email: null, messagingId: '525512345678' } });
    expect(Object.keys(made.contact)).toEqual([
      'id',
      'phone',
      'messagingId',
      'name',
      'email',
      'isOptedOut',
      'optedOutChannelIds',
      'createdAt',
      'updatedAt',
    ]);
    const other = await upsert({ phone: '+52 1 55 1234 5678', email: 'ana@example.com' });
    expect(other).toMatchObject({
      isNew: false,
      contact: { id: made.contact.id, phone: '+525512345678', name: 'Ana' },
    });
    const same = await upsert({ phone: '+525512345678', name: 'Ana', email: 'ana@example.com' });
    expect(same).toEqual(other);
    const cleared = await upsert({ phone: '+525512345678', name: null, email: null });
    expect(cleared.contact).toMatchObject({ name: null, email: null });
    expect(cleared.contact.updatedAt > other.contact.updatedAt).toBe(true);
    expect(await contact(made.contact.id)).toEqual(cleared.contact);
    expect((await events()).map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    const phoneForms = ['+5215512345678', '+525512345678'];
    expect((await events())[0]?.data).toMatchObject({ contact: { phoneForms, optOuts: [] } });
  });

  it('refuse what cannot be a phone, and read national forms by the default channel', async () => {
    const { upsert, connect } = organization();
    for (const phone of ['nonsense', '+1', '55 1234 5678']) {
      await expect(upsert({ phone })).rejects.toMatchObject({
        code: 'INVALID_PHONE',
        message: '`phone` must be a phone number, E.164 preferred',
      });
    }
    await connect('GB');
    await connect('MX', true);
    expect((await upsert({ phone: '55 1234 5678' })).contact.phone).toBe('+525512345678');
  });

  it('of another organization are as unknown ones, and their phones are free', async () => {
    const [alice, bob] = [organization(), organization()];
    const [mine, theirs] = [await alice.upsert({ phone: '+12015550123' }), await bob.upsert({ phone: '+12015550123' })];
    expect(mine.contact.id).not.toBe(theirs.contact.id);
    await expect(bob.contact(mine.contact.id)).rejects.toMatchObject({ code: 'CONTACT_NOT_FOUND' });
    await expect(bob.optOut({ contactId: mine.contact.id })).rejects.toMatchObject({ code: 'CONTACT_NOT_FOUND' });
    const { optOut } = await alice.optOut({ contactId: mine.contact.id });
    await expect(bob.remove(optOut.id)).rejects.toMatchObject({ code: 'OPT_OUT_NOT_FOUND' });
    const show = running.gateway.call(getOptOutRpc, bob.principal, { id: optOut.id });
    await expect(show).rejects.toMatchObject({ code: 'OPT_OUT_NOT_FOUND' });
    for (const id of [mine.contact.id, newCuid()]) {
      expect(await bob.optOuts({ contactId: id })).toEqual({ items: [] });
    }
    expect((await bob.contact(theirs.contact.id)).isOptedOut).toBe(false);
  });
});

describe('opt-outs', () => {
  it('on one channel and on all emit one event per channel that becomes covered', async () => {
    const { connect, optOut, contact, optOuts, remove, events } = organization();
    const [first, second, third] = [await connect(), await connect(), await connect()];
    const one = await optOut({ phone: '+12015550123', messagingChannelId: second, reason: 'asked by phone' });
    expect(one).toMatchObject({
      isNew: true,
      optOut: { phone: '+12015550123', messagingChannelId: second, source: 'API', reason: 'asked by phone' },
    });
    const { contactId } = one.optOut;
    expect(await contact(contactId)).toMatchObject({ isOptedOut: false, optedOutChannelIds: [second] });
    const all = await optOut({ contactId });
    expect(all).toMatchObject({ isNew: true, optOut: { messagingChannelId: null, reason: null } });
    expect(await contact(contactId)).toMatchObject({ isOptedOut: true, optedOutChannelIds: [second] });
    expect((await events()).map(short)).toEqual([
      'contact.changed',
      'contact.changed',
      `opt-out.created ${second}`,
      'contact.changed',
      ...[first, third].sort().map((id) => `opt-out.created ${id}`),
    ]);
    expect((await optOuts()).items).toEqual([all.optOut, one.optOut]);
    // Covered already: an opt-out of its own, but no channel more.
    const own = await optOut({ contactId, messagingChannelId: third });
    expect(own.isNew).toBe(true);
    await remove(own.optOut.id);
    expect((await events()).slice(6).map(short)).toEqual(['contact.changed', 'contact.changed', 'opt-out.deleted']);
    await remove(all.optOut.id);
    await expect(remove(all.optOut.id)).rejects.toMatchObject({ code: 'OPT_OUT_NOT_FOUND' });
    expect(await contact(contactId)).toMatchObject({ isOptedOut: false, optedOutChannelIds: [second] });
    expect((await events()).slice(9).map(short)).toEqual(['contact.changed', 'opt-out.deleted']);
  });

  it('that stand are answered as they stand, and every channel covered singly is opted out', async () => {
    const { connect, optOut, contact, events } = organization();
    const [first, second] = [await connect(), await connect()];
    const made = await optOut({ phone: '+525512345678', messagingChannelId: first, reason: 'once' });
    const before = (await events()).length;
    const again = await optOut({ phone: '+52 1 55 1234 5678', messagingChannelId: first, reason: 'twice' });
    expect(again).toEqual({ isNew: false, optOut: made.optOut });
    expect((await events()).length).toBe(before);
    await optOut({ contactId: made.optOut.contactId, messagingChannelId: second });
    expect((await contact(made.optOut.contactId)).isOptedOut).toBe(true);
    await connect();
    expect((await contact(made.optOut.contactId)).isOptedOut).toBe(false);
  });

  it('are filtered by contact, phone and channel, and paged newest first', async () => {
    const { connect, optOut, optOuts } = organization();
    const [first, second] = [await connect(), await connect()];
    const ids: string[] = [];
    for (const phone of ['+12015550101', '+12015550102']) {
      for (const messagingChannelId of [first, second, null]) {
        ids.unshift((await optOut({ phone, messagingChannelId })).optOut.id);
      }
    }
    const idsOf = async (request: Partial<ListOptOutsRequest>): Promise<string[]> =>
      (await optOuts(request)).items.map(({ id }) => id);
    const [contactId] = (await optOuts({ phone: '+12015550101' })).items.map((item) => item.contactId);
    expect(await idsOf({ phone: '+1 (201) 555-0101' })).toEqual(ids.slice(3));
    expect(await idsOf({ contactId: contactId ?? '' })).toEqual(ids.slice(3));
    expect(await idsOf({ messagingChannelId: first })).toEqual([ids[2], ids[5]]);
    expect(await idsOf({ messagingChannelId: first, phone: '+12015550101' })).toEqual([ids[5]]);
    expect(await idsOf({ contactId: contactId ?? '', phone: '+12015550102' })).toEqual([]);
    expect(await idsOf({ phone: '+12015550199' })).toEqual([]);
    await expect(optOuts({ phone: 'x' })).rejects.toMatchObject({ code: 'INVALID_PHONE' });
    expect(await optOuts({ messagingChannelId: newCuid() })).toEqual({ items: [] });
    const pages: string[] = [];
    for (let cursor: string | null | undefined = null; cursor !== undefined;) {
      const page: Awaited<ReturnType<typeof optOuts>> = await optOuts({ limit: 2, cursor });
      pages.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(pages).toEqual(ids);
  });

  it('know who asked: a key is API, a user is CONSOLE', async () => {
    const { optOut, principal } = organization();
    const user: Principal = { ...principal, actor: { type: 'user', userId: 'cuser0001' } };
    expect((await optOut({ phone: '+12015550101' }, user)).optOut.source).toBe('CONSOLE');
  });

  it('need a channel of the organization: one without an event so far is asked for, an unknown one is 404', async () => {
    const [own, other] = [organization(), organization()];
    const id = newCuid();
    running.channels.set(id, { organizationId: own.organizationId, defaultRegion: 'MX' });
    // The channel's own region reads a national form.
    const made = await own.optOut({ phone: '55 1234 5678', messagingChannelId: id });
    expect(made.optOut).toMatchObject({ phone: '+525512345678', messagingChannelId: id });
    for (const [who, channelId] of [
      [other, id],
      [own, newCuid()],
    ] as const) {
      const refused = who.optOut({ phone: 'not even a phone', messagingChannelId: channelId });
      await expect(refused).rejects.toMatchObject({ code: 'CHANNEL_NOT_FOUND' });
    }
    await expect(own.optOut({ contactId: newCuid() })).rejects.toMatchObject({ code: 'CONTACT_NOT_FOUND' });
  });

  it('of 40 callers at once are one, and raise its version once', async () => {
    const { optOut, events } = organization();
    const answers = await Promise.all(Array.from({ length: 40 }, () => optOut({ phone: '+12015550101' })));
    expect(new Set(answers.map((answer) => answer.optOut.id)).size).toBe(1);
    expect(answers.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect((await events()).map(({ sequence }) => sequence)).toEqual([1, 2]);
  });
});

describe('the fence', () => {
  it('is raised with the newest facts before any call is answered, for an existing opt-out too', async () => {
    const { optOut, remove, connect } = organization();
    const channelId = await connect();
    const fencedSince = running.fenced.length;
    const made = await optOut({ phone: '+12015550101', messagingChannelId: channelId });
    await optOut({ phone: '+12015550101', messagingChannelId: channelId });
    await remove(made.optOut.id);
    const facts = running.fenced.slice(fencedSince).map(({ id, version, optOuts }) => ({ id, version, optOuts }));
    const standing = { id: made.optOut.contactId, version: 2, optOuts: [{ channelId, source: 'API' }] };
    expect(facts).toEqual([standing, standing, { id: made.optOut.contactId, version: 3, optOuts: [] }]);
  });

  it('that messaging does not confirm is 503; the opt-out is stored, and a repetition confirms it', async () => {
    const { optOut, optOuts, events } = organization();
    const refusal = await running.unconfirmed(() => optOut({ phone: '+12015550101' }));
    expect(refusal).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1 });
    expect((await optOuts()).items).toHaveLength(1);
    const before = running.fenced.length;
    expect(await optOut({ phone: '+12015550101' })).toMatchObject({ isNew: false });
    expect(running.fenced).toHaveLength(before + 1);
    expect((await events()).filter(({ subject }) => subject.includes('contact.changed'))).toHaveLength(2);
  });

  it('that messaging does not confirm is 503 for a removal; a repetition confirms it, and only then it is unknown', async () => {
    const { optOut, optOuts, remove, events } = organization();
    const made = (await optOut({ phone: '+12015550101' })).optOut;
    const refusals = [
      await running.unconfirmed(() => remove(made.id)),
      await running.unconfirmed(() => remove(made.id)),
    ];
    expect(refusals).toMatchObject([{ code: 'SERVICE_UNAVAILABLE' }, { code: 'SERVICE_UNAVAILABLE' }]);
    expect([(await optOuts()).items, await remove(made.id)]).toEqual([[], {}]);
    expect(running.fenced.at(-1)).toMatchObject({ id: made.contactId, version: 3, optOuts: [] });
    await expect(remove(made.id)).rejects.toMatchObject({ code: 'OPT_OUT_NOT_FOUND' });
    expect((await events()).filter(({ subject }) => subject.includes('opt-out.deleted'))).toHaveLength(1);
  });
});

describe('lists', () => {
  it('go through the rpc with all filters', async () => {
    const { upsert, optOut, principal } = organization();
    const { contact } = await upsert({ phone: '+12015550101', name: 'Ana', email: 'ana@example.com' });
    await upsert({ phone: '+12015550102', name: 'Bo' });
    await optOut({ contactId: contact.id });
    const request = { limit: 25, cursor: null, search: 'ANA@', phone: '+12015550101', isOptedOut: true };
    const page = await running.gateway.call(listContactsRpc, principal, request);
    expect(page.items.map(({ id }) => id)).toEqual([contact.id]);
    const none = await running.gateway.call(listContactsRpc, principal, { ...request, isOptedOut: false });
    expect(none).toEqual({ items: [] });
  });
});
