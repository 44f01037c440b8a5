import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Database } from '@switchboard/postgres';
import { testServers } from '@switchboard/testing';
import fc from 'fast-check';
import { counted, recount, shuffled, stories, versionsOf } from '../../test/story.js';
import { analyticsMigrations } from '../migrations/all.js';
import type { MessageFact } from './message-fact.js';
import { storeFacts } from './store-facts.js';

const servers = testServers();
let database: Database;
let superuser: Database;

beforeAll(async () => {
  const prepared = await servers.serviceDatabase('analytics', analyticsMigrations);
  [database, superuser] = await Promise.all([prepared.database(), prepared.superuser()]);
});

describe('counts of messages', () => {
  it('equal what the messages add up to, whatever order, repetition and batches their facts come in', async () => {
    await fc.assert(
      fc.asyncProperty(stories, fc.integer({ min: 1, max: 9 }), fc.integer(), async (lives, batchMax, seed) => {
        const organizationId = newCuid();
        const versions = versionsOf(lives, organizationId);
        const known = versions.flat();
        const mixed = shuffled([...known, ...known], seed);
        const batches: MessageFact[][] = [];
        for (let at = 0; at < mixed.length; at += batchMax) batches.push(mixed.slice(at, at + batchMax));
        // Two at a time, as two replicas do.
        for (let at = 0; at < batches.length; at += 2) {
          await Promise.all(
            batches.slice(at, at + 2).map((batch) => database.transaction((tx) => storeFacts(tx, batch))),
          );
        }
        const expected = recount(versions.flatMap((own) => own.at(-1) ?? []));
        for (const grain of [15, 60, 1440]) expect(await counted(superuser, organizationId, grain)).toEqual(expected);
      }),
      { numRuns: 40, endOnFailure: true },
    );
  });
});
