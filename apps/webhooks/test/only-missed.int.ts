import { describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { statement } from '@switchboard/postgres';
import { blocksOf, nodesOf, planOf, preparedStatements, testServers } from '@switchboard/testing';
import { webhooksMigrations } from '../src/migrations/all.js';
import { countReplay, type ReplayedEvents } from '../src/replay/replayed-events.repository.js';

const servers = testServers();
const EVENTS = 20_000;
/** Events at the positions 1 to $2, over the last six days. */
const eventsSql = statement(
  't.events',
  `INSERT INTO webhooks.event (organization_id, id, type, line, body, occurred_at, stored_at, position)
   SELECT $1, substr(webhooks.cuid_floor(at), 1, 9) || substr(md5(n || $1), 1, 16), 'message.received', '', '{}', at, at, n
   FROM generate_series(1, $2::integer) AS n
   CROSS JOIN LATERAL (SELECT now() - ($2::integer - n) * interval '6 days' / $2::integer) AS t (at)`,
);
/**
 * Attempts of the organization's events for a webhook, a minute after each: of every 100 events 97 have arrived at once, one by a replay,
 * one by hand again behind a replay, and one has not.
 */
const attemptsSql = statement(
  't.attempts',
  `INSERT INTO webhooks.attempt (webhook_id, id, organization_id, delivery_id, event_id, type, kind, number, began_at,
     duration_ms, outcome, delivery_state)
   SELECT $2, substr(webhooks.cuid_floor(e.occurred_at + interval '1 minute'), 1, 9) || substr(md5(e.id || $2), 1, 16), $1,
     CASE WHEN e.position % 100 IN (1, 2) THEN md5(e.id) ELSE substr(e.id, 1, 9) || substr(md5(e.id || $2), 1, 16) END,
     e.id, e.type, CASE e.position % 100 WHEN 1 THEN 'REPLAY' WHEN 2 THEN 'MANUAL' ELSE 'AUTOMATIC' END, 1, e.occurred_at, 1,
     CASE WHEN e.position % 100 = 0 THEN 'FAILED' ELSE 'SUCCEEDED' END, 'SUCCEEDED'
   FROM webhooks.event e WHERE e.organization_id = $1`,
);
const partitionsSql = statement(
  't.days',
  `SELECT webhooks.ensure_partition('attempt', day, day + interval '1 day', to_char(day, 'YYYYMMDD'))
   FROM generate_series(date_trunc('day', now()) - interval '8 days', date_trunc('day', now()), interval '1 day') AS day`,
);
const idsSql = statement<{ id: string }>(
  't.first-ids',
  'SELECT id FROM webhooks.event WHERE organization_id = $1 AND position <= 1000',
);

describe('a replay with onlyMissed', () => {
  it('looks its events up by their deliveries, and by what was sent again, however many attempts there are', async () => {
    const prepared = await servers.serviceDatabase('webhooks', webhooksMigrations);
    const superuser = await prepared.superuser();
    const [organizationId, webhookId, other] = [newCuid(), newCuid(), newCuid()];
    await superuser.query(partitionsSql, []);
    const events: ReplayedEvents = {
      organizationId,
      webhookId,
      replayId: newCuid(),
      after: 0,
      upTo: EVENTS,
      since: new Date(0),
      until: null,
      types: ['message.received'],
      onlyMissed: true,
    };
    const { signal: stop } = new AbortController();
    /** What a new connection plans, and counts. */
    const look = async () => {
      const database = await prepared.database({ poolMax: 1 });
      const count = await countReplay(database, events, { budget: { leftMs: 60_000 }, stop });
      const arrived = (await preparedStatements(database)).find(({ name }) => name === 'webhooks.replay.arrived');
      if (!arrived) throw new Error('the statement was not prepared');
      const ids = (await superuser.query(idsSql, [organizationId])).map(({ id }) => id);
      const literals = [`'${webhookId}'`, `'{${ids.join()}}'`];
      const plan = await planOf(database, arrived, { values: literals, analyze: count > 0 });
      const used = nodesOf(plan).flatMap((node) => node['Index Name'] ?? []);
      // Those of days that were made later have names of the server.
      const ofAttempts = used.flatMap((name) => /^attempt.*(again|delivery|expr|pkey|failed)/.exec(name)?.[1] ?? []);
      const indexes = new Set(ofAttempts.map((name) => (name === 'expr' ? 'again' : name)));
      return { count, indexes: [...indexes].sort(), blocks: blocksOf(plan) };
    };
    expect(await look()).toMatchObject({ count: 0, indexes: ['again', 'delivery'] });
    await superuser.query(eventsSql, [organizationId, EVENTS]);
    for (const id of [webhookId, other]) await superuser.query(attemptsSql, [organizationId, id]);
    const full = await look();
    expect(full).toMatchObject({ count: EVENTS / 100, indexes: ['again', 'delivery'] });
    await superuser.dataSource.query('ANALYZE webhooks.attempt, webhooks.event');
    const analyzed = await look();
    expect(analyzed).toMatchObject({ count: EVENTS / 100, indexes: ['again', 'delivery'] });
    // For a thousand events, of all days that are there; 98 when it was written, and 7,629 where each is looked up by itself.
    for (const { blocks } of [full, analyzed]) expect(blocks).toBeLessThan(400);
  });
});
