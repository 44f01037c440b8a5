import { setImmediate } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ContactFacts, ContactSighting } from '@switchboard/contracts/contacts/rpc';
import { Relay } from '@switchboard/outbox';
import type { Database } from '@switchboard/postgres';
import {
  describeCoalesceLaw,
  FakeClock,
  testServers,
  type CoalesceSubject,
  type ServiceDatabase,
} from '@switchboard/testing';
import fc from 'fast-check';
import { ContactRepository } from '../contact/contact.repository.js';
import { migrations } from '../migrations/index.js';
import type { ResolveItem } from './fold-sightings.policy.js';
import { ResolveContactsBatch } from './resolve-contacts.batch.js';
import { ResolveContacts } from './resolve-contacts.js';

const servers = testServers();

/** Two subscribers with two forms each and one with a single form. */
const FORMS = ['+525512345678', '+5215512345678', '+5511987654321', '+551187654321', '+12015550123'];

const sightings = fc.record<ContactSighting>({
  phone: fc.constantFrom(...FORMS),
  profileName: fc.constantFrom(null, 'Ana', 'Bo'),
  messagingId: fc.constantFrom(null, '5215512345678', '551187654321', '12015550199', 'user-7'),
});
const items = fc.record<ResolveItem>({
  organizationId: fc.constantFrom('calice', 'cbob'),
  sightings: fc.array(sightings, { minLength: 1, maxLength: 3 }),
  traceparent: fc.constant(null),
});

let prepared: ServiceDatabase;
beforeAll(async () => (prepared = await servers.serviceDatabase('contacts', migrations)));

/** One replica's batch on a pool of its own. */
interface Replica {
  readonly database: Database;
  readonly batch: ResolveContactsBatch;
  /** Items of each batch that was run. */
  readonly sizes: number[];
  readonly races: { claimsLost: number; changesLost: number };
}

async function openReplica(): Promise<Replica> {
  const database = await prepared.database();
  const relay = new Relay({ database, service: 'contacts', publish: async () => undefined, onError: () => undefined });
  const contacts = new ContactRepository(database);
  const races = { claimsLost: 0, changesLost: 0 };
  const { claimPhones, change } = contacts;
  contacts.claimPhones = async (...args) => {
    const won = await claimPhones.apply(contacts, args);
    if (!won) races.claimsLost++;
    return won;
  };
  contacts.change = async (...args) => {
    const won = await change.apply(contacts, args);
    if (!won) races.changesLost++;
    return won;
  };
  const useCase = new ResolveContacts(database, contacts, relay, new FakeClock());
  const sizes: number[] = [];
  const run = useCase.run.bind(useCase);
  useCase.run = (batch) => {
    sizes.push(batch.length);
    return run(batch);
  };
  return { database, batch: new ResolveContactsBatch(useCase), sizes, races };
}

async function openSubject(): Promise<CoalesceSubject<ResolveItem>> {
  const { batch, sizes } = await openReplica();
  const { dataSource } = await prepared.superuser();
  return {
    call: (item) => batch.resolve(item),
    batchSizes: sizes,
    clear: () => dataSource.query('TRUNCATE contacts.contact, contacts.contact_phone, contacts.outbox'),
    stored: async (tenant) => ({
      contacts: await dataSource.query(
        `SELECT id, phone, messaging_id, name, version FROM contacts.contact WHERE organization_id = $1 ORDER BY id`,
        [tenant],
      ),
      phones: await dataSource.query(
        `SELECT phone, contact_id FROM contacts.contact_phone WHERE organization_id = $1 ORDER BY phone`,
        [tenant],
      ),
      events: await dataSource.query(
        `SELECT payload::jsonb FROM contacts.outbox WHERE payload::jsonb ->> 'organizationId' = $1 ORDER BY position`,
        [tenant],
      ),
    }),
  };
}

describeCoalesceLaw<ResolveItem>({
  name: 'resolve-contacts',
  open: openSubject,
  items,
  tenant: ({ organizationId }) => organizationId,
  // Only the handler's check keeps a NUL out, and the law is about what comes past it.
  poison: {
    organizationId: 'calice',
    sightings: [{ phone: '+14155550100', profileName: null, messagingId: 'a\0' }],
    traceparent: null,
  },
  writing: ['+14155550101', '+14155550102', '+14155550103'].map((phone) => ({
    organizationId: 'cbob',
    sightings: [{ phone, profileName: null, messagingId: null }],
    traceparent: null,
  })),
  table: 'contacts.contact_phone',
  superuser: () => prepared.superuser(),
});

describe('two replicas that resolve the same phones at the same time', () => {
  it('make one contact per subscriber, tell each version once, and never meet in a deadlock', async () => {
    const replicas = [await openReplica(), await openReplica()];
    const { dataSource } = await prepared.superuser();
    const deadlocksBefore = await deadlocks(dataSource);
    const met = (): boolean =>
      replicas.some(({ races }) => races.claimsLost > 0) && replicas.some(({ races }) => races.changesLost > 0);
    // Rounds until they really met: three at least, and surely within 30.
    for (let round = 0; round < 3 || (!met() && round < 30); round++) {
      const organizationId = `crace${round}`;
      const answers = await resolveEverywhere(replicas, organizationId);
      const idsOf = Map.groupBy(answers, ({ phone }) => phone.slice(-8));
      expect([...idsOf.keys()].sort()).toEqual(SUBSCRIBERS);
      for (const same of idsOf.values()) expect(new Set(same.map(({ id }) => id)).size).toBe(1);
      const [counts] = await dataSource.query(
        `SELECT (SELECT count(*)::int FROM contacts.contact WHERE organization_id = $1) AS contacts,
           (SELECT count(*)::int FROM contacts.contact_phone WHERE organization_id = $1) AS phones,
           (SELECT sum(version)::int FROM contacts.contact WHERE organization_id = $1) AS versions,
           count(*)::int AS events, count(DISTINCT aggregate_id || ' ' || (payload::jsonb ->> 'sequence'))::int AS told
         FROM contacts.outbox WHERE payload::jsonb ->> 'organizationId' = $1`,
        [organizationId],
      );
      const { events } = counts;
      expect(counts).toEqual({ contacts: 30, phones: 60, versions: events, events, told: events });
    }
    expect(met()).toBe(true);
    expect(await deadlocks(dataSource)).toBe(deadlocksBefore);
  });

  it('spend one statement on what tells nothing new', async () => {
    const { database, batch } = await openReplica();
    const item: ResolveItem = {
      organizationId: 'cquiet',
      sightings: FORMS.map((phone) => ({ phone, profileName: 'Ana', messagingId: null })),
      traceparent: null,
    };
    const first = await batch.resolve(item);
    const statements: string[] = [];
    const query = database.query.bind(database);
    database.query = (...args) => {
      statements.push(args[0].name);
      return query(...args);
    };
    database.transaction = () => Promise.reject(new Error('a transaction was begun'));
    expect(await batch.resolve(item)).toEqual(first);
    expect(statements).toEqual(['contacts.find-by-phones']);
  });

  it('find the contact behind an upstream id whose number differs from the one that was written to', async () => {
    const { batch } = await openReplica();
    const resolveOne = async (phone: string, messagingId: string | null): Promise<ContactFacts | undefined> =>
      (
        await batch.resolve({
          organizationId: 'cmoved',
          sightings: [{ phone, messagingId, profileName: null }],
          traceparent: null,
        })
      )[0];
    const written = await resolveOne('+12015550123', null);
    const answered = await resolveOne('+12015550123', '12015550177');
    const inbound = await resolveOne('+12015550177', '12015550177');
    expect(answered).toEqual({
      ...written,
      messagingId: '12015550177',
      phoneForms: ['+12015550123', '+12015550177'],
      version: 2,
    });
    expect(inbound).toEqual(answered);
  });
});

const SUBSCRIBERS = Array.from({ length: 30 }, (_, n) => String(10_000_000 + n));

/** 400 calls over both replicas, in waves so that they come to many batches, each with three of 30 subscribers. */
async function resolveEverywhere(replicas: readonly Replica[], organizationId: string): Promise<ContactFacts[]> {
  const calls: Promise<readonly ContactFacts[]>[] = [];
  for (let n = 0; n < 400; n++) {
    const sightings = [0, 11, 3].map((offset): ContactSighting => {
      // The replicas walk in opposite directions, which would lock in opposite orders.
      const step = (n * 7 + offset) % SUBSCRIBERS.length;
      const subscriber = SUBSCRIBERS.at(n % 2 === 0 ? step : -1 - step) ?? '';
      const phone = (n + offset) % 2 === 0 ? `+5255${subscriber}` : `+52155${subscriber}`;
      // The upstream's id goes to and fro, so that contacts change all the time.
      return {
        phone,
        profileName: null,
        messagingId: [null, `52155${subscriber}`, `5255${subscriber}`][n % 3] ?? null,
      };
    });
    const replica = replicas[n % replicas.length];
    if (replica) calls.push(replica.batch.resolve({ organizationId, sightings, traceparent: null }));
    if (n % 20 === 0) await setImmediate();
  }
  return (await Promise.all(calls)).flat();
}

async function deadlocks(dataSource: Database['dataSource']): Promise<number> {
  const [row] = await dataSource.query(
    `SELECT deadlocks::int AS n FROM pg_stat_database WHERE datname = current_database()`,
  );
  return row.n;
}
