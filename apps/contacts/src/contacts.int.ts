import { beforeAll, describe, expect, it } from '@jest/globals';
import { contactChanged } from '@switchboard/contracts/contacts/events';
import { resolveContactsRpc, type ContactSighting } from '@switchboard/contracts/contacts/rpc';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { optOutObserved } from '@switchboard/contracts/messaging/events';
import { messagingContactsConsumer } from '@switchboard/contracts/consumers';
import { eventually, testServers } from '@switchboard/testing';
import { organizationOf, publishEvent } from '../test/organization.js';
import { startContacts, type RunningContacts } from '../test/running-contacts.js';

const servers = testServers();
const sighting = (phone: string, more: Partial<ContactSighting> = {}): ContactSighting => ({
  phone,
  profileName: null,
  messagingId: null,
  ...more,
});

let running: RunningContacts;
let received: EventEnvelope[];
beforeAll(async () => {
  running = await startContacts(servers);
  received = running.receive(messagingContactsConsumer);
});

describe('the contacts service', () => {
  const alice = systemPrincipal('corganization1', 'test');
  const bob = systemPrincipal('corganization2', 'test');

  it('answers one contact per sighting in order, in every written form of a phone, and emits each change once', async () => {
    const first = await running.messaging.call(resolveContactsRpc, alice, {
      sightings: [sighting('+525512345678', { profileName: ' Ana ' }), sighting('+12015550123')],
    });
    const again = await running.messaging.call(resolveContactsRpc, alice, {
      sightings: [sighting('+12015550123'), sighting('+5215512345678', { messagingId: '5215512345678' })],
    });
    const other = await running.messaging.call(resolveContactsRpc, bob, { sightings: [sighting('+12015550123')] });

    expect(
      first.contacts.map(({ phone, name, messagingId, version }) => ({ phone, name, messagingId, version })),
    ).toEqual([
      { phone: '+525512345678', name: 'Ana', messagingId: '525512345678', version: 1 },
      { phone: '+12015550123', name: null, messagingId: '12015550123', version: 1 },
    ]);
    expect(again.contacts).toEqual([
      first.contacts[1],
      { ...first.contacts[0], messagingId: '5215512345678', version: 2 },
    ]);
    expect(other.contacts[0]?.id).not.toBe(first.contacts[1]?.id);

    const events = await eventually(() => received.length >= 4 && [...received]);
    const mexican = events.filter(({ aggregateId }) => aggregateId === first.contacts[0]?.id);
    expect(mexican.map(({ subject, sequence, data }) => ({ subject, sequence, data }))).toEqual([
      { subject: contactChanged.subject, sequence: 1, data: { contact: first.contacts[0] } },
      { subject: contactChanged.subject, sequence: 2, data: { contact: again.contacts[1] } },
    ]);
    expect(events.map(({ organizationId }) => organizationId).sort()).toEqual([
      ...Array<string>(3).fill(alice.organizationId),
      bob.organizationId,
    ]);
  });

  it.each([
    ['no sightings', [], '`sightings` must be an array of 1 to 200'],
    ['too many', Array.from({ length: 201 }, () => sighting('+12015550123')), '1 to 200'],
    ['a phone that is not E.164', [sighting('+12015550123'), sighting('2015550124')], '`sightings[1].phone`'],
    ['an id with a NUL', [sighting('+12015550123', { messagingId: 'a\0' })], '`sightings[0].messagingId`'],
    ['no person', [{ ...sighting(''), phone: null }], '`sightings[0].phone` or `upstreamUserId`'],
    [
      'a change of number without its message',
      [sighting('+12015550123', { formerPhone: '+12015550124' })],
      '.statement`',
    ],
    [
      'a preference of no channel',
      [sighting('+12015550123', { preference: { channelId: '*', value: 'stop', source: 'KEYWORD' } })],
      '`sightings[0].preference`',
    ],
    [
      'a statement of no time',
      [sighting('+12015550123', { statement: { id: 'wamid.1', at: 'yesterday' } })],
      '`sightings[0].statement`',
    ],
  ])('refuses %s with VALIDATION_FAILED, naming the field', async (_what, sightings, message) => {
    const refused = running.messaging.call(resolveContactsRpc, alice, { sightings });
    await expect(refused).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      message: expect.stringContaining(message),
    });
  });
});

describe('what messaging observed', () => {
  it('is recorded as UPSTREAM once, acknowledged each time, and not after the person has said otherwise', async () => {
    const { upsert, optOuts, contact, connect, events, organizationId, principal } = organizationOf(running);
    const channelId = await connect();
    const { id: contactId } = (await upsert({ phone: '+12015550101' })).contact;
    const data = { contactId, messagingChannelId: channelId, source: 'UPSTREAM' } as const;
    const acknowledged = async (eventId: string): Promise<EventEnvelope> =>
      eventually(async () =>
        (await events()).findLast((event) => (event.data as { observed?: string[] }).observed?.includes(eventId)),
      );
    const first = await publishEvent(running, organizationId, contactId, optOutObserved, data);
    expect((await acknowledged(first)).sequence).toBe(2);
    expect((await optOuts()).items).toMatchObject([{ source: 'UPSTREAM', messagingChannelId: channelId }]);
    expect((await contact(contactId)).isOptedOut).toBe(true);

    const later = new Date(Date.now() + 2_000);
    const start = { channelId, value: 'start', source: 'KEYWORD' } as const;
    const statement = { id: 'wamid.start', at: later.toISOString() };
    const sighting = { phone: '+12015550101', profileName: null, messagingId: null, preference: start, statement };
    const { contacts } = await running.messaging.call(resolveContactsRpc, principal, { sightings: [sighting] });
    expect(contacts[0]).toMatchObject({ optOuts: [], version: 3 });

    const stale = await publishEvent(
      running,
      organizationId,
      contactId,
      optOutObserved,
      data,
      new Date(later.getTime() - 1),
    );
    expect((await acknowledged(stale)).sequence).toBe(3);
    expect((await optOuts()).items).toEqual([]);
    const newer = await publishEvent(
      running,
      organizationId,
      contactId,
      optOutObserved,
      data,
      new Date(later.getTime() + 1),
    );
    expect((await acknowledged(newer)).sequence).toBe(4);
    expect((await optOuts()).items).toHaveLength(1);
  });
});
