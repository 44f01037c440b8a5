import { describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { statement } from '@switchboard/postgres';
import { nodesOf, planOf, preparedStatements, testServers } from '@switchboard/testing';
import { storePublicEvents } from '../src/event/event.repository.js';
import { webhooksMigrations } from '../src/migrations/all.js';
import { storeWebhook } from './stored-webhook.js';

const servers = testServers();

describe('storing events', () => {
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

function received(organizationId: string) {
  const occurredAt = new Date().toISOString();
  const parts = { type: 'message.received' as const, line: '', body: '{}', contactId: null, messageId: null };
  return { id: newCuid(), organizationId, occurredAt, ...parts };
}
