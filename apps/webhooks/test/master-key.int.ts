import { describe, expect, it } from '@jest/globals';
import { eventually, testServers } from '@switchboard/testing';
import { verifyServiceSignature } from '@switchboard/webhook-signature';
import { newCustomer } from './customer.js';
import { startWebhooks } from './running-webhooks.js';

const servers = testServers();
/** A minute, by which a webhook is held, is 0.3 s. */
const TIME_SCALE = 0.005;
/** A look comes every 2 s, on a machine that may be busy. */
const SOON = { deadlineMs: 60_000 };
const strangeKey = { CREDENTIALS_KEY: Buffer.alloc(32, 9).toString('base64') };

describe('a webhook whose former secret alone does not open', () => {
  it('is delivered to, signed by the current one, which signs on for 24 hours when it is rotated', async () => {
    const running = await startWebhooks(servers, TIME_SCALE, 0);
    const replica = await running.start();
    const customer = newCustomer(running);
    const webhook = await customer.register(running.receiver.at('/restored'));
    const { secret: current } = await customer.rotate(webhook.id);
    const spoil = "UPDATE webhooks.webhook SET previous_secret_sealed = '\\x00' WHERE id = $1";
    await running.superuser.dataSource.query(spoil, [webhook.id]);

    await customer.receive('1', webhook.id);
    await eventually(() => running.receiver.arrivals('/restored').length === 1, SOON);
    const renewed = await customer.rotate(webhook.id);
    expect(Date.parse(renewed.previousSecretValidUntil ?? '') - Date.now()).toBeGreaterThan(23 * 3_600_000);
    await customer.receive('2', webhook.id);
    await eventually(() => running.receiver.arrivals('/restored').length === 2, SOON);
    const [alone, both] = running.receiver.arrivals('/restored');
    const verifies = (arrival: typeof alone, header: string, secret: string): boolean =>
      verifyServiceSignature(Buffer.from(arrival?.body ?? ''), String(arrival?.headers[header]), secret);
    expect(verifies(alone, 'x-service-signature', current)).toBe(true);
    expect(alone?.headers).not.toHaveProperty('x-service-signature-previous');
    expect(verifies(both, 'x-service-signature', renewed.secret)).toBe(true);
    expect(verifies(both, 'x-service-signature-previous', current)).toBe(true);
    await replica.stop();
  });
});

describe('a process whose master key opens no secret', () => {
  it('sends nothing and counts nothing; with the right key all goes out in order, as first attempts', async () => {
    const running = await startWebhooks(servers, TIME_SCALE, 0);
    const customer = newCustomer(running);
    const rightful = await running.start();
    const webhook = await customer.register(running.receiver.at('/sealed'));
    await rightful.stop();

    const { dataSource } = running.superuser;
    const heldUntil = async (): Promise<Date | null> => {
      const rows: { held_until: Date | null }[] = await dataSource.query(
        'SELECT held_until FROM webhooks.lane WHERE webhook_id = $1',
        [webhook.id],
      );
      return rows[0]?.held_until ?? null;
    };
    const strange = await running.start(strangeKey);
    const conversationId = webhook.id;
    const ids: string[] = [];
    for (let event = 0; event < 12; event++) ids.push(await customer.receive(`${event}`, conversationId));
    // It has tried, was held, and tried again.
    const seen = new Set<number>();
    await eventually(async () => {
      const until = await heldUntil();
      if (until) seen.add(until.getTime());
      return seen.size >= 3;
    }, SOON);
    expect(running.receiver.arrivals('/sealed')).toHaveLength(0);
    expect(await customer.attempts(webhook.id)).toHaveLength(0);
    expect(await customer.webhook(webhook.id)).toMatchObject({ status: 'ACTIVE', consecutiveFailures: 0 });
    await strange.stop();

    const again = await running.start();
    await eventually(() => running.receiver.arrivals('/sealed').length >= ids.length);
    expect(running.receiver.arrivals('/sealed').map(({ dataId }) => dataId)).toEqual(ids);
    const attempts = await eventually(async () => {
      const found = await customer.attempts(webhook.id);
      return found.length === ids.length && found;
    });
    expect(attempts.every(({ attempt, outcome }) => attempt === 1 && outcome === 'SUCCEEDED')).toBe(true);
    // It would take the events of the next test.
    await again.stop();
  });

  it('gives a webhook a new secret that it can sign with, and registers another', async () => {
    const running = await startWebhooks(servers, TIME_SCALE, 0);
    const customer = newCustomer(running);
    const rightful = await running.start();
    const webhook = await customer.register(running.receiver.at('/renewed'));
    await rightful.stop();
    const strange = await running.start(strangeKey);
    const { secret, previousSecretValidUntil } = await customer.rotate(webhook.id);
    expect([secret === webhook.secret, previousSecretValidUntil]).toEqual([false, null]);
    await customer.register(running.receiver.at('/another'));
    const id = await customer.receive('1', webhook.id);
    await eventually(() => running.receiver.arrivals('/renewed').length > 0, SOON);
    expect(running.receiver.arrivals('/renewed').map(({ dataId }) => dataId)).toEqual([id]);
    await strange.stop();
  });

  it('leaves what it cannot send to a replica that can', async () => {
    const running = await startWebhooks(servers, TIME_SCALE, 0);
    const customer = newCustomer(running);
    const rightful = await running.start();
    const webhook = await customer.register(running.receiver.at('/left'));
    await rightful.stop();
    await running.start(strangeKey);
    const id = await customer.receive('1', webhook.id);
    const { dataSource } = running.superuser;
    const held = 'SELECT FROM webhooks.lane WHERE webhook_id = $1 AND held_until IS NOT NULL';
    await eventually(async () => (await dataSource.query<unknown[]>(held, [webhook.id])).length > 0, SOON);
    await running.start();
    await eventually(() => running.receiver.arrivals('/left').length > 0, SOON);
    expect(running.receiver.arrivals('/left').map(({ dataId }) => dataId)).toEqual([id]);
  });
});
