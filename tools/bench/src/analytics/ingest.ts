import { kill } from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import type { RunningStack } from '@switchboard/dev';
import type pg from 'pg';

/** Events that one process has taken in. */
export interface Ingested {
  readonly events: number;
  readonly seconds: number;
  /** CPU of the process is not all: its transactions run in PostgreSQL. */
  readonly perSecond: number;
}

/** Processes that take the same events, and would share the machine with what is measured. */
const OTHERS = ['webhooks', 'templates', 'contacts'];
const MESSAGES_OF_A_CONTACT = 20;
const LOOK_EVERY_MS = 100;
const DEADLINE_MS = 900_000;

/**
 * Messages with four events each (accepted, sent, delivered, read), of which every fifth is made from a template, as messaging
 * would have written them in the last hour: interleaved as the stages of many messages are.
 */
const EVENTS = `
  INSERT INTO messaging.outbox (id, aggregate_id, subject, payload)
  SELECT event.id, message.conversation, event.subject, jsonb_build_object('id', event.id, 'subject', event.subject,
    'organizationId', $1::text, 'aggregateId', message.conversation, 'sequence', message.n * 4 + stage.n,
    'occurredAt', to_char(clock.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'data', jsonb_build_object('message',
      jsonb_build_object('id', message.id, 'conversationId', message.conversation, 'contactId', message.contact,
        'messagingChannelId', channel.id, 'direction', 'OUTBOUND', 'unsupportedType', NULL, 'text', repeat('word ', 20),
        'type', CASE WHEN message.n % 5 = 0 THEN 'TEMPLATE' ELSE 'TEXT' END,
        'template', CASE WHEN message.n % 5 = 0 THEN jsonb_build_object('id', 'c' || lpad((message.n % 7)::text, 24, 'b'),
          'name', 'bench_' || message.n % 7, 'language', 'en') END,
        'status', stage.status, 'upstreamMessageId', 'wamid.' || message.id, 'error', NULL, 'createdAt', message.sent,
        'sentAt', CASE WHEN stage.n > 0 THEN message.sent END,
        'deliveredAt', CASE WHEN stage.n > 1 THEN message.sent + interval '2 seconds' * (1 + message.n % 30) END,
        'readAt', CASE WHEN stage.n > 2 THEN message.sent + interval '1 minute' * (1 + message.n % 90) END,
        'failedAt', NULL)))::text
  FROM (SELECT id FROM messaging.channel WHERE organization_id = $1 ORDER BY id LIMIT 1) AS channel,
    generate_series(1, $2::int) AS m(n),
    LATERAL (SELECT m.n, date_trunc('milliseconds', now() - interval '1 hour' + interval '1 ms' * (m.n % 3600000)) AS sent) AS base,
    LATERAL (SELECT base.n, base.sent, messaging.cuid_floor(base.sent) || lpad(base.n::text, 16, '0') AS id,
      'c' || lpad((base.n / ${MESSAGES_OF_A_CONTACT})::text, 24, 'a') AS contact,
      'c' || lpad((base.n / ${MESSAGES_OF_A_CONTACT})::text, 24, 'd') AS conversation) AS message,
    (VALUES (0, 'QUEUED', 'accepted'), (1, 'SENT', 'sent'), (2, 'DELIVERED', 'delivered'), (3, 'READ', 'read'))
      AS stage(n, status, name),
    LATERAL (SELECT now() + interval '1 ms' * (stage.n * 500 + m.n / 100) AS at) AS clock,
    LATERAL (SELECT messaging.cuid_floor(clock.at) || lpad((m.n * 4 + stage.n)::text, 16, '0') AS id,
      'messaging.message.' || stage.name || '.v1' AS subject) AS event
  ORDER BY clock.at, m.n`;

/** Has one process of analytics take in events that wait at the broker. @returns what it came to */
export async function measureIngest(
  { devJson }: RunningStack,
  client: pg.Client,
  options: { readonly organizationId: string; readonly messages: number; readonly onLine: (line: string) => void },
): Promise<Ingested> {
  const pids = devJson.processes.filter(({ name }) => name === 'analytics' || OTHERS.includes(name));
  const analytics = pids.find(({ name }) => name === 'analytics');
  if (!analytics) throw new Error('the stack has no analytics');
  const first = (await one<{ id: string }>(client, 'SELECT messaging.cuid_floor(now()) AS id')).id;
  for (const { pid } of pids) kill(pid, 'SIGSTOP');
  try {
    await client.query(EVENTS, [options.organizationId, options.messages]);
    await until(async () => (await unpublished(client)) === 0);
    const before = await taken(client, first);
    const events = options.messages * 4;
    options.onLine(`${events} events wait at the broker`);
    const startedMs = performance.now();
    kill(analytics.pid, 'SIGCONT');
    await until(async () => (await taken(client, first)) >= events);
    const seconds = (performance.now() - startedMs) / 1_000;
    return { events: events - before, seconds, perSecond: (events - before) / seconds };
  } finally {
    for (const { pid } of pids) kill(pid, 'SIGCONT');
  }
}

async function unpublished(client: pg.Client): Promise<number> {
  const sql = `SELECT count(*)::int AS n FROM (SELECT FROM messaging.outbox_pending LIMIT 1) AS open`;
  return (await one<{ n: number }>(client, sql)).n;
}

async function taken(client: pg.Client, first: string): Promise<number> {
  const sql = `SELECT count(*)::int AS n FROM analytics.inbox WHERE consumer = 'analytics-messages' AND event_id >= '${first}'`;
  return (await one<{ n: number }>(client, sql)).n;
}

async function one<Row extends pg.QueryResultRow>(client: pg.Client, sql: string): Promise<Row> {
  const [row] = (await client.query<Row>(sql)).rows;
  if (!row) throw new Error('no row');
  return row;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const endsMs = performance.now() + DEADLINE_MS;
  while (!(await isSo())) {
    if (performance.now() > endsMs) throw new Error(`not within ${DEADLINE_MS / 1_000} s`);
    await wait(LOOK_EVERY_MS);
  }
}
