import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { statement, type Database } from '@switchboard/postgres';
import { testServers } from '@switchboard/testing';
import { storeWebhook } from '../../test/stored-webhook.js';
import { webhooksMigrations } from '../migrations/all.js';
import { insertReplay, takeReplay } from './replay.repository.js';
import { queueReplay, replayedEvents, type ReplayedEvents } from './replayed-events.repository.js';

const servers = testServers();
const queuedSql = statement<{ count: number }>(
  't.queued',
  `SELECT count(*)::int AS count FROM delivery WHERE webhook_id = $1 AND kind = 'REPLAY'`,
);
let database: Database;
let superuser: Database;
beforeAll(async () => {
  const prepared = await servers.serviceDatabase('webhooks', webhooksMigrations);
  database = await prepared.database();
  superuser = await prepared.superuser();
});

/** A replay of all events of a webhook. */
async function replay(events: number): Promise<ReplayedEvents> {
  const { organizationId, id: webhookId } = await storeWebhook(database, events);
  const all = { after: 0, upTo: Number.MAX_SAFE_INTEGER, since: new Date(0), until: null };
  const of = { organizationId, webhookId, replayId: newCuid(), types: ['message.received'], onlyMissed: false };
  await database.transaction((tx) => insertReplay(tx, { ...of, ...all }, events));
  return { ...of, ...all };
}

describe('a replay', () => {
  it('is left to the replica that has it', async () => {
    const { organizationId, replayId: id, webhookId } = await replay(0);
    const take = (): Promise<ReplayedEvents | null> =>
      database.transaction((tx) => takeReplay(tx, { organizationId, id, webhookId }));
    const holder = await superuser.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM webhooks.replay WHERE id = $1 FOR UPDATE', [id]);
      expect(await take()).toBeNull();
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
    expect(await take()).toMatchObject({ replayId: id });
  });

  it('makes one delivery of an event, however often its slice is queued', async () => {
    const events = await replay(3);
    const { found } = await replayedEvents(database, events, 10);
    expect(found).toHaveLength(3);
    const ids = found.map(({ id }) => id);
    for (const slice of [ids.slice(0, 2), ids]) await database.transaction((tx) => queueReplay(tx, events, slice));
    expect(await database.query(queuedSql, [events.webhookId])).toEqual([{ count: 3 }]);
  });
});
