import { beforeAll, expect } from '@jest/globals';
import { cuidFloor, newCuid } from '@switchboard/contracts/grammar/cuid';
import {
  getWebhookDeliveryRpc,
  getWebhookSecretRpc,
  redeliverWebhookRpc,
  rotateWebhookSecretRpc,
  testWebhookRpc,
} from '@switchboard/contracts/webhooks/rpc';
import { statement } from '@switchboard/postgres';
import { eventually, itOnOneDay as it, lockWaiters, patience, testServers } from '@switchboard/testing';
import { verifyServiceSignature } from '@switchboard/webhook-signature';
import { keepWebhookPartitions } from '../src/keep-partitions.js';
import { newCustomer } from './customer.js';
import { startWebhooks, type RunningWebhooks } from './running-webhooks.js';

const servers = testServers();
const DAY_MS = 24 * 60 * 60 * 1_000;
const partitionSql = statement(
  't.partition',
  `SELECT webhooks.ensure_partition($1, $2::timestamptz, $2::timestamptz + interval '1 day', $3)`,
);
const partitionsSql = statement<{ name: string }>(
  't.partitions',
  `SELECT c.relname::text AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
   WHERE c.relnamespace = 'webhooks'::regnamespace AND c.relname = ANY ($1::text[]) ORDER BY 1`,
);
/** An attempt as it was made that many days ago, for an event of then. */
const ageSql = statement(
  't.age-attempt',
  `INSERT INTO webhooks.attempt
   SELECT webhook_id, $2, organization_id, $2, $2, type, kind, number, began_at - make_interval(days => $3), duration_ms,
     response_status, response_body, error, outcome, delivery_state
   FROM webhooks.attempt WHERE id = $1`,
);
const endOverlapSql = statement(
  't.end-overlap',
  `UPDATE webhooks.webhook SET previous_secret_until = now() WHERE id = $1`,
);
const dropWithin = (time: string) =>
  statement(
    `t.drop-within-${time}`,
    `ALTER FUNCTION webhooks.drop_past_webhook_partition(text, integer, integer) SET lock_timeout = '${time}'`,
  );
let running: RunningWebhooks;
let customer: ReturnType<typeof newCustomer>;

beforeAll(async () => {
  running = await startWebhooks(servers);
  customer = newCustomer(running);
});

/** The beginning of a day in UTC, and how its partitions are called. */
function dayOf(daysAgo: number): { readonly at: string; readonly suffix: string } {
  const at = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - daysAgo * DAY_MS).toISOString();
  return { at, suffix: at.slice(0, 10).replaceAll('-', '') };
}

it('keeps events for 7 whole days and attempts for 30, and an attempt whose event has gone is shown and not sent again', async () => {
  const { superuser, gateway, prepared } = running;
  const kept = [
    ['event', 7],
    ['attempt', 29],
  ] as const;
  const past = [
    ['event', 10],
    ['attempt', 32],
    ['dropped_delivery', 32],
  ] as const;
  const nameOf = ([parent, daysAgo]: readonly [string, number]): string => `${parent}_${dayOf(daysAgo).suffix}`;
  for (const [parent, daysAgo] of [...kept, ...past]) {
    const { at, suffix } = dayOf(daysAgo);
    await superuser.query(partitionSql, [parent, at, suffix]);
  }
  const webhook = await customer.register(running.receiver.at('/kept'));
  await customer.receive('today');
  const [today] = await eventually(async () => {
    const attempts = await customer.attempts(webhook.id);
    return attempts.length > 0 && attempts;
  });
  const ids = [29, 32].map((daysAgo) => cuidFloor(new Date(Date.parse(dayOf(daysAgo).at) + DAY_MS / 2)));
  for (const [index, daysAgo] of [29, 32].entries()) {
    await superuser.query(ageSql, [today?.id, ids[index], daysAgo]);
  }

  await keepWebhookPartitions(await prepared.database(), 7);
  const left = await superuser.query(partitionsSql, [[...kept, ...past].map(nameOf)]);
  expect(left.map(({ name }) => name)).toEqual(kept.map(nameOf).sort());
  expect((await customer.attempts(webhook.id)).map(({ id }) => id)).toEqual([today?.id, ids[0]]);
  const old = { webhookId: webhook.id, deliveryId: ids[0] ?? '' };
  expect(await gateway.call(getWebhookDeliveryRpc, customer.principal, old)).toMatchObject({ payload: null });
  const again = gateway.call(redeliverWebhookRpc, customer.principal, old);
  await expect(again).rejects.toMatchObject({ code: 'DELIVERY_NOT_FOUND' });
});

it('keeps events for 30 days where the operator says so, no longer than the attempts at them', async () => {
  const { superuser, prepared } = running;
  const parents = ['event', 'attempt', 'dropped_delivery'];
  const nameOf = (parent: string, daysAgo: number): string => `${parent}_${dayOf(daysAgo).suffix}`;
  for (const daysAgo of [31, 32]) {
    const { at, suffix } = dayOf(daysAgo);
    for (const parent of parents) await superuser.query(partitionSql, [parent, at, suffix]);
  }
  await keepWebhookPartitions(await prepared.database(), 30);
  const names = parents.flatMap((parent) => [nameOf(parent, 31), nameOf(parent, 32)]);
  const left = await superuser.query(partitionsSql, [names]);
  expect(left.map(({ name }) => name)).toEqual(parents.map((parent) => nameOf(parent, 31)).sort());
});

it('leaves a day to another replica that drops it at the same moment', async () => {
  const { superuser, prepared } = running;
  const { at, suffix } = dayOf(11);
  await superuser.query(partitionSql, ['event', at, suffix]);
  const database = await prepared.database(patience);
  // Else it gives the day up before the test has seen it wait.
  await superuser.query(dropWithin('120s'), []);
  let keeping: Promise<void> | undefined;
  await superuser.transaction(async (tx) => {
    await tx.query(statement('t.drop-day', `DROP TABLE webhooks.event_${suffix}`), []);
    keeping = keepWebhookPartitions(database, 7);
    await eventually(async () => (await lockWaiters(superuser)) > 0);
  });
  await expect(keeping).resolves.toBeUndefined();
  await superuser.query(dropWithin('250ms'), []);
});

it('rotates once for an act that is asked for twice: the former secret signs on', async () => {
  const { gateway, receiver } = running;
  const webhook = await customer.register(receiver.at('/twice'), { events: ['template.status_updated'] });
  const by = { actId: newCuid(), userId: newCuid(), email: 'a@example.org', address: null, traceId: null };
  const rotate = () => gateway.call(rotateWebhookSecretRpc, customer.principal, { id: webhook.id, by });
  const rotated = await rotate();
  expect(await rotate()).toEqual(rotated);
  await gateway.call(testWebhookRpc, customer.principal, { id: webhook.id });
  const [arrival] = receiver.arrivals('/twice');
  const former = arrival?.headers['x-service-signature-previous']?.toString();
  expect(verifyServiceSignature(Buffer.from(arrival?.body ?? ''), former, webhook.secret)).toBe(true);
  const other = { ...by, actId: newCuid() };
  const again = await gateway.call(rotateWebhookSecretRpc, customer.principal, { id: webhook.id, by: other });
  expect(again.secret).not.toBe(rotated.secret);
});

it('signs with the former secret for 24 hours after a rotation, and with the new one alone from then on', async () => {
  const { superuser, gateway, receiver } = running;
  const webhook = await customer.register(receiver.at('/overlap'), { events: ['template.status_updated'] });
  const of = { id: webhook.id };
  const rotated = await gateway.call(rotateWebhookSecretRpc, customer.principal, of);
  const leftMs = Date.parse(rotated.previousSecretValidUntil ?? '') - Date.now();
  expect(Math.round(leftMs / (60 * 60 * 1_000))).toBe(24);
  await gateway.call(testWebhookRpc, customer.principal, of);
  await superuser.query(endOverlapSql, [webhook.id]);
  const shown = await gateway.call(getWebhookSecretRpc, customer.principal, of);
  expect(shown).toEqual({ secret: rotated.secret, previousSecretValidUntil: null });
  await gateway.call(testWebhookRpc, customer.principal, of);
  const signed = receiver.arrivals('/overlap').map(({ body, headers }) => {
    const verifies = (name: string, secret: string): boolean =>
      verifyServiceSignature(Buffer.from(body), headers[name]?.toString(), secret);
    return {
      byNew: verifies('x-service-signature', rotated.secret),
      byFormer: verifies('x-service-signature-previous', webhook.secret),
      signatures: headers['webhook-signature']?.toString().split(' ').length,
    };
  });
  expect(signed).toEqual([
    { byNew: true, byFormer: true, signatures: 2 },
    { byNew: true, byFormer: false, signatures: 1 },
  ]);
});
