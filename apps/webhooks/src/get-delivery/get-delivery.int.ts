import { expect, it } from '@jest/globals';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import type { WebhookDeliveryRequest } from '@switchboard/contracts/webhooks/rpc';
import type { RpcCall } from '@switchboard/nats';
import { statement } from '@switchboard/postgres';
import { testServers } from '@switchboard/testing';
import { storeWebhook } from '../../test/stored-webhook.js';
import { webhooksMigrations } from '../migrations/all.js';
import { webhooksConfig } from '../webhooks.config.js';
import { GetDeliveryHandler } from './get-delivery.handler.js';

const servers = testServers();
/** As the worker left them, before the clock stepped back by hours; of the lane as far ahead as it can be set. */
const stepSql = statement<{ id: string; probeAt: Date }>(
  't.step-back',
  `WITH lanes AS (
     UPDATE lane SET probing_since = now(), next_probe_at = now() + interval '50 s', held_until = now() + interval '5 hours'
     WHERE webhook_id = $1 RETURNING next_probe_at)
   UPDATE delivery SET tries = 1, attempts = 1, due_at = now() + interval '5 hours' FROM lanes WHERE webhook_id = $1
   RETURNING id, next_probe_at AS "probeAt"`,
);
const environment = { DATABASE_URL: 'postgres://d', NATS_URL: 'n', NATS_USER: 'u', NATS_PASSWORD: 'p' };

it('shows when a delivery is due as the next turn of its webhook has it, after the clock of the database has stepped back', async () => {
  const database = await (await servers.serviceDatabase('webhooks', webhooksMigrations)).database();
  const { organizationId, id: webhookId } = await storeWebhook(database, 1);
  const [left] = await database.query(stepSql, [webhookId]);
  const config = webhooksConfig({ ...environment, CREDENTIALS_KEY: Buffer.alloc(32).toString('base64') });
  const principal: Principal = { organizationId, actor: { type: 'user', userId: 'cuser001' }, scopes: null };
  const request = { webhookId, deliveryId: left?.id ?? '' };
  const call = { principal, request } as RpcCall<WebhookDeliveryRequest>;
  const shown = await new GetDeliveryHandler(database, config).get(call);
  expect(shown).toMatchObject({ state: 'PENDING', nextAttemptAt: left?.probeAt.toISOString() });
});
