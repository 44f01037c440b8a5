import { describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { nodesOf, planOf, preparedStatements, testServers } from '@switchboard/testing';
import { storePublicEvents } from '../src/event/event.repository.js';
import { webhooksMigrations } from '../src/migrations/all.js';

const servers = testServers();

describe('storing events', () => {
  it('looks up the webhooks of their organizations, and compares no event with those of others', async () => {
    const prepared = await servers.serviceDatabase('webhooks', webhooksMigrations);
    const database = await prepared.database({ poolMax: 1 });
    const event = {
      id: newCuid(),
      organizationId: newCuid(),
      type: 'message.received' as const,
      line: '',
      body: '{}',
      occurredAt: new Date().toISOString(),
      contactId: null,
      messageId: null,
    };
    await database.transaction((tx) => storePublicEvents(tx, [event]));
    const store = (await preparedStatements(database)).find(({ name }) => name === 'webhooks.event.store');
    if (!store) throw new Error('the statement was not prepared');
    const nodes = nodesOf(await planOf(database, store));
    const ofWebhooks = nodes.filter((node) => node['Relation Name'] === 'webhook');
    expect(ofWebhooks).toMatchObject([
      { 'Node Type': 'Index Scan', 'Index Cond': expect.stringContaining('organization_id = ') },
    ]);
  });
});
