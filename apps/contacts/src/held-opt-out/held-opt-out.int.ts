import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Database } from '@switchboard/postgres';
import { SecretBox } from '@switchboard/secrets';
import { testServers } from '@switchboard/testing';
import { contactsMigrations } from '../migrations/all.js';
import { HeldOptOutRepository, type HeldForAlias } from './held-opt-out.repository.js';
import { NumberHashes } from './number-hash.js';

const servers = testServers();
const [OLD, NEW] = ['+12015550101', '+12015550102'];
let database: Database;
let held: HeldOptOutRepository;
beforeAll(async () => {
  database = await (await servers.serviceDatabase('contacts', contactsMigrations)).database();
  held = new HeldOptOutRepository(
    database,
    new NumberHashes(new SecretBox({ current: Buffer.alloc(32, 7), previous: null })),
  );
});

/** An organization, and what is done to what is held of it. */
function world() {
  const organizationId = newCuid();
  const hold = async (aliases: readonly string[], channelId: string, takenGroups: readonly string[] = []) => {
    const groupId = randomUUID();
    const optOuts = [{ channelId, source: 'API' as const }];
    await database.transaction((tx) => held.hold(tx, { organizationId, aliases, optOuts, takenGroups, groupId }));
    return groupId;
  };
  const of = async (alias: string): Promise<HeldForAlias | undefined> =>
    (await held.find([{ organizationId, alias }]))[0];
  const channelsOf = async (alias: string): Promise<string[] | undefined> =>
    (await of(alias))?.optOuts.map(({ channelId }) => channelId);
  const release = (taken: readonly HeldForAlias[]): Promise<boolean> =>
    database.transaction((tx) => held.release(tx, taken));
  return { organizationId, hold, of, channelsOf, release };
}

describe('what is held of an erased contact', () => {
  it('is in place of what its person had by another number, which was taken over', async () => {
    const { hold, channelsOf } = world();
    const first = await hold([OLD, NEW], 'cone');
    await hold([OLD], 'ctwo', [first]);
    expect([await channelsOf(OLD), await channelsOf(NEW)]).toEqual([['ctwo'], ['ctwo']]);
  });

  it('is not released when another is held by now than was taken', async () => {
    const { hold, of, release } = world();
    await hold([OLD], 'cone');
    const taken = [await of(OLD)].flatMap((one) => one ?? []);
    await hold([OLD], 'cone');
    expect(await release(taken)).toBe(false);
    await hold([OLD], 'cone');
    expect(await release([await of(OLD)].flatMap((one) => one ?? []))).toBe(true);
    expect(await of(OLD)).toBeUndefined();
  });

  it('has the last moment of what was stated, in whichever order it is held', async () => {
    const { organizationId, of } = world();
    const [earlier, later] = ['2026-02-03T04:05:06.000Z', '2026-02-03T04:05:07.000Z'];
    for (const at of [earlier, later, earlier]) {
      await database.transaction((tx) =>
        held.holdStatements(tx, [{ organizationId, alias: OLD, statedAt: { cone: at } }]),
      );
    }
    expect((await of(OLD))?.statedAt).toEqual({ cone: later });
  });
});
