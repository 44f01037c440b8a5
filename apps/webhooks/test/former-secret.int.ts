import { expect, it } from '@jest/globals';
import { statement } from '@switchboard/postgres';
import { eventually, testServers } from '@switchboard/testing';
import { newCustomer } from './customer.js';
import { startWebhooks } from './running-webhooks.js';

const servers = testServers();
const formerSql = statement<{ id: string; isKept: boolean }>(
  't.former-secrets',
  'SELECT id, previous_secret_sealed IS NOT NULL AS "isKept" FROM webhooks.webhook WHERE id = ANY ($1::text[])',
);
const endSql = statement(
  't.end-former-secret',
  `UPDATE webhooks.webhook SET previous_secret_until = now() + $2::interval WHERE id = $1`,
);

it('a former secret is erased when it signs no more, and not before', async () => {
  const running = await startWebhooks(servers);
  const customer = newCustomer(running);
  const over = await customer.register(running.receiver.at('/over'));
  const valid = await customer.register(running.receiver.at('/valid'));
  for (const { id } of [over, valid]) await customer.rotate(id);
  await running.superuser.query(endSql, [over.id, '-1 second']);
  await running.superuser.query(endSql, [valid.id, '10 minutes']);
  // The worker looks when a process starts, and every ten minutes.
  await running.start();
  const isKept = async (id: string): Promise<boolean> => {
    const [row] = await running.superuser.query(formerSql, [[id]]);
    return row?.isKept === true;
  };
  await eventually(async () => !(await isKept(over.id)));
  expect(await isKept(valid.id)).toBe(true);
});
