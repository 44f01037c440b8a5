import { expect, it } from '@jest/globals';
import { optOutCreated } from '@switchboard/contracts/contacts/events';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { listEventsRpc } from '@switchboard/contracts/webhooks/rpc';
import { eventually, testServers } from '@switchboard/testing';
import { newCustomer } from './customer.js';
import { startWebhooks } from './running-webhooks.js';

const servers = testServers();
const PHONE = '+14155550100';

it('an event that comes long after its contact was erased says nothing of the person, in the feed and to webhooks', async () => {
  const running = await startWebhooks(servers);
  const customer = newCustomer(running);
  const { organizationId, principal } = customer;
  const webhook = await customer.register(running.receiver.at('/erased-late'));
  const [erased, other] = [newCuid(), newCuid()];
  await running.superuser.dataSource.query(
    'INSERT INTO webhooks.erasure (organization_id, contact_id, erased_at) VALUES ($1, $2, now())',
    [organizationId, erased],
  );
  for (const contactId of [erased, other]) {
    const optOut = { contactId, phone: PHONE, messagingChannelId: null, source: 'API' as const, reason: null };
    const data = { optOut: { ...optOut, id: newCuid(), createdAt: new Date().toISOString() } };
    const of = { organizationId, aggregateId: contactId, sequence: null, occurredAt: new Date() };
    await running.publish({ event: optOutCreated, ...of, data: { ...data, messagingChannelId: newCuid() } });
  }
  await eventually(async () => (await customer.attempts(webhook.id)).length === 2);
  const request = { limit: 100, cursor: null, types: null, from: null };
  const { bodies } = await running.gateway.call(listEventsRpc, principal, request);
  const sent = running.receiver.arrivals('/erased-late').map(({ body }) => String(body));
  for (const all of [bodies, sent]) {
    expect(all).toHaveLength(2);
    expect(all.map((body) => [body.includes(erased), body.includes(PHONE)])).toEqual(
      expect.arrayContaining([
        [true, false],
        [false, true],
      ]),
    );
  }
});
