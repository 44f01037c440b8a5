import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { metrics as api } from '@opentelemetry/api';
import { contactChanged } from '@switchboard/contracts/contacts/events';
import { messagingContactsConsumer } from '@switchboard/contracts/consumers';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { EventPublisher, PullConsumer, type NatsConnection } from '@switchboard/nats';
import { createLog, startMetrics, type Metrics } from '@switchboard/platform';
import { eventually, testServers } from '../index.js';

const servers = testServers();
const own = { ...messagingContactsConsumer, name: 'measured' };
const DURABLE = `CONTACTS.${own.name}`;
const FAILURES = `switchboard_consumer_pull_failures_total{consumer="${own.name}"}`;
const BACKLOG = `switchboard_consumer_backlog_events{consumer="${own.name}"}`;
/** The client's own second is short on a busy machine. */
const PATIENT = { timeout: 20_000 };
let metrics: Metrics;
let admin: NatsConnection;
let publisher: EventPublisher;

beforeAll(async () => {
  const nats = await servers.nats();
  admin = await nats.connect('admin');
  publisher = new EventPublisher(await nats.connect('contacts'), 'contacts');
  metrics = startMetrics('test', createLog('test'));
  servers.onEnd(() => metrics.stop());
});
afterAll(() => api.disable());

async function valueOf(series: string): Promise<number | undefined> {
  const line = (await metrics.scrape()).split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

async function provision(): Promise<void> {
  const config = {
    durable_name: own.name,
    filter_subject: own.filter,
    ack_policy: 'explicit',
    deliver_policy: 'new',
    max_ack_pending: 1_000,
  };
  await admin.request(
    `$JS.API.CONSUMER.DURABLE.CREATE.${DURABLE}`,
    JSON.stringify({ stream_name: 'CONTACTS', config }),
    PATIENT,
  );
}

async function publish(): Promise<void> {
  const [id, { subject }] = [newCuid(), contactChanged];
  const envelope = { id, subject, organizationId: 'corg', aggregateId: id, sequence: 1, occurredAt: '', data: null };
  await publisher.publish({ id, subject, payload: JSON.stringify(envelope), traceparent: null });
}

it('a consumer counts its failed pulls from 0 on, and shows what the broker still holds for it while they succeed', async () => {
  const release = Promise.withResolvers<void>();
  const consumer = new PullConsumer({
    connection: admin,
    consumer: own,
    batchMax: 2,
    handle: async (events) => {
      await release.promise;
      return events.map(() => ({ ack: true }));
    },
    onMalformed: () => undefined,
    onError: () => undefined,
  });
  expect(await valueOf(FAILURES)).toBe(0);
  expect(await valueOf(BACKLOG)).toBeUndefined();

  await provision();
  for (let count = 0; count < 5; count++) await publish();
  consumer.start();
  await eventually(async () => (await valueOf(BACKLOG)) === 3);
  release.resolve();
  await eventually(async () => (await valueOf(BACKLOG)) === 0);
  expect(await valueOf(FAILURES)).toBe(0);

  await admin.request(`$JS.API.CONSUMER.DELETE.${DURABLE}`, '', PATIENT);
  await eventually(async () => ((await valueOf(FAILURES)) ?? 0) >= 2);
  expect(await valueOf(BACKLOG)).toBeUndefined();
  await consumer.stop();
});
