import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { EventFeedPage } from '@switchboard/contracts/webhooks/rpc';
import { isNotNow } from '@switchboard/outbox';
import { createLog } from '@switchboard/platform';
import { statement, type Database } from '@switchboard/postgres';
import { testServers } from '@switchboard/testing';
import { FeedBeginnings } from '../src/event/feed-beginnings.js';
import { raiseFeed } from '../src/event/restored-feed.js';
import { ListEventsHandler } from '../src/list-events/list-events.handler.js';
import { webhooksMigrations } from '../src/migrations/all.js';
import { storeEvents, storeWebhook } from './stored-webhook.js';

const servers = testServers();
const comparedSql = statement(
  't.compared',
  `INSERT INTO webhooks.incarnation (number, token, consumer_epoch, compared_at, server_started_at)
   VALUES (1, 't', 0, now(), pg_postmaster_start_time())
   ON CONFLICT (id) DO UPDATE SET compared_at = now(), server_started_at = pg_postmaster_start_time()`,
);
const restoreSql = statement(
  't.restored',
  `WITH restored AS (UPDATE webhooks.incarnation SET server_started_at = pg_postmaster_start_time() - interval '1 hour'),
   forgotten AS (DELETE FROM webhooks.feed WHERE organization_id = $2)
   UPDATE webhooks.feed SET last_position = 2 WHERE organization_id = $1`,
);
/** The clock steps back by 50 minutes before the event of number $2; each event occurs, by a clock that does not, a minute after the former. */
const steppedSql = statement(
  't.stepped-back',
  `UPDATE webhooks.event e SET occurred_at = n.at, stored_at = n.at - CASE WHEN n >= $2 THEN interval '50 min' ELSE interval '0' END
   FROM (
     SELECT id, n, now() - interval '30 min' + n * interval '1 min' AS at
     FROM (SELECT id, row_number() OVER (ORDER BY position) AS n FROM webhooks.event WHERE organization_id = $1) AS numbered) AS n
   WHERE e.id = n.id`,
);
/** Each event says whose it is. */
const namedSql = statement('t.named', 'UPDATE webhooks.event SET body = organization_id');
/** 100 KB each, numbered from 1 on. */
const largeSql = statement(
  't.large',
  `UPDATE webhooks.event e SET body = rpad(n.n || ' ', 100000, 'x')
   FROM (SELECT id, row_number() OVER (ORDER BY position) AS n FROM webhooks.event WHERE organization_id = $1) AS n
   WHERE e.id = n.id`,
);
const REFUSED = { code: 'VALIDATION_FAILED', message: '`cursor` must be a `nextCursor` of this list' };
let database: Database;
let superuser: Database;

beforeAll(async () => {
  const prepared = await servers.serviceDatabase('webhooks', webhooksMigrations);
  database = await prepared.database();
  superuser = await prepared.superuser();
  await superuser.query(comparedSql, []);
});

/** A page as a reader of the organization gets it. */
function read(
  organizationId: string,
  cursor: string | null,
  types: readonly string[] | null = null,
  from: string | null = null,
  on = database,
) {
  const principal = { organizationId, actor: { type: 'user' as const, userId: newCuid() }, scopes: null };
  const call = { principal, request: { limit: 100, cursor, types, from } };
  return new ListEventsHandler(on).list(call as never) as Promise<EventFeedPage>;
}

describe('a cursor of the feed', () => {
  it('is refused when it is ahead of all that the feed has given, and the reader of its own goes on', async () => {
    const long = await storeWebhook(database, 9);
    const short = await storeWebhook(database, 3);
    const [{ nextCursor: ofLong }, own] = [
      await read(long.organizationId, null),
      await read(short.organizationId, null),
    ];
    for (const types of [null, ['message.received']]) {
      await expect(read(short.organizationId, ofLong, types)).rejects.toMatchObject(REFUSED);
      expect(await read(short.organizationId, own.nextCursor, types)).toMatchObject({
        bodies: [],
        nextCursor: own.nextCursor,
      });
    }
    const none = newCuid();
    await expect(read(none, ofLong)).rejects.toMatchObject(REFUSED);
    const { nextCursor } = await read(none, null);
    expect(await read(none, nextCursor)).toMatchObject({ bodies: [], nextCursor });
    await storeEvents(database, short, 4);
    expect((await read(short.organizationId, own.nextCursor)).bodies).toHaveLength(4);
  });

  it('of another organization that is not ahead is a place of this feed, and shows nothing of the other', async () => {
    const long = await storeWebhook(database, 9);
    const short = await storeWebhook(database, 3);
    await superuser.query(namedSql, []);
    const { nextCursor: ofShort } = await read(short.organizationId, null);
    for (const types of [null, ['message.received']]) {
      const { bodies } = await read(long.organizationId, ofShort, types);
      expect(bodies).toEqual(Array(6).fill(long.organizationId));
    }
  });

  it('that was given before a restore from a backup is good before the feed is raised, and after', async () => {
    const kept = await storeWebhook(database, 7);
    const lost = await storeWebhook(database, 7);
    const cursors = new Map<string, string>();
    for (const { organizationId } of [kept, lost]) {
      cursors.set(organizationId, (await read(organizationId, null)).nextCursor);
    }
    await superuser.query(restoreSql, [kept.organizationId, lost.organizationId]);
    const readAll = () => Promise.all([...cursors].map(([organizationId, cursor]) => read(organizationId, cursor)));
    expect(await readAll()).toMatchObject([{ bodies: [] }, { bodies: [] }]);
    // The fan-out goes on before the database is compared: what it stored now would come to no reader.
    for (const webhook of [kept, lost]) {
      const refused = await storeEvents(database, webhook, 2).catch((error: unknown) => error);
      expect([refused, isNotNow(refused)]).toMatchObject([{ code: 'SERVICE_UNAVAILABLE' }, true]);
    }
    await raiseFeed(database, { writtenBefore: new Date(), number: 1, lastNumber: 2 }, createLog('webhooks'));
    await superuser.query(comparedSql, []);
    expect(await readAll()).toMatchObject([{ bodies: [] }, { bodies: [] }]);
    for (const webhook of [kept, lost]) await storeEvents(database, webhook, 2);
    expect((await readAll()).map(({ bodies }) => bodies.length)).toEqual([2, 2]);
  });
});

describe('a reader that has all', () => {
  it('has its place compared with the end of the feed, and no day of events looked at', async () => {
    const { organizationId } = await storeWebhook(database, 3);
    const { nextCursor } = await read(organizationId, null);
    const asked: string[] = [];
    const query: Database['query'] = (one, values) => {
      asked.push(one.name);
      return database.query(one, values);
    };
    const counting = { query } as Database;
    expect(await read(organizationId, nextCursor, null, null, counting)).toMatchObject({ bodies: [], nextCursor });
    expect(asked).toEqual(['webhooks.feed.last']);
  });
});

describe('a page of large events', () => {
  it('is as long as fits into an answer, and no event behind it is read', async () => {
    const { organizationId } = await storeWebhook(database, 20);
    await superuser.query(largeSql, [organizationId]);
    const counted: number[] = [];
    const query: Database['query'] = async (one, values) => {
      const rows = await database.query(one, values);
      if (one.name === 'webhooks.feed.page') counted.push(rows.length);
      return rows;
    };
    const counting = { query } as Database;
    const seen: number[] = [];
    for (let cursor: string | null = null; seen.length < 20;) {
      const page: EventFeedPage = await read(organizationId, cursor, null, null, counting);
      expect(page.bodies.length).toBeGreaterThan(0);
      seen.push(...page.bodies.map((body) => Number.parseInt(body)));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    // 700 KB hold six whole ones; the seventh shows that it does not fit.
    expect(counted).toEqual([7, 7, 7, 2]);
  });
});

describe('the feed from a time on', () => {
  it('misses nothing, though the clock of the database stepped back by the best part of an hour', async () => {
    const { organizationId } = await storeWebhook(database, 20);
    await superuser.query(steppedSql, [organizationId, 6]);
    for (const first of [3, 5, 6, 12]) {
      const from = new Date(Date.now() + (first - 30.5) * 60_000).toISOString();
      expect((await read(organizationId, null, null, from)).bodies).toHaveLength(21 - first);
    }
  });

  it('is looked for behind the place that was found before, where the time is no earlier', async () => {
    const { organizationId } = await storeWebhook(database, 20);
    await superuser.query(steppedSql, [organizationId, 6]);
    const beginnings = new FeedBeginnings();
    const looked: number[] = [];
    const counting = {
      query: (asked: { name: string }, values: readonly unknown[]) => {
        if (asked.name === 'webhooks.feed.occurred') looked.push(Number(values[1]));
        return database.query(asked as never, values);
      },
    };
    const at = (first: number) => new Date(Date.now() + (first - 30.5) * 60_000);
    const find = (first: number) => beginnings.positionBefore(counting as never, organizationId, at(first));
    const places = [await find(5), await find(8), await find(12), await find(3), await find(4)];
    const [fifth = 0] = places;
    expect(places.map((place) => place - fifth)).toEqual([0, 3, 7, -2, -1]);
    // From the first event on, unless an earlier time was asked for just before.
    expect(looked.map((after) => after - fifth)).toEqual([-4, 0, 3, -4, -2]);
  });
});
