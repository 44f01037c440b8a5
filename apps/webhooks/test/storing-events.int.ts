import { describe, expect, it } from '@jest/globals';
import { newCuid, newCuidAt } from '@switchboard/contracts/grammar/cuid';
import { statement } from '@switchboard/postgres';
import { eventually, lockWaiters, nodesOf, planOf, preparedStatements, testServers } from '@switchboard/testing';
import { storePublicEvents } from '../src/event/event.repository.js';
import { webhooksMigrations } from '../src/migrations/all.js';
import { deactivateWebhooks } from '../src/webhook/deactivate-webhooks.repository.js';
import { storeWebhook } from './stored-webhook.js';

const servers = testServers();

describe('storing events', () => {
  it('draws positions in the order given, by organization, from the one that was drawn last', async () => {
    const prepared = await servers.serviceDatabase('webhooks', webhooksMigrations);
    const database = await prepared.database();
    const [former = '', latter = ''] = [newCuid(), newCuid()].toSorted();
    const batch = [latter, former, latter].map((organizationId) => received(organizationId));
    const next = received(latter);
    await database.transaction((tx) => storePublicEvents(tx, batch));
    await database.transaction((tx) => storePublicEvents(tx, [next]));
    const stored = await database.query(positionsSql, []);
    const positions = new Map(stored.map(({ id, position }) => [id, position]));
    expect([...batch, next].map(({ id }) => positions.get(id))).toEqual([1, 1, 2, 3]);
  });

  it('makes deliveries for a webhook that was registered while it waited for the feed', async () => {
    const prepared = await servers.serviceDatabase('webhooks', webhooksMigrations);
    const database = await prepared.database();
    const superuser = await prepared.superuser();
    const organizationId = newCuid();
    const event = received(organizationId, Date.now() + 60_000);
    const release = Promise.withResolvers<void>();
    const drawn = Promise.withResolvers<void>();
    const holding = database.transaction(async (tx) => {
      await storePublicEvents(tx, [received(organizationId)]);
      drawn.resolve();
      await release.promise;
    });
    await drawn.promise;
    const storing = database.transaction((tx) => storePublicEvents(tx, [event]));
    await eventually(async () => (await lockWaiters(superuser)) > 0);
    const { id: webhookId } = await storeWebhook(database, 0, organizationId);
    release.resolve();
    await holding;
    expect(await storing).toEqual([{ webhookId, eventId: event.id, isProbed: false }]);
  });

  it('is refused, and stores nothing, before a database that may be a restored one is compared', async () => {
    const prepared = await servers.serviceDatabase('webhooks', webhooksMigrations);
    const database = await prepared.database();
    const event = received(newCuid());
    const store = () => database.transaction((tx) => storePublicEvents(tx, [event]));
    await database.query(uncomparedSql, []);
    await expect(store()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await database.query(positionsSql, [])).toEqual([]);
    await database.query(comparedSql, []);
    await store();
    expect(await database.query(positionsSql, [])).toEqual([{ id: event.id, position: 1 }]);
  });

  it('stores them also where the clock was set back since the schema was made', async () => {
    const prepared = await servers.serviceDatabase('webhooks', webhooksMigrations);
    const database = await prepared.database();
    const { dataSource } = await prepared.superuser();
    await dataSource.query('UPDATE webhooks.beginning SET event_id = $1', [newCuidAt(Date.now() + 1_800_000)]);
    const event = received(newCuid());
    await database.transaction((tx) => storePublicEvents(tx, [event]));
    expect(await database.query(positionsSql, [])).toEqual([{ id: event.id, position: 1 }]);
  });

  it('makes deliveries for the active webhooks of their organization alone', async () => {
    const database = await (await servers.serviceDatabase('webhooks', webhooksMigrations)).database();
    const active = await storeWebhook(database, 0);
    const deactivated = await storeWebhook(database, 0, active.organizationId);
    await storeWebhook(database, 0);
    const one = { organizationId: active.organizationId, webhookId: deactivated.id, reason: 'of the test' };
    await database.transaction((tx) => deactivateWebhooks(tx, [one]));
    const stored = await database.transaction((tx) => storePublicEvents(tx, [received(active.organizationId)]));
    expect(stored.map(({ webhookId }) => webhookId)).toEqual([active.id]);
  });

  it('looks up the webhooks of their organizations, and compares no event with those of others', async () => {
    const prepared = await servers.serviceDatabase('webhooks', webhooksMigrations);
    const database = await prepared.database({ poolMax: 1 });
    await database.transaction((tx) => storePublicEvents(tx, [received(newCuid())]));
    const store = (await preparedStatements(database)).find(({ name }) => name === 'webhooks.event.store');
    if (!store) throw new Error('the statement was not prepared');
    const nodes = nodesOf(await planOf(database, store));
    const ofWebhooks = nodes.filter((node) => node['Relation Name'] === 'webhook');
    expect(ofWebhooks).toMatchObject([
      { 'Node Type': 'Index Scan', 'Index Cond': expect.stringContaining('organization_id = ') },
    ]);
  });

  it('says which of the receivers that it is for are probed', async () => {
    const prepared = await servers.serviceDatabase('webhooks', webhooksMigrations);
    const database = await prepared.database();
    const answering = await storeWebhook(database, 0);
    const failing = await storeWebhook(database, 0, answering.organizationId);
    await database.query(statement('test.probe', 'UPDATE lane SET probing_since = now() WHERE webhook_id = $1'), [
      failing.id,
    ]);
    const event = received(answering.organizationId);
    const stored = await database.transaction((tx) => storePublicEvents(tx, [event]));
    expect(new Map(stored.map(({ webhookId, isProbed }) => [webhookId, isProbed]))).toEqual(
      new Map([
        [answering.id, false],
        [failing.id, true],
      ]),
    );
  });
});

const positionsSql = statement<{ id: string; position: number }>(
  'test.positions',
  'SELECT id, position::int FROM event',
);

/** The last comparison was under another start of PostgreSQL. */
const uncomparedSql = statement(
  'test.uncompared',
  `INSERT INTO incarnation VALUES (1, 7, 'old', NULL, 0, now(), pg_postmaster_start_time() - interval '1 day')`,
);
const comparedSql = statement('test.compared', 'UPDATE incarnation SET server_started_at = pg_postmaster_start_time()');

/** @param atMs of its id, in milliseconds since 1970 */
function received(organizationId: string, atMs = Date.now()) {
  const occurredAt = new Date().toISOString();
  const parts = { type: 'message.received' as const, line: '', body: '{}', contactId: null, messageId: null };
  return { id: newCuidAt(atMs), organizationId, occurredAt, ...parts };
}
