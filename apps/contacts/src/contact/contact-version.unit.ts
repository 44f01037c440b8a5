import { describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Contact } from './contact.entity.js';
import { versionAfter } from './contact-version.policy.js';

const HOUR_MS = 3_600_000;
const optOut = { id: newCuid(), channelId: '*', source: 'API', reason: null } as const;

/** A contact of now, of version 5. */
function contactOf(more: Partial<Contact>): Contact {
  const own = { organizationId: 'corg', id: newCuid(), phone: '+12015550123', messagingId: '', version: 5 };
  const nothing = { name: null, email: null, optOuts: [], appliedStatements: null, mergedInto: null, versionFloor: 0 };
  return { ...own, ...nothing, aliases: ['+12015550123'], updatedAt: new Date(), ...more };
}

describe('the version of a contact after a change', () => {
  const floor = Date.now() + HOUR_MS;
  const behind = contactOf({ versionFloor: floor });

  it.each<[string, Partial<Contact>]>([
    ['opt-outs', { optOuts: [optOut] }],
    ['numbers', { aliases: ['+12015550124'] }],
    ['a merge', { mergedInto: newCuid() }],
  ])('goes above what a restore has lost with %s', (_what, patch) => {
    expect(versionAfter(behind, { ...behind, ...patch }, false)).toBe(floor + 1);
  });

  it('grows by one with a name or an id of the upstream, unless the contact is confirmed', () => {
    const named = { ...behind, name: 'Ana', messagingId: '12015550123', aliases: [...behind.aliases, 'user:U1'] };
    expect(versionAfter(behind, named, false)).toBe(6);
    expect(versionAfter(behind, named, true)).toBe(floor + 1);
  });

  it('grows by one without a restore, above the floor, and of a contact that came after the restore', () => {
    const others = [
      contactOf({}),
      contactOf({ version: floor + 7, versionFloor: floor }),
      // A day, by which the services' clocks may be off.
      contactOf({ versionFloor: Date.now() - 25 * HOUR_MS }),
    ];
    for (const one of others) expect(versionAfter(one, { ...one, optOuts: [optOut] }, true)).toBe(one.version + 1);
  });
});
