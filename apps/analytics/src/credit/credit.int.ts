import { beforeAll, describe, expect, it } from '@jest/globals';
import { cuidFloor, newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Database } from '@switchboard/postgres';
import { nodesOf, planOf, preparedStatements, SeededRandom, testServers } from '@switchboard/testing';
import { shuffled } from '../../test/story.js';
import type { MessageFact } from '../fact/message-fact.js';
import { storeFacts } from '../fact/store-facts.js';
import { analyticsMigrations } from '../migrations/all.js';
import { creditTemplates, lockContacts } from './credit.repository.js';

const servers = testServers();
const HOUR_MS = 3_600_000;
const STARTED_MS = Date.parse('2026-03-01T00:00:00.000Z');
const STORIES = 25;

/** Something that becomes known: a version of a message, or an opt-out. */
type KnownFact = MessageFact | { readonly optedOutAt: Date };

let database: Database;
let superuser: Database;

beforeAll(async () => {
  const prepared = await servers.serviceDatabase('analytics', analyticsMigrations);
  [database, superuser] = await Promise.all([prepared.database({ poolMax: 1 }), prepared.superuser()]);
});

describe('what templates are credited with', () => {
  it('is what the contact did in their windows, after each batch of whatever comes late, is corrected or comes twice', async () => {
    let credited = 0;
    for (let seed = 0; seed < STORIES; seed++) {
      const random = new SeededRandom(seed);
      const contact = { organizationId: newCuid(), channelId: 'l', contactId: newCuid() };
      const known = new Map<string, MessageFact>();
      const optOuts: Date[] = [];
      const left = shuffled(storyOf(random, contact), seed);
      while (left.length > 0) {
        const batch = left.splice(0, random.integer(1, 5));
        await take(contact, batch);
        for (const fact of batch) {
          if ('optedOutAt' in fact) optOuts.push(fact.optedOutAt);
          else if ((known.get(fact.id)?.version ?? 0) < fact.version) known.set(fact.id, fact);
        }
        const expected = expectedOf([...known.values()], optOuts);
        expect([seed, left.length, await storedOf(contact.organizationId)]).toEqual([seed, left.length, expected]);
        credited += expected.length;
      }
    }
    expect(credited).toBeGreaterThan(STORIES * 5);
  });

  it('looks for replies in the windows that reach what came, not in those of all that was sent', async () => {
    const contact = { organizationId: newCuid(), channelId: 'l', contactId: newCuid() };
    await superuser.dataSource.query(
      `INSERT INTO analytics.message_fact (organization_id, id, channel_id, contact_id, is_inbound, template_id, version, stage,
         is_failed, sent_at)
       SELECT $1, analytics.cuid_floor(at) || lpad(n::text, 16, '0'), 'l', $2, false, 't', 1, 1, false, at
       FROM generate_series(1, 2000) AS n, LATERAL (SELECT $3::timestamptz + make_interval(mins => n)) AS sent(at)`,
      [contact.organizationId, contact.contactId, new Date(STARTED_MS)],
    );
    const at = new Date(STARTED_MS + 1_990.5 * 60_000);
    await database.transaction((tx) => creditTemplates(tx, [{ ...contact, at }]));
    const credit = (await preparedStatements(database)).find(({ name }) => name === 'analytics.attribution.credit');
    if (!credit) throw new Error('the statement was not prepared');
    const values = [contact.organizationId, 'l', contact.contactId, at.toISOString()].map((text) => `'{"${text}"}'`);
    const plan = await planOf(database, credit, { values, analyze: true });
    const loops = nodesOf(plan).flatMap((node) =>
      node['Relation Name'] === 'opt_out_fact' ? [node['Actual Loops']] : [],
    );
    expect(loops).toEqual([1]);
  });
});

type Contact = Pick<MessageFact, 'organizationId' | 'channelId' | 'contactId'>;

/** Templates, replies and opt-outs of ten days, with all that becomes known of them. */
function storyOf(random: SeededRandom, contact: Contact): KnownFact[] {
  const momentMs = (): number => STARTED_MS + random.integer(0, 240) * HOUR_MS + random.integer(0, 3) * 500;
  return Array.from({ length: 24 }, () => {
    const atMs = momentMs();
    const kind = random.pick(['inbound', 'opt-out', 'text', 'template', 'template', 'template']);
    if (kind === 'opt-out') return [{ optedOutAt: new Date(atMs) }];
    const idMs = kind === 'inbound' ? atMs : atMs - random.pick([0, 0, 1, 40, -20]) * HOUR_MS;
    const fact: MessageFact = {
      ...contact,
      id: cuidFloor(new Date(idMs)).slice(0, 9) + newCuid().slice(9),
      isInbound: kind === 'inbound',
      templateId: kind === 'template' ? newCuid() : null,
      version: 1,
      stage: 0,
      isFailed: false,
      errorCode: null,
      sentAt: null,
      deliveredAt: null,
      readAt: null,
    };
    if (kind === 'inbound') return [fact, fact];
    const sent = { ...fact, version: 2, stage: 1, sentAt: new Date(atMs) };
    // Said to have been sent at another time, within what the id allows.
    const corrected = { ...sent, version: 3, sentAt: new Date(idMs + random.integer(-23, 48) * HOUR_MS) };
    return [fact, sent, sent, ...(random.chance(0.3) ? [corrected] : [])];
  }).flat();
}

/** A batch of the consumers: messages and opt-outs come by different ones. */
async function take(contact: Contact, batch: readonly KnownFact[]): Promise<void> {
  const touched = batch.flatMap((fact) => ('optedOutAt' in fact ? [{ ...contact, at: fact.optedOutAt }] : []));
  await database.transaction((tx) =>
    storeFacts(
      tx,
      batch.flatMap((fact) => ('optedOutAt' in fact ? [] : [fact])),
    ),
  );
  for (const { at } of touched) {
    await superuser.dataSource.query(
      'INSERT INTO analytics.opt_out_fact VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
      [contact.organizationId, contact.channelId, contact.contactId, at],
    );
  }
  await database.transaction(async (tx) => {
    await lockContacts(tx, touched);
    await creditTemplates(tx, touched);
  });
}

/** What each template is credited with, worked out one by one; those with nothing are left out. */
function expectedOf(known: readonly MessageFact[], optOuts: readonly Date[]): string[] {
  const sends = known
    .flatMap(({ id, templateId, sentAt }) => (templateId !== null && sentAt ? [{ id, ms: sentAt.getTime() }] : []))
    .sort((a, b) => a.ms - b.ms || (a.id < b.id ? -1 : 1));
  const replies = known.filter(({ isInbound }) => isInbound).map(({ id }) => parseInt(id.slice(1, 9), 36));
  const outs = optOuts.map((at) => at.getTime());
  return sends
    .flatMap(({ id, ms }, place) => {
      const untilMs = Math.min(ms + 72 * HOUR_MS, sends[place + 1]?.ms ?? Infinity);
      const isThere = (times: readonly number[]): boolean => times.some((time) => time >= ms && time < untilMs);
      const [replied, optedOut] = [isThere(replies), isThere(outs)];
      return replied || optedOut ? [`${id} ${replied} ${optedOut}`] : [];
    })
    .toSorted();
}

async function storedOf(organizationId: string): Promise<string[]> {
  const rows: { text: string }[] = await superuser.dataSource.query(
    `SELECT concat_ws(' ', id, is_replied::text, is_opted_out::text) AS text FROM analytics.message_fact
     WHERE organization_id = $1 AND (is_replied OR is_opted_out)`,
    [organizationId],
  );
  return rows.map(({ text }) => text).toSorted();
}
