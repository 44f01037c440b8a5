import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { catalogueOf, type EventContract } from '@switchboard/check/catalogue/catalogue';
import { schemaRefusals } from '@switchboard/check/catalogue/schema-refusals';
import { readSources } from '@switchboard/check/sources';
import { contactErased } from '@switchboard/contracts/contacts/events';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { topology, type ServiceTopology } from '@switchboard/contracts/topology';
import { eventually } from '@switchboard/testing/eventually';
import pg from 'pg';
import { broughtIn, examplesFor } from './event-examples.js';
import { provokeEvents } from './event-provocations.js';
import { NatsRecorder } from './nats-recorder.js';
import { startUsable, type OwnStack } from './start-everything.js';

const sources = await readSources(resolve(import.meta.dirname, '..', '..', '..'));
const declared = catalogueOf(sources).events;
const examples = examplesFor(sources, topology);
const publishers = Object.entries<ServiceTopology>(topology).flatMap(([name, { stream }]) => (stream ? [name] : []));

describe('the events of a running system', () => {
  let all: OwnStack;
  let recorder: NatsRecorder;
  let database: pg.Client;
  /** As they were emitted, in the order of each service; the seed's among them. */
  let emitted: readonly EventEnvelope[];
  /** As they were on the broker since the recorder began. */
  let heard: readonly { readonly envelope: EventEnvelope; readonly headers: string }[];

  beforeAll(async () => {
    all = await startUsable();
    recorder = await NatsRecorder.start(all.stack.devJson.natsUrl);
    database = new pg.Client({ connectionString: all.stack.devJson.databaseUrl });
    await database.connect();
    await provokeEvents(all);
    const missing = await eventually(async () => {
      const { rowCount: unpublished } = await database.query(
        publishers.map((service) => `SELECT 1 FROM ${service}.outbox_pending`).join(' UNION ALL '),
      );
      emitted = await outboxes(database);
      const subjects = new Set(emitted.map(({ subject }) => subject));
      const left = declared.filter(({ subject }) => !subjects.has(subject)).map(({ subject }) => subject);
      return unpublished === 0 && left.length === 0 ? left : undefined;
    }).catch(() => declared.filter(({ subject }) => !emitted.some((one) => one.subject === subject)));
    if (missing.length > 0) throw new Error(`bring about in event-provocations.ts: ${JSON.stringify(missing)}`);
    heard = recorder.messages.flatMap(({ subject, payload, headers }) =>
      publishers.includes(subject.split('.')[0] ?? '')
        ? [{ envelope: JSON.parse(payload) as EventEnvelope, headers }]
        : [],
    );
  });

  afterAll(async () => {
    await database?.end();
    await recorder?.close();
    await all?.end();
  });

  it('are all of the catalogue, and nothing else', () => {
    const subjects = [...emitted, ...heard.map(({ envelope }) => envelope)].map(({ subject }) => subject);
    expect([...new Set(subjects)].sort()).toEqual(declared.map(({ subject }) => subject));
  });

  it.each(declared.map((event): [string, EventContract] => [event.subject, event]))(
    'have the payload that is promised: %s',
    (subject, { schema }) => {
      const own = emitted.filter((envelope) => envelope.subject === subject);
      expect(own.flatMap((envelope) => schemaRefusals(schema, envelope))).toEqual([]);
    },
  );

  it('are on the broker as they were emitted, with their id for it to know repetitions by', () => {
    const byId = new Map(emitted.map((envelope) => [envelope.id, envelope]));
    expect(heard.length).toBeGreaterThan(declared.length);
    const erasures = emitted.filter(({ subject }) => subject === contactErased.subject);
    const erased = erasures.map(({ data }) => (data as { readonly contactId: string }).contactId);
    expect(erased).toHaveLength(1);
    for (const { envelope, headers } of heard) {
      const kept = byId.get(envelope.id);
      // What was emitted of an erased contact before is kept without what it said of the person.
      if (erased.some((contactId) => JSON.stringify(envelope).includes(contactId))) {
        expect({ ...envelope, data: kept?.data }).toEqual(kept);
      } else expect(envelope).toEqual(kept);
      expect(headers).toContain(`Nats-Msg-Id: ${envelope.id}`);
    }
  });

  it('are numbered without a gap where their aggregate is counted', () => {
    const counted = new Set(declared.filter(({ isCounted }) => isCounted).map(({ subject }) => subject));
    const own = Map.groupBy(
      emitted.filter(({ subject }) => counted.has(subject)),
      ({ aggregateId }) => aggregateId,
    );
    const numbers = [...own.values()].map((events) => events.map(({ sequence }) => sequence));
    expect(numbers).toEqual(numbers.map((sequence) => sequence.map((_, index) => index + 1)));
    expect(Math.max(...numbers.map(({ length }) => length))).toBeGreaterThan(4);
  });

  it.each(examples)('of a former release are taken today: %s by %s', async (_subject, _consumer, example) => {
    const { envelope, service, consumer } = await broughtIn(example, all);
    await recorder.publish(envelope.subject, JSON.stringify(envelope));
    const rows = async (table: string): Promise<readonly unknown[]> => {
      const sql = `SELECT * FROM ${service}.${table} WHERE event_id = $1 AND consumer = $2`;
      return (await database.query(sql, [envelope.id, consumer])).rows as unknown[];
    };
    const end = await eventually(async () => {
      const [taken, buried] = [await rows('inbox'), await rows('dead_letter')];
      return taken.length + buried.length > 0 ? { taken: taken.length, buried } : undefined;
    });
    expect(end).toEqual({ taken: 1, buried: [] });
  });
});

async function outboxes(database: pg.Client): Promise<EventEnvelope[]> {
  const envelopes: EventEnvelope[] = [];
  for (const service of publishers) {
    const { rows } = await database.query<{ payload: string }>(
      `SELECT payload FROM ${service}.outbox ORDER BY position`,
    );
    envelopes.push(...rows.map(({ payload }) => JSON.parse(payload) as EventEnvelope));
  }
  return envelopes;
}
