import { beforeAll, describe, expect, it } from '@jest/globals';
import { resolveContactsRpc, type ContactFacts, type ContactSighting } from '@switchboard/contracts/contacts/rpc';
import { testServers } from '@switchboard/testing';
import { organizationOf } from './organization.js';
import { startContacts, type RunningContacts } from './running-contacts.js';

const servers = testServers();
const [OLD, NEW, THIRD] = ['+12015550101', '+12015550102', '+12015550103'];
/** Of the upstream's clock, which counts seconds. */
const MOVED_SECOND = Math.trunc(Date.now() / 1_000);
let running: RunningContacts;
beforeAll(async () => void (running = await startContacts(servers)));

interface Answer {
  readonly contact: ContactFacts | undefined;
  readonly also: readonly ContactFacts[];
}

/** An organization, and what its people say at seconds that are counted from the change of a number. */
async function world() {
  const own = organizationOf(running);
  const channelId = await own.connect();
  const see = async (sighting: Partial<ContactSighting>): Promise<Answer> => {
    const sightings = [{ phone: null, profileName: null, messagingId: null, ...sighting }];
    const { contacts, also = [] } = await running.messaging.call(resolveContactsRpc, own.principal, { sightings });
    return { contact: contacts[0], also };
  };
  const statement = (id: string, second: number): ContactSighting['statement'] => {
    return { id: `${id} ${second}`, at: new Date((MOVED_SECOND + second) * 1_000).toISOString() };
  };
  const say = (value: 'stop' | 'start', second: number, by: Partial<ContactSighting>): Promise<Answer> => {
    const preference = { channelId, value, source: 'KEYWORD' } as const;
    return see({ ...by, preference, statement: statement(value, second) });
  };
  const move = (formerPhone: string, phone: string, second = 0): Promise<Answer> =>
    see({ phone, formerPhone, isNote: true, statement: statement(`${formerPhone} is ${phone}`, second) });
  const created = async (): Promise<unknown[]> =>
    (await own.events()).flatMap(({ subject, aggregateId }) =>
      subject === 'contacts.opt-out.created.v1' ? [aggregateId] : [],
    );
  return { ...own, channelId, see, say, move, created, stopped: [{ channelId, source: 'KEYWORD' }] };
}

describe('a STOP of before a number changed, which comes behind the note of it', () => {
  it('is of the contact that moved, which each answer brings, and is announced once', async () => {
    const { see, say, move, created, stopped } = await world();
    const { contact } = await see({ phone: OLD });
    await move(OLD, NEW);
    for (const _ of ['once', 'again']) {
      const answer = await say('stop', -1, { phone: OLD });
      expect(answer.contact).toMatchObject({ phone: OLD, optOuts: [] });
      expect(answer.also).toMatchObject([{ id: contact?.id, phone: NEW, optOuts: stopped }]);
    }
    expect(await created()).toEqual([contact?.id]);
    const after = await say('stop', 1, { phone: OLD });
    expect(after).toMatchObject({ contact: { optOuts: stopped }, also: [] });
    expect(await created()).toEqual([contact?.id, after.contact?.id]);
  });

  it('is of the contact with which the one that moved was joined, also when that moved on', async () => {
    const { see, say, move, contact } = await world();
    const [one, other] = [(await see({ phone: OLD })).contact, (await see({ phone: NEW })).contact];
    await move(OLD, NEW);
    await move(NEW, THIRD, 10);
    expect((await say('stop', -1, { phone: OLD })).also).toMatchObject([{ id: other?.id, phone: THIRD }]);
    for (const person of [one, other]) expect((await contact(person?.id ?? '')).isOptedOut).toBe(true);
  });

  it('is of both where the times leave a doubt, of which a START lifts neither', async () => {
    const { see, say, move, stopped } = await world();
    const { contact } = await see({ phone: OLD });
    await move(OLD, NEW);
    const stop = await say('stop', 0, { phone: OLD });
    expect(stop).toMatchObject({ contact: { optOuts: stopped }, also: [{ id: contact?.id, optOuts: stopped }] });
    expect(await say('start', 0, { phone: OLD })).toMatchObject({ contact: { optOuts: stopped }, also: [] });
    expect((await see({ phone: NEW })).contact?.optOuts).toEqual(stopped);
  });

  it('is of no other in another organization, in which the number is another contact’s', async () => {
    const [alice, bob] = [await world(), await world()];
    await alice.see({ phone: OLD });
    await alice.move(OLD, NEW);
    expect(await bob.say('stop', -1, { phone: OLD })).toMatchObject({ contact: { optOuts: bob.stopped }, also: [] });
    expect((await alice.see({ phone: NEW })).contact?.optOuts).toEqual([]);
  });

  it('is of the former number alone once who moved is erased', async () => {
    const { see, say, move, erase, stopped } = await world();
    const { contact } = await see({ phone: OLD });
    await move(OLD, NEW);
    await erase(contact?.id ?? '');
    expect(await say('stop', -1, { phone: OLD })).toMatchObject({ contact: { optOuts: stopped }, also: [] });
  });

  it('is lost in no race with the note, over two replicas', async () => {
    const { see, say, move, stopped } = await world();
    for (let round = 10; round < 40; round++) {
      const [former, current] = [`+120155501${round}`, `+120255501${round}`];
      const { contact } = await see({ phone: former });
      await Promise.all([move(former, current), say('stop', -1, { phone: former })]);
      const person = (await see({ phone: current })).contact;
      const next = (await see({ phone: former })).contact;
      expect([round, person?.id, person?.optOuts, next?.optOuts]).toEqual([round, contact?.id, stopped, []]);
    }
  });
});
