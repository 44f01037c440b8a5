import { beforeAll, describe, expect, it } from '@jest/globals';
import type { OptOutView } from '@switchboard/contracts/contacts/http';
import type { Page } from '@switchboard/contracts/grammar/page';
import { testServers } from '@switchboard/testing';
import fc from 'fast-check';
import { organizationOf } from '../../test/organization.js';
import { startContacts, type RunningContacts } from '../../test/running-contacts.js';

const servers = testServers();

/** Something that happens while somebody pages: which opt-out is drawn from those that were made. */
const happening = fc.record({
  what: fc.constantFrom('record', 'remove', 'remove the last one shown'),
  which: fc.nat(),
});
const story = fc.record({
  count: fc.integer({ min: 1, max: 14 }),
  limit: fc.integer({ min: 1, max: 5 }),
  happenings: fc.array(fc.array(happening, { maxLength: 3 }), { minLength: 14, maxLength: 14 }),
  byChannel: fc.boolean(),
});

describe('a walk through the list of opt-outs', () => {
  let running: RunningContacts;
  beforeAll(async () => void (running = await startContacts(servers)));

  it('shows each opt-out that exists throughout exactly once, newest first, and continues after a removed row', async () => {
    let removedCursors = 0;
    await fc.assert(
      fc.asyncProperty(story, async ({ count, limit, happenings, byChannel }) => {
        const { optOut, optOuts, remove, connect } = organizationOf(running);
        const messagingChannelId = byChannel ? await connect() : null;
        let numbers = 0;
        const made: string[] = [];
        const record = async (): Promise<void> => {
          const phone = `+1201555${String(++numbers).padStart(4, '0')}`;
          made.push((await optOut({ phone, messagingChannelId })).optOut.id);
        };
        const removed = new Set<string>();
        const removeOne = async (id: string): Promise<void> => {
          if (removed.has(id)) return;
          removed.add(id);
          await remove(id);
        };
        await Promise.all(Array.from({ length: count }, record));
        const before = made.toSorted().reverse();

        const shown: string[] = [];
        for (let cursor: string | null | undefined = null, page = 0; cursor !== undefined; page++) {
          const now = happenings[page] ?? [];
          if (cursor !== null && now.some(({ what }) => what === 'remove the last one shown')) {
            await removeOne(cursor);
            removedCursors++;
          }
          const [answer]: [Page<OptOutView>, ...unknown[]] = await Promise.all([
            optOuts({ limit, cursor, messagingChannelId }),
            ...now.map(async ({ what, which }) => {
              if (what === 'record') await record();
              if (what === 'remove') await removeOne(made[which % made.length] ?? '');
            }),
          ]);
          expect(answer.items.length).toBeLessThanOrEqual(limit);
          shown.push(...answer.items.map(({ id }) => id));
          cursor = answer.nextCursor;
        }
        expect(shown).toEqual(shown.toSorted().reverse());
        expect(new Set(shown).size).toBe(shown.length);
        const standing = before.filter((id) => !removed.has(id));
        expect(shown.filter((id) => standing.includes(id))).toEqual(standing);
      }),
      { numRuns: 30 },
    );
    expect(removedCursors).toBeGreaterThan(0);
  });
});
