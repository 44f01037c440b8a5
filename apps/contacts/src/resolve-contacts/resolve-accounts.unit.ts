import { describe, expect, it } from '@jest/globals';
import { contactOf, NEW, OLD, optOut, said, world } from '../../test/sightings.js';
import { userAlias } from '../contact/alias.policy.js';
import type { Contact } from '../contact/contact.entity.js';

// Two forms of one subscriber, which no rule knows.
const [WRITTEN, ACCOUNT] = ['+5531925551234', '+553125551234'];

describe("the upstream's id of a number that is another contact's", () => {
  const answered = { phone: WRITTEN, messagingId: ACCOUNT.slice(1) };

  it('shows that both are one person: the contact that was sent to goes on, with the consent of the other', () => {
    const { see, ledger } = world(contactOf('c1', WRITTEN));
    const { id } = see(said('start', 1, { phone: ACCOUNT, messagingId: ACCOUNT.slice(1), upstreamUserId: 'U.1' }));
    see(said('stop', 2, { phone: ACCOUNT, messagingId: ACCOUNT.slice(1) }));
    const after = see({ ...answered, contactId: 'c1' });
    expect(after).toMatchObject({
      id: 'c1',
      phone: WRITTEN,
      messagingId: ACCOUNT.slice(1),
      aliases: [ACCOUNT, WRITTEN, userAlias('U.1')].sort(),
      optOuts: [{ channelId: 'cchannel1', source: 'KEYWORD' }],
    });
    expect(ledger.find(id)).toMatchObject({ phone: ACCOUNT, aliases: [], optOuts: [], mergedInto: 'c1' });
    expect(see(said('start', 1, { phone: ACCOUNT }))).toBe(after);
    expect(see(said('start', 3, { phone: ACCOUNT }))).toMatchObject({ id: 'c1', optOuts: [] });
  });

  it.each([
    ['API', 'KEYWORD'],
    ['KEYWORD', 'API'],
  ] as const)('joins an opt-out by %s with one by %s to one that no START lifts', (ofOne, ofOther) => {
    const more = (id: string, source: typeof ofOne): Partial<Contact> => ({
      optOuts: [optOut(id, 'cchannel1', source)],
    });
    const { see } = world(contactOf('c1', WRITTEN, more('co2', ofOne)), contactOf('c2', ACCOUNT, more('co1', ofOther)));
    expect(see(answered)).toMatchObject({ id: 'c1', optOuts: [{ id: 'co2', source: 'API' }] });
    expect(see(said('start', 3, { phone: ACCOUNT })).optOuts).toHaveLength(1);
  });

  it('which has another id by now gives the contact the opt-outs alone: the number may have changed hands', () => {
    const other = contactOf('c2', ACCOUNT, { messagingId: OLD.slice(1), optOuts: [optOut('co1', '*')] });
    const { see, ledger } = world(contactOf('c1', WRITTEN), other);
    expect(see(answered)).toMatchObject({ id: 'c1', aliases: [WRITTEN], optOuts: [optOut('cnew1', '*')] });
    expect(ledger.find('c2')).toBe(other);
    ledger.change(see(answered), { optOuts: [] });
    expect(see(answered).optOuts).toEqual([]);
  });
});

describe('two numbers of one contact that the upstream gives to two accounts', () => {
  const joined = (more: Partial<Contact> = {}): Contact =>
    contactOf('c1', WRITTEN, { aliases: [ACCOUNT, WRITTEN], messagingId: ACCOUNT.slice(1), ...more });

  it.each([
    ['an answer to a send', { phone: WRITTEN, messagingId: NEW.slice(1), contactId: 'c1' }, [NEW, WRITTEN]],
    ['a message', { phone: WRITTEN, messagingId: WRITTEN.slice(1) }, [WRITTEN]],
  ])('are parted by %s, and a START of one lifts no STOP of the other', (_, sighting, aliases) => {
    const { see } = world(joined());
    see(said('stop', 2, { phone: WRITTEN }));
    expect(see(sighting)).toMatchObject({ id: 'c1', phone: WRITTEN, aliases, optOuts: [{ source: 'KEYWORD' }] });
    const other = see({ phone: ACCOUNT, messagingId: ACCOUNT.slice(1) });
    expect(other).toMatchObject({ phone: ACCOUNT, aliases: [ACCOUNT], optOuts: [{ source: 'KEYWORD' }] });
    // What was stated before they were parted is stated of both.
    expect(see(said('start', 1, { phone: ACCOUNT }))).toBe(other);
    expect(see(said('start', 3, { phone: ACCOUNT }))).toMatchObject({ id: other.id, optOuts: [] });
    expect(see({ phone: WRITTEN })).toMatchObject({ id: 'c1', optOuts: [{ source: 'KEYWORD' }] });
  });

  it('leave the contact the number that it shows', () => {
    const known = joined({ messagingId: WRITTEN.slice(1), optOuts: [optOut('co1', '*')] });
    const other = world(known).see({ phone: ACCOUNT, messagingId: ACCOUNT.slice(1) });
    expect(other).toMatchObject({ aliases: [ACCOUNT], optOuts: [{ channelId: '*' }] });
    const { see, ledger } = world(known);
    expect(see({ contactId: 'c1', phone: ACCOUNT, messagingId: ACCOUNT.slice(1) })).toMatchObject({
      id: 'c1',
      aliases: [WRITTEN],
    });
    expect(ledger.held.heldAnew()).toMatchObject([{ aliases: [ACCOUNT], optOuts: [{ channelId: '*' }] }]);
  });

  it('are parted with the ids of the person whose account it was', () => {
    const byUser = userAlias('U.1');
    const { see } = world(joined({ aliases: [ACCOUNT, WRITTEN, byUser] }));
    see(said('stop', 2, { phone: WRITTEN }));
    see({ phone: WRITTEN, messagingId: NEW.slice(1) });
    const message = { phone: ACCOUNT, messagingId: ACCOUNT.slice(1), upstreamUserId: 'U.1' };
    expect(see(said('start', 3, message))).toMatchObject({ aliases: [ACCOUNT, byUser], optOuts: [] });
    expect(see({ phone: WRITTEN })).toMatchObject({
      id: 'c1',
      aliases: [NEW, WRITTEN],
      optOuts: [{ source: 'KEYWORD' }],
    });
  });

  it('leave the contact the id of the person who writes from its number', () => {
    const byUser = userAlias('U.1');
    const { see } = world(joined({ aliases: [ACCOUNT, WRITTEN, byUser] }));
    const message = { phone: WRITTEN, messagingId: WRITTEN.slice(1), upstreamUserId: 'U.1' };
    expect(see(message)).toMatchObject({ id: 'c1', aliases: [WRITTEN, byUser] });
  });

  it('are joined again when both lead to one account', () => {
    const { see } = world(joined());
    see({ phone: WRITTEN, messagingId: NEW.slice(1) });
    const { id } = see(said('stop', 2, { phone: ACCOUNT, messagingId: ACCOUNT.slice(1) }));
    expect(see({ phone: ACCOUNT, messagingId: NEW.slice(1) })).toMatchObject({ id, optOuts: [{ source: 'KEYWORD' }] });
    expect(see({ phone: WRITTEN }).id).toBe(id);
  });

  it('stay together while the id is one of their forms', () => {
    const { see, events } = world(joined());
    expect(see({ phone: ACCOUNT, messagingId: ACCOUNT.slice(1) }).aliases).toEqual([ACCOUNT, WRITTEN]);
    expect(see({ phone: WRITTEN, messagingId: ACCOUNT.slice(1) }).aliases).toEqual([ACCOUNT, WRITTEN]);
    expect(events()).toBe(0);
  });
});
