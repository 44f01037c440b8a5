import { describe, expect, it } from '@jest/globals';
import { contactOf, OLD, optOut, said, world } from '../../test/sightings.js';
import { userAlias } from '../contact/alias.policy.js';

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

  it('which has another id by now gives the contact the opt-outs alone: the number may have changed hands', () => {
    const other = contactOf('c2', ACCOUNT, { messagingId: OLD.slice(1), optOuts: [optOut('co1', '*')] });
    const { see, ledger } = world(contactOf('c1', WRITTEN), other);
    expect(see(answered)).toMatchObject({ id: 'c1', aliases: [WRITTEN], optOuts: [optOut('cnew1', '*')] });
    expect(ledger.find('c2')).toBe(other);
    ledger.change(see(answered), { optOuts: [] });
    expect(see(answered).optOuts).toEqual([]);
  });
});
