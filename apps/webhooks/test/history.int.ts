import { beforeAll, describe, expect, it } from '@jest/globals';
import { cuidFloor, newCuid } from '@switchboard/contracts/grammar/cuid';
import { webhooksOptOutsConsumer } from '@switchboard/contracts/consumers';
import { optOutCreated } from '@switchboard/contracts/contacts/events';
import { listEventsRpc } from '@switchboard/contracts/webhooks/rpc';
import { PROVISIONER, restartConsumers } from '@switchboard/nats';
import { eventually, testServers } from '@switchboard/testing';
import { newCustomer, type Customer } from './customer.js';
import { startWebhooks, type RunningWebhooks } from './running-webhooks.js';

const servers = testServers();
let running: RunningWebhooks;

beforeAll(async () => {
  running = await startWebhooks(servers);
});

function arrived(path: string): readonly string[] {
  return running.receiver.arrivals(path).map(({ dataId }) => dataId);
}

async function feed({ principal }: Customer): Promise<readonly string[]> {
  const request = { limit: 100, cursor: null, types: null, from: null };
  const { bodies } = await running.gateway.call(listEventsRpc, principal, request);
  return bodies.map((body) => (JSON.parse(body) as { data: { id: string } }).data.id);
}

describe('a consumer that begins with the stream', () => {
  it('sends nothing again of what was sent before it was made anew, and nothing is twice in the feed', async () => {
    const customer = newCustomer(running);
    await customer.register(running.receiver.at('/made-anew'));
    const conversationId = newCuid();
    const ids = [await customer.receive('1', conversationId), await customer.receive('2', conversationId)];
    await eventually(() => arrived('/made-anew').length === 2);
    await restartConsumers(await running.nats.connect(PROVISIONER), ['webhooks']);
    // Behind the others in the stream, and in its conversation.
    ids.push(await customer.receive('3', conversationId));
    await eventually(() => arrived('/made-anew').includes(ids.at(-1) ?? ''));
    expect(arrived('/made-anew')).toEqual(ids);
    expect(await feed(customer)).toEqual(ids);
  });

  it('passes by what is older than the schema', async () => {
    const customer = newCustomer(running);
    await customer.register(running.receiver.at('/new-service'));
    const conversationId = newCuid();
    const oldId = idOf(Date.now() - 60 * 60_000);
    await customer.receive('before', conversationId, 1, new Date(), oldId);
    const id = await customer.receive('since', conversationId, 2);
    await eventually(() => arrived('/new-service').includes(id));
    expect(arrived('/new-service')).toEqual([id]);
    expect(await feed(customer)).toEqual([id]);
  });
});

describe('a dead letter that is driven again', () => {
  const DAY_MS = 24 * 60 * 60_000;
  /** The first is what is just taken. */
  const ageDays = [8, 10];

  it('becomes an event of the feed, or stays and says why it is too old for that', async () => {
    const { superuser } = running;
    await superuser.dataSource.query('UPDATE webhooks.beginning SET event_id = $1', [cuidFloor(new Date(0))]);
    const { organizationId, principal } = newCustomer(running);
    const [recent = '', old = ''] = ageDays.map((days) => idOf(Date.now() - days * DAY_MS));
    for (const id of [recent, old]) await bury(id, organizationId);
    const letters = (): Promise<unknown[]> =>
      superuser.dataSource.query(
        `SELECT event_id AS id, error, redrive_requested_at IS NULL AS "isSettled" FROM webhooks.dead_letter
         WHERE envelope::json ->> 'organizationId' = $1`,
        [organizationId],
      );
    await eventually(
      async () => {
        const error = expect.stringMatching(/^Error: events become deliveries for 8 days; this one is of \d{4}-/);
        expect(await letters()).toEqual([{ id: old, error, isSettled: true }]);
        return true;
      },
      { deadlineMs: 60_000 },
    );
    const request = { limit: 100, cursor: null, types: null, from: null };
    const { bodies } = await running.gateway.call(listEventsRpc, principal, request);
    expect(bodies.map((body) => (JSON.parse(body) as { data: { id: string } }).data.id)).toEqual([recent]);
  });

  async function bury(id: string, organizationId: string): Promise<void> {
    const optOut = { id: newCuid(), contactId: newCuid(), phone: '+14155550100', source: 'API', createdAt: '' };
    const envelope = {
      id,
      subject: optOutCreated.subject,
      organizationId,
      aggregateId: newCuid(),
      sequence: null,
      occurredAt: new Date().toISOString(),
      data: { optOut, messagingChannelId: newCuid() },
    };
    await running.superuser.dataSource.query(
      `INSERT INTO webhooks.dead_letter (event_id, consumer, subject, envelope, error, deliveries, redrive_requested_at)
       VALUES ($1, $2, $3, $4, 'it failed', 1, now())`,
      [id, webhooksOptOutsConsumer.name, envelope.subject, JSON.stringify(envelope)],
    );
  }
});

function idOf(ms: number): string {
  return cuidFloor(new Date(ms)).slice(0, 9) + newCuid().slice(9);
}
