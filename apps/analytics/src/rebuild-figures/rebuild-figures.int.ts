import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Database } from '@switchboard/postgres';
import { SeededRandom, testServers } from '@switchboard/testing';
import fc from 'fast-check';
import { FakeMessages } from '../../test/fake-messages.js';
import { counted, recount, shuffled, stories, versionsOf } from '../../test/story.js';
import { FactRangeRepository } from '../fact/fact-range.repository.js';
import type { MessageFact } from '../fact/message-fact.js';
import { storeFacts } from '../fact/store-facts.js';
import { analyticsMigrations } from '../migrations/all.js';
import { RebuildRepository, requestRebuilds } from '../rebuild/rebuild.repository.js';
import { readPage } from './read-page.js';
import { recountDay } from './recount-day.js';
import { settlePage } from './settle-page.js';

const servers = testServers();
const PAGE_MAX = 3;
let database: Database;
let superuser: Database;

beforeAll(async () => {
  const prepared = await servers.serviceDatabase('analytics', analyticsMigrations);
  [database, superuser] = await Promise.all([prepared.database(), prepared.superuser()]);
});

const sql = (text: string, values: unknown[]): Promise<unknown[]> => superuser.dataSource.query(text, values);
const take = (facts: readonly MessageFact[]): Promise<void> => database.transaction((tx) => storeFacts(tx, facts));

/** Runs every step, as one replica after the other would. @param meanwhile happens before each answer of messaging */
async function rebuild(organizationId: string, messages: FakeMessages, meanwhile?: () => Promise<void>): Promise<void> {
  await sql(`DELETE FROM analytics.rebuild WHERE organization_id = $1`, [organizationId]);
  await sql(`INSERT INTO analytics.rebuild (organization_id) VALUES ($1)`, [organizationId]);
  const facts = new FactRangeRepository(database);
  for (;;) {
    const claimed = await new RebuildRepository(database).claim();
    if (!claimed) return;
    if (claimed.step === 'counts') await recountDay(database, claimed);
    else await settlePage(database, claimed, await readPage(messages.rpc(meanwhile), facts, claimed, PAGE_MAX));
    await sql('UPDATE analytics.rebuild SET due_at = now()', []);
  }
}

/** What hands and defects may do to facts and counts; what is older than the first message is left alone. */
const DAMAGES: readonly string[] = [
  'DELETE FROM analytics.message_fact WHERE organization_id = $1',
  'DELETE FROM analytics.rollup WHERE organization_id = $1',
  'UPDATE analytics.rollup SET counts = ARRAY(SELECT count + 3 FROM unnest(counts) AS count) WHERE organization_id = $1',
  `UPDATE analytics.rollup SET keys = array_replace(keys, 'accepted', 'odd') WHERE organization_id = $1`,
  'UPDATE analytics.message_fact SET version = version + 90 WHERE organization_id = $1',
  'UPDATE analytics.message_fact SET stage = 3, is_failed = true WHERE organization_id = $1',
  'UPDATE analytics.message_fact SET is_replied = NOT is_replied WHERE organization_id = $1 AND template_id IS NOT NULL',
  `UPDATE analytics.message_fact SET channel_id = 'cother' WHERE organization_id = $1`,
  `INSERT INTO analytics.message_fact (organization_id, id, channel_id, contact_id, is_inbound, template_id, version, stage,
     is_failed, sent_at)
   SELECT organization_id, id || suffix, channel_id, contact_id, is_inbound, template_id, 1, 1, false, now()
   FROM analytics.message_fact, unnest(ARRAY['a', 'b', 'c', 'd', 'e', 'f', 'g']) AS suffix WHERE organization_id = $1`,
];

describe('a rebuild', () => {
  it('ends equal to the messages, from any state, while events go on', async () => {
    const damages = fc.subarray([...DAMAGES]);
    await fc.assert(
      fc.asyncProperty(stories, damages, fc.integer(), async (lives, wrongs, seed) => {
        const random = new SeededRandom(seed);
        const organizationId = newCuid();
        const versions = versionsOf(lives, organizationId);
        const messages = new FakeMessages();
        const isLate = versions.flat().map((fact) => ({ fact, late: random.chance(0.4) }));
        const early = isLate.filter(({ late }) => !late).map(({ fact }) => fact);
        const coming = shuffled(
          isLate.filter(({ late }) => late).map(({ fact }) => fact),
          seed,
        );
        for (const fact of early) messages.commit(fact);
        await take(shuffled(early, seed));
        for (const wrong of wrongs) await sql(wrong, [organizationId]);
        await rebuild(organizationId, messages, async () => {
          // Committed before it is delivered, and some of what is committed is delivered later.
          const next = coming.splice(0, 2);
          for (const fact of next) messages.commit(fact);
          if (random.chance(0.5)) await take(next);
          else coming.push(...next);
        });
        for (const fact of coming) messages.commit(fact);
        await take(coming);
        const expected = recount(messages.all());
        for (const grain of [15, 60, 1440]) expect(await counted(superuser, organizationId, grain)).toEqual(expected);
      }),
      { numRuns: 30, endOnFailure: true },
    );
  });

  it('leaves figures older than the oldest message that is kept, and those of no message', async () => {
    const organizationId = newCuid();
    const messages = new FakeMessages();
    const [facts = []] = fc
      .sample(stories, { seed: 7, numRuns: 1 })
      .map((lives) => versionsOf(lives, organizationId).flat());
    const [first] = facts;
    if (!first) throw new Error('the story has no message');
    const older: MessageFact = { ...first, id: `c0${first.id.slice(2)}` };
    for (const fact of [older, ...facts]) messages.commit(fact);
    await take([older, ...facts]);
    await sql(
      `INSERT INTO analytics.rollup VALUES ($1, 'requests', 60, date_trunc('hour', now()), '', ARRAY['2xx GET /v1/ping'], ARRAY[4])`,
      [organizationId],
    );
    const before = await counted(superuser, organizationId, 60);
    messages.dropBefore(first.id);
    await rebuild(organizationId, messages);
    expect(await counted(superuser, organizationId, 60)).toEqual(before);
    expect(before['requests:2xx GET /v1/ping']).toBe(4);
  });

  it('takes away figures of messages that a restore has lost, where none is left and where all that are left are newer', async () => {
    const enough = stories.filter((lives) => lives.length > 1);
    await fc.assert(
      fc.asyncProperty(enough, fc.boolean(), async (lives, isNoneLeft) => {
        const organizationId = newCuid();
        const facts = versionsOf(lives, organizationId).flat();
        await take(facts);
        const messages = new FakeMessages();
        const [first] = facts;
        for (const fact of facts) if (!isNoneLeft && fact.id !== first?.id) messages.commit(fact);
        await rebuild(organizationId, messages);
        const expected = recount(messages.all());
        for (const grain of [15, 60, 1440]) expect(await counted(superuser, organizationId, grain)).toEqual(expected);
      }),
      { numRuns: 20 },
    );
  });

  it('leaves figures older than the first message where an older messaging does not say from where on it keeps them', async () => {
    const organizationId = newCuid();
    const [facts = []] = fc
      .sample(stories, { seed: 7, numRuns: 1 })
      .map((lives) => versionsOf(lives, organizationId).flat());
    await take(facts);
    const before = await counted(superuser, organizationId, 60);
    await rebuild(organizationId, new FakeMessages(null));
    expect(await counted(superuser, organizationId, 60)).toEqual(before);
  });

  it('leaves figures of messages that are removed while it runs', async () => {
    const enough = stories.filter((lives) => lives.length > 2 * PAGE_MAX);
    await fc.assert(
      fc.asyncProperty(enough, fc.nat(), fc.nat({ max: 6 }), async (lives, cut, asks) => {
        const organizationId = newCuid();
        const messages = new FakeMessages();
        const facts = versionsOf(lives, organizationId).flat();
        for (const fact of facts) messages.commit(fact);
        await take(facts);
        const before = await counted(superuser, organizationId, 60);
        const all = messages.all();
        const keptFrom = all[cut % all.length]?.id ?? '';
        let asked = 0;
        await rebuild(organizationId, messages, async () => {
          if (asked++ === asks) messages.dropBefore(keptFrom);
        });
        expect(await counted(superuser, organizationId, 60)).toEqual(before);
      }),
      { numRuns: 20 },
    );
  });

  it('is asked for of every organization that has figures, after a restore', async () => {
    const [one, other] = [newCuid(), newCuid()];
    for (const id of [one, other]) {
      await sql(
        `INSERT INTO analytics.rollup VALUES ($1, 'messages', 60, date_trunc('hour', now()), 'c1', ARRAY['sent'], ARRAY[1])`,
        [id],
      );
    }
    const asked = await requestRebuilds(database, 900);
    const open = await sql(
      `SELECT organization_id AS id FROM analytics.rebuild WHERE step = 'messages' AND due_at > now() + interval '14 minutes'`,
      [],
    );
    expect(open).toEqual(expect.arrayContaining([{ id: one }, { id: other }]));
    expect(asked).toBe(open.length);
  });
});
