import { it } from '@jest/globals';
import { changeWebhookRpc, enableWebhookRpc } from '@switchboard/contracts/webhooks/rpc';
import { wakeSubject } from '@switchboard/nats';
import { eventually, testServers } from '@switchboard/testing';
import { newCustomer } from './customer.js';
import { startWebhooks } from './running-webhooks.js';

const servers = testServers();

it('every replica hears of an organization whose webhooks may take other events, so that the first of these does not wait', async () => {
  const running = await startWebhooks(servers);
  const replica = await running.nats.connect('webhooks');
  let topics: string[] = [];
  replica.subscribe(wakeSubject('webhooks'), {
    callback: (_error, message) => void topics.push(...message.string().split(',')),
  });
  await replica.flush();
  const customer = newCustomer(running);
  const heard = async (): Promise<void> => {
    await eventually(() => topics.includes(`taker:${customer.organizationId}`));
    topics = [];
  };
  const { id } = await customer.register(running.receiver.at('/hook'));
  await heard();
  await running.gateway.call(changeWebhookRpc, customer.principal, { id, events: ['message.sent'] });
  await heard();
  await running.gateway.call(enableWebhookRpc, customer.principal, { id });
  await heard();
});
