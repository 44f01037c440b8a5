import { beforeAll, describe, expect, it } from '@jest/globals';
import { cuidTime } from '@switchboard/contracts/grammar/cuid';
import { conversationOpened } from '@switchboard/contracts/messaging/events';
import { createLog, PruneWorker } from '@switchboard/platform';
import type { Queryable } from '@switchboard/postgres';
import { FakeClock, itOnOneDay, testServers } from '@switchboard/testing';
import { keepMonths, keepMonthsOf } from '../src/keep-months/keep-months.js';
import { countPastMonths } from '../src/keep-months/observe-months.js';
import { MessageRepository } from '../src/message/message.repository.js';
import { messagingConfig } from '../src/messaging.config.js';
import { conversationPruners, emptyConversations } from '../src/prune-conversations/prune-conversations.worker.js';
import { monthFloor } from '../src/message/month-floor.js';
import { daysSinceEnd, idOf, monthsAgo, sentAt, settledAt } from './aged-messages.js';
import { LaneStore } from './lane-store.js';
import { callbackOf, MessagingStore, settlementOf, taken, type Sender } from './messaging-store.js';

const servers = testServers();
const lines: unknown[] = [];
const log = createLog('test', { write: (line) => void lines.push(JSON.parse(line)) });
/** The youngest month that goes is the one of three months ago. */
const keptDays = (): number => daysSinceEnd(3);
let store: MessagingStore;

beforeAll(async () => {
  store = await MessagingStore.open(servers);
});

const suffixOf = (moment: Date): string => moment.toISOString().slice(0, 7).replace('-', '');
const keep = (days = keptDays()): Promise<void> => keepMonths(store.database, days, log);
const pruneConversations = (): Promise<boolean> =>
  new PruneWorker({ database: store.database, clock: new FakeClock(), log }, emptyConversations).round();
const isKept = async (sender: Sender, { messageId }: { readonly messageId: string }): Promise<boolean> =>
  (await new MessageRepository(store.database).find(sender.organizationId, messageId)) !== null;
const rowsOf = async (table: string, { messageId }: { readonly messageId: string }): Promise<number> => {
  const [row] = await store.superuser.dataSource.query(
    `SELECT count(*)::int AS count FROM messaging.${table} WHERE message_id = $1`,
    [messageId],
  );
  return row.count;
};
const partitions = async (): Promise<string[]> => {
  const rows: { name: string }[] = await store.superuser.dataSource.query(`
    SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent IN ('messaging.message'::regclass, 'messaging.attempt_outcome'::regclass,
      'messaging.upstream_message'::regclass) ORDER BY 1`);
  return rows.map(({ name }) => name);
};
const conversationOf = async ({ organizationId }: Sender, contactId?: string): Promise<string | undefined> => {
  const [row] = await store.superuser.dataSource.query(
    'SELECT id FROM messaging.conversation WHERE organization_id = $1 AND contact_id = $2',
    [organizationId, contactId],
  );
  return row?.id;
};

describe('months of messages', () => {
  it('are kept for ever unless the operator says otherwise, and for 35 days at least', async () => {
    const sender = await store.sender();
    const old = await settledAt(store, sender, monthsAgo(30));
    await keep(0);
    expect(conversationPruners(0)).toEqual([]);
    const { dataSource } = store.superuser;
    expect(await dataSource.query('SELECT messaging.past_message_partitions(34)')).toEqual([]);
    const name = `message_${suffixOf(monthsAgo(30))}`;
    expect(await dataSource.query('SELECT messaging.drop_message_partition($1, 34) AS gone', [name])).toEqual([
      { gone: false },
    ]);
    expect(await isKept(sender, old)).toBe(true);
    const env = { DATABASE_URL: 'postgres://d', NATS_URL: 'n', NATS_USER: 'u', NATS_PASSWORD: 'p' };
    const key = { CREDENTIALS_KEY: Buffer.alloc(32).toString('base64') };
    expect(() => messagingConfig({ ...env, ...key, MESSAGING_RETENTION_DAYS: '34' })).toThrow(
      'MESSAGING_RETENTION_DAYS: must be 0, or a whole number from 35 to 3650',
    );
    expect(messagingConfig({ ...env, ...key }).MESSAGING_RETENTION_DAYS).toBe(0);
  });

  itOnOneDay('go with what belongs to their messages, when all of them are old enough', async () => {
    const sender = await store.sender();
    const [young, old] = [await settledAt(store, sender, monthsAgo(2)), await sentAt(store, sender, monthsAgo(3))];
    await store.superuser.dataSource.query(
      `INSERT INTO messaging.attempt_outcome (organization_id, message_id, attempt, has_begun, outcome, began_at, ended_at, due_at)
       VALUES ($1, $2, 1, true, 'RETRY', now(), now(), now())`,
      [sender.organizationId, old.messageId],
    );
    await store.settle(settlementOf(old, taken(old)));
    const counts = async (): Promise<number[]> => [
      await rowsOf('upstream_message', old),
      await rowsOf('attempt_outcome', old),
    ];
    expect([await isKept(sender, old), await counts()]).toEqual([true, [1, 1]]);
    // Two days, of which one is that of a midnight that comes meanwhile.
    await keep(keptDays() + 2);
    expect(await isKept(sender, old)).toBe(true);

    await keep();
    // Upstream ids of before there were months lie in the first one of theirs, and go with that.
    expect([await isKept(sender, old), await counts()]).toEqual([false, [1, 0]]);
    expect(await isKept(sender, young)).toBe(true);
    const suffix = suffixOf(monthsAgo(3));
    expect((await partitions()).filter((name) => name.endsWith(suffix))).toEqual([]);
    expect(lines).toContainEqual(
      expect.objectContaining({ event: 'messages.month-removed', partition: `message_${suffix}` }),
    );
    const before = await partitions();
    await keep();
    expect(await partitions()).toEqual(before);
  });

  it('stay while the outcome of a message is open, or a recipient with an id of theirs is in a lane', async () => {
    const sender = await store.sender();
    const open = await sentAt(store, sender, monthsAgo(4));
    const lanes = new LaneStore(store);
    const job = { ...lanes.job(sender), jobId: idOf(monthsAgo(5)) };
    const waiting = job.items.map((item) => ({ ...item, messageId: idOf(monthsAgo(5)) }));
    const begun = await settledAt(store, sender, monthsAgo(5));
    await lanes.submit(job, waiting);
    await lanes.control(job, 'PAUSE');
    await keep();
    expect([await isKept(sender, open), await isKept(sender, begun)]).toEqual([true, true]);

    await store.settle(settlementOf(open, taken(open)));
    await lanes.control(job, 'WITHDRAW');
    await store.superuser.dataSource.query('DELETE FROM messaging.bulk_item');
    await keep();
    expect([await isKept(sender, open), await isKept(sender, begun)]).toEqual([false, false]);
  });

  it('are of now for a job that was paused for longer than messages are kept', async () => {
    const sender = await store.sender();
    await settledAt(store, sender, monthsAgo(6));
    await keep();
    const lanes = new LaneStore(store);
    const job = { ...lanes.job(sender), jobId: idOf(monthsAgo(6)) };
    const items = job.items.map((item) => ({ ...item, messageId: idOf(monthsAgo(6)) }));
    await lanes.submit(job, items);
    const [attempt] = (await lanes.claim()).attempts;
    if (!attempt) throw new Error('nothing was claimed');
    expect(Date.now() - cuidTime(attempt.messageId).getTime()).toBeLessThan(60_000);
    await store.settle(settlementOf(attempt, taken(attempt)));
    await store.superuser.dataSource.query('DELETE FROM messaging.bulk_item');
    await keep();
    await pruneConversations();
    expect([await isKept(sender, attempt), await rowsOf('upstream_message', attempt)]).toEqual([true, 1]);
    expect(await conversationOf(sender, attempt.contactId)).toBeDefined();
  });

  it('stay for the transaction that has made sure of them', async () => {
    const name = `message_${suffixOf(monthsAgo(7))}`;
    await keepMonthsOf(store.database, [monthsAgo(7)]);
    await store.database.transaction(async (tx) => {
      await keepMonthsOf(tx, [monthsAgo(7)]);
      await keep();
    });
    expect(await partitions()).toContain(name);
    expect(lines).toContainEqual(expect.objectContaining({ event: 'messages.month-kept', partition: name }));
    expect(await countPastMonths(store.database, keptDays())).toBeGreaterThan(0);
    expect(await countPastMonths(store.database, 0)).toBe(0);
    await Promise.all([keep(), keep()]);
    expect(await partitions()).not.toContain(name);
    expect(await countPastMonths(store.database, keptDays())).toBe(0);
  });

  it('are locked in one order, whatever the order of the recipients', async () => {
    const asked: unknown[] = [];
    const tx = { query: async (_: unknown, values: readonly unknown[]) => (asked.push(...values), []) };
    const [older, later] = [monthsAgo(7), monthsAgo(6)];
    await keepMonthsOf(tx as unknown as Queryable, [later, older, later]);
    expect(asked).toEqual([older, later]);
  });

  itOnOneDay('stay while the clocks of the service and of the database differ by more than a day', async () => {
    const name = `message_${suffixOf(monthsAgo(8))}`;
    await keepMonthsOf(store.database, [monthsAgo(8)]);
    const before = await partitions();
    for (const days of [-2, 2]) {
      await keepMonths(store.database, keptDays(), log, { now: () => Date.now() + days * 86_400_000 });
      expect(lines.at(-1)).toMatchObject({ level: 'error', event: 'messages.clocks-differ' });
    }
    expect(await partitions()).toEqual(before);
    await keep();
    expect(await partitions()).not.toContain(name);
  });

  it('come back whole when the first months of upstream ids are gone, too', async () => {
    const aged = await MessagingStore.open(servers);
    const [{ now }] = await aged.superuser.dataSource.query(`SELECT min(right(relname, 6)) AS now FROM pg_class
      WHERE relname ~ '^upstream_message_\\d{6}$' AND relnamespace = 'messaging'::regnamespace`);
    const first = suffixOf(monthsAgo(5));
    await aged.superuser.dataSource.query(`SET search_path = messaging;
      ALTER TABLE upstream_message DETACH PARTITION upstream_message_${now};
      ALTER TABLE upstream_message_${now} RENAME TO upstream_message_${first};
      ALTER TABLE upstream_message ATTACH PARTITION upstream_message_${first}
        FOR VALUES FROM (MINVALUE) TO ('${monthFloor(monthsAgo(4))}')`);
    for (const months of [4, 3, 2, 1, 0]) await keepMonthsOf(aged.superuser, [monthsAgo(months)]);
    await keepMonths(aged.database, keptDays(), log);
    const sender = await aged.sender();
    const lanes = new LaneStore(aged);
    const job = { ...lanes.job(sender), jobId: idOf(monthsAgo(6)) };
    const items = job.items.map((item) => ({ ...item, messageId: idOf(monthsAgo(6)) }));
    await lanes.submit(job, items);
    const { attempts } = await lanes.claim();
    expect(attempts).toHaveLength(items.length);
    for (const attempt of attempts) await aged.settle(settlementOf(attempt, taken(attempt)));
    for (const attempt of attempts) expect(await aged.message(attempt)).toMatchObject({ status: 'SENT' });
  });
});

describe('conversations', () => {
  it('go when all of their messages are gone, and begin anew with the next one', async () => {
    const sender = await store.sender(3);
    const [quiet, busy, snoozed] = sender.contacts.map(({ id }) => id);
    for (const contact of [0, 1, 2]) await settledAt(store, sender, monthsAgo(3), contact);
    await settledAt(store, sender, new Date(), 1);
    const other = await store.sender();
    await settledAt(store, other, monthsAgo(2));
    await store.superuser.dataSource.query(
      "UPDATE messaging.conversation SET status = 'SNOOZED', snoozed_until = now() + interval '1 day' WHERE contact_id = $1",
      [snoozed],
    );
    await pruneConversations();
    const first = await conversationOf(sender, quiet);
    expect(first).toBeDefined();

    await keep();
    await pruneConversations();
    expect(await conversationOf(sender, quiet)).toBeUndefined();
    expect(await conversationOf(sender, busy)).toBeDefined();
    expect(await conversationOf(sender, snoozed)).toBeDefined();
    expect(await conversationOf(other, other.contacts[0]?.id)).toBeDefined();

    await settledAt(store, sender, new Date());
    const next = await conversationOf(sender, quiet);
    expect(next).not.toBe(first);
    const events = await store.eventsOfConversation(next ?? '');
    expect(events.map(({ subject, sequence }) => [subject, sequence])).toContainEqual([conversationOpened.subject, 1]);
  });

  it('are looked for by the order of the lists of each organization, a slice a statement', async () => {
    const runner = store.superuser.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query('SET LOCAL search_path = messaging; SET LOCAL enable_seqscan = off');
    const plan: unknown = await runner.query(`EXPLAIN ${emptyConversations.statement.text.replaceAll('$1', '10')}`);
    await runner.rollbackTransaction();
    await runner.release();
    expect(JSON.stringify(plan)).toContain('conversation_position');
    // Of each partition of messages: by the index of a conversation's messages, and never all of an organization.
    expect(JSON.stringify(plan)).not.toMatch(/message_\d{6}_pkey|Seq Scan on message/);
  });
});

describe('a status without our reference', () => {
  it('finds the message of an earlier month', async () => {
    const sender = await store.sender();
    const attempt = await settledAt(store, sender, monthsAgo(1));
    const status = callbackOf(sender, attempt, { status: 'delivered' });
    const item = { ...status.callback.item, biz_opaque_callback_data: undefined };
    const waiting = await store.callbacks({ ...status, callback: { ...status.callback, item } });
    expect([...waiting]).toEqual([]);
    expect(await store.message(attempt)).toMatchObject({ status: 'DELIVERED' });
  });
});
