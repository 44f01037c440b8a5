import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ContactSighting } from '@switchboard/contracts/contacts/rpc';
import { Relay } from '@switchboard/outbox';
import type { Database } from '@switchboard/postgres';
import { FakeClock, testServers, type ServiceDatabase } from '@switchboard/testing';
import { describeCoalesceLaw, type CoalesceSubject } from '@switchboard/testing/describe-coalesce-law';
import { calls, changeOf, CHANNELS, FORMS, notFound, phoneOf, input, type Call } from '../../test/contact-calls.js';
import { SecretBox } from '@switchboard/secrets';
import { HeldOptOutRepository } from '../held-opt-out/held-opt-out.repository.js';
import { NumberHashes } from '../held-opt-out/number-hash.js';
import { ChannelRepository } from '../channel/channel.repository.js';
import { createOptOut } from '../create-opt-out/create-opt-out.js';
import { contactsMigrations } from '../migrations/all.js';
import { resolveContacts } from '../resolve-contacts/resolve-contacts.js';
import { ChangeContactsBatch } from './change-contacts.batch.js';
import { ChangeContacts } from './change-contacts.js';
import { ContactRepository } from './contact.repository.js';

const servers = testServers();

let prepared: ServiceDatabase;
beforeAll(async () => {
  prepared = await servers.serviceDatabase('contacts', contactsMigrations);
  await new ChannelRepository(await prepared.database()).project(
    ['calice', 'cbob'].flatMap((own) =>
      CHANNELS.map((id) => ({ organizationId: own, id, isDefault: false, defaultRegion: 'US', sourceEventId: 'c1' })),
    ),
  );
});

/** One replica's batch on a pool of its own. */
interface Replica {
  readonly database: Database;
  readonly batch: ChangeContactsBatch;
  readonly useCase: ChangeContacts;
  readonly held: HeldOptOutRepository;
  /** Items of each batch that was run. */
  readonly sizes: number[];
  /** Reads beyond the first of each batch. */
  readonly races: { lost: number };
}

async function openReplica(): Promise<Replica> {
  const database = await prepared.database();
  const broker = {
    stream: 'CONTACTS',
    isDoubtful: true,
    streamState: () => Promise.resolve(null),
    publish: () => Promise.reject(new Error('the relay is not started here')),
  };
  const relay = new Relay({ database, service: 'contacts', broker, report: () => undefined, pollIntervalMs: 20 });
  const contacts = new ContactRepository(database);
  const races = { lost: 0 };
  const find = contacts.find.bind(contacts);
  contacts.find = (...args) => {
    races.lost++;
    return find(...args);
  };
  const box = new SecretBox({ current: Buffer.alloc(32, 7), previous: null });
  const held = new HeldOptOutRepository(database, new NumberHashes(box));
  const useCase = new ChangeContacts(database, contacts, new ChannelRepository(database), held, relay, new FakeClock());
  const sizes: number[] = [];
  const run = useCase.run.bind(useCase);
  useCase.run = (batch) => {
    sizes.push(batch.length);
    races.lost--;
    return run(batch);
  };
  return { database, batch: new ChangeContactsBatch(useCase), useCase, held, sizes, races };
}

/** An answer without what is drawn at random of what is held. */
function withoutGroups(answer: unknown): unknown {
  const spelt = JSON.stringify({ answer }, (key, value: unknown) => (key === 'takenGroups' ? undefined : value));
  return (JSON.parse(spelt) as { readonly answer?: unknown }).answer;
}

async function openSubject(): Promise<CoalesceSubject<Call>> {
  const { batch, sizes } = await openReplica();
  const { dataSource } = await prepared.superuser();
  const rowsOf = (sql: string, tenant: string): Promise<unknown> => dataSource.query(sql, [tenant]);
  return {
    // A contact or an opt-out that is not there is an answer like any other.
    call: (call) => batch.change(changeOf(call)).then(withoutGroups, notFound),
    batchSizes: sizes,
    clear: () =>
      dataSource.query(
        `TRUNCATE contacts.contact, contacts.contact_alias, contacts.opt_out, contacts.held_opt_out,
           contacts.held_statement, contacts.former_alias, contacts.outbox`,
      ),
    stored: async (tenant) => ({
      contacts: await rowsOf(
        `SELECT id, phone, messaging_id, name, email, version, coverage, applied_statements - 'takenGroups' AS applied,
           search_text, merged_into
         FROM contacts.contact WHERE organization_id = $1 ORDER BY id`,
        tenant,
      ),
      aliases: await rowsOf(
        `SELECT alias, contact_id FROM contacts.contact_alias WHERE organization_id = $1 ORDER BY alias`,
        tenant,
      ),
      optOuts: await rowsOf(
        `SELECT id, contact_id, channel_id, source FROM contacts.opt_out WHERE organization_id = $1 ORDER BY id`,
        tenant,
      ),
      heldOptOuts: await rowsOf(
        `SELECT alias_hmac, channel_id, source FROM contacts.held_opt_out WHERE organization_id = $1 ORDER BY 1, 2`,
        tenant,
      ),
      heldStatements: await rowsOf(
        `SELECT alias_hmac, channel_id, stated_at FROM contacts.held_statement WHERE organization_id = $1 ORDER BY 1, 2`,
        tenant,
      ),
      former: await rowsOf(
        `SELECT contact_id, alias, moved_at FROM contacts.former_alias WHERE organization_id = $1 ORDER BY 1, 2`,
        tenant,
      ),
      events: await rowsOf(
        `SELECT payload::jsonb #- '{data,optOut,createdAt}' AS payload FROM contacts.outbox
         WHERE payload::jsonb ->> 'organizationId' = $1 ORDER BY position`,
        tenant,
      ),
    }),
  };
}

describeCoalesceLaw<Call>({
  name: 'contacts.change',
  open: openSubject,
  items: calls,
  tenant: (call) => call.organizationId,
  // Only the handler's check keeps a NUL out, and the law is about what comes past it.
  poison: {
    kind: 'resolve',
    organizationId: 'calice',
    sightings: [{ phone: '+14155550100', profileName: null, messagingId: 'a\0' }],
  },
  writing: ['+14155550101', '+14155550102', '+14155550103'].map((phone) => ({
    kind: 'upsert',
    organizationId: 'cbob',
    phone,
  })),
  table: 'contacts.contact_alias',
  superuser: () => prepared.superuser(),
});

describe('two replicas that change the same contacts at the same time', () => {
  it('make one contact per subscriber, emit each version once, and never deadlock', async () => {
    const replicas = [await openReplica(), await openReplica()];
    const { dataSource } = await prepared.superuser();
    const deadlocksBefore = await deadlocks(dataSource);
    const met = (): boolean => replicas.every(({ races }) => races.lost > 0);
    // Rounds until they really met: three at least, and surely within 30.
    for (let round = 0; round < 3 || (!met() && round < 30); round++) {
      const own = `crace${round}`;
      const answers = await changeEverywhere(replicas, own);
      const idsOf = Map.groupBy(answers, ({ phone }) => phone.slice(-8));
      expect([...idsOf.keys()].sort()).toEqual(SUBSCRIBERS);
      for (const same of idsOf.values()) expect(new Set(same.map(({ id }) => id)).size).toBe(1);
      const [counts] = await dataSource.query(
        `SELECT (SELECT count(*)::int FROM contacts.contact WHERE organization_id = $1) AS contacts,
           (SELECT count(*)::int FROM contacts.contact_alias WHERE organization_id = $1) AS aliases,
           (SELECT sum(version)::int FROM contacts.contact WHERE organization_id = $1) AS versions,
           (SELECT count(*)::int FROM contacts.contact c WHERE organization_id = $1 AND coverage <> (
              SELECT CASE WHEN bool_or(channel_id = '*') THEN -1 ELSE count(*)::int END FROM contacts.opt_out o
              WHERE o.organization_id = c.organization_id AND o.contact_id = c.id)) AS "wrongCoverages",
           count(*)::int AS events, count(DISTINCT aggregate_id || ' ' || (payload::jsonb ->> 'sequence'))::int AS sequences
         FROM contacts.outbox WHERE payload::jsonb ->> 'organizationId' = $1 AND subject LIKE '%contact.changed%'`,
        [own],
      );
      const { events } = counts;
      const expected = { contacts: 30, aliases: 60, wrongCoverages: 0, versions: events, events, sequences: events };
      expect(counts).toEqual(expected);
    }
    expect(met()).toBe(true);
    expect(await deadlocks(dataSource)).toBe(deadlocksBefore);
  });

  it('spend one statement on what changes nothing', async () => {
    const { database, batch } = await openReplica();
    const seen = FORMS.map((phone) => ({ phone, profileName: 'Ana', messagingId: null }));
    const change = (): Promise<unknown> => batch.change(resolveContacts('cquiet', seen, null));
    const first = await change();
    const statements: string[] = [];
    const query = database.query.bind(database);
    database.query = (...args) => {
      statements.push(args[0].name);
      return query(...args);
    };
    database.transaction = () => Promise.reject(new Error('a transaction was begun'));
    expect(await change()).toEqual(first);
    expect(statements).toEqual(['contacts.find']);
  });

  it('say of what changes nothing that it proves nothing of a lock', async () => {
    const { useCase } = await openReplica();
    const change = resolveContacts('cproof', [{ phone: FORMS[0] ?? null, profileName: null, messagingId: null }], null);
    const proofs = async (): Promise<unknown[]> =>
      (await useCase.run([change])).map((outcome) => 'ok' in outcome && outcome.provesNothing !== true);
    expect(await proofs()).toEqual([true]);
    expect(await proofs()).toEqual([false]);
  });
});

it('an opt-out that is held no more when a contact gains the number is not given to it', async () => {
  const { database, useCase, held } = await openReplica();
  const { dataSource } = await prepared.superuser();
  const [own, phone] = ['clifted', '+12015550177'];
  const consent = { optOuts: [{ channelId: '*', source: 'API' as const }], takenGroups: [], groupId: randomUUID() };
  await database.transaction((tx) => held.hold(tx, { organizationId: own, aliases: [phone], ...consent }));
  const find = held.find.bind(held);
  let looks = 0;
  held.find = async (...args) => {
    // As the erasure of another contact of the person does, which had taken it over.
    if (++looks === 2) await dataSource.query('DELETE FROM contacts.held_opt_out WHERE organization_id = $1', [own]);
    return find(...args);
  };
  const [made] = await useCase.run([resolveContacts(own, [{ phone, profileName: null, messagingId: null }], null)]);
  expect(made).toMatchObject({ ok: { contacts: [{ phone, optOuts: [] }] } });
});

it('an opt-out that is held for a number while a contact gains it is given to it', async () => {
  const { database, useCase, held } = await openReplica();
  const [own, phone] = ['cheld', '+12015550178'];
  const consent = { optOuts: [{ channelId: '*', source: 'API' as const }], takenGroups: [], groupId: randomUUID() };
  const find = held.find.bind(held);
  let looks = 0;
  held.find = async (...args) => {
    // Behind the decision, which was made without it: the transaction that stores the contact looks once more.
    if (++looks === 2)
      await database.transaction((tx) => held.hold(tx, { organizationId: own, aliases: [phone], ...consent }));
    return find(...args);
  };
  const [made] = await useCase.run([resolveContacts(own, [{ phone, profileName: null, messagingId: null }], null)]);
  expect(made).toMatchObject({ ok: { contacts: [{ phone, optOuts: [{ channelId: '*', source: 'API' }] }] } });
});

const SUBSCRIBERS = Array.from({ length: 30 }, (_, n) => String(10_000_000 + n));

/** 400 calls over both replicas, in waves so that they come to many batches, each with three of 30 subscribers. */
async function changeEverywhere(
  replicas: readonly Replica[],
  own: string,
): Promise<{ readonly id: string; readonly phone: string }[]> {
  const calls: Promise<readonly { readonly id: string; readonly phone: string }[]>[] = [];
  /** Without one a call gives up after 5 s of waiting for what another replica has locked. */
  const { signal } = new AbortController();
  for (let n = 0; n < 400; n++) {
    const sightings = [0, 11, 3].map((offset): ContactSighting => {
      // The replicas walk in opposite directions, which would lock in opposite orders.
      const step = (n * 7 + offset) % SUBSCRIBERS.length;
      const subscriber = SUBSCRIBERS.at(n % 2 === 0 ? step : -1 - step) ?? '';
      const phone = (n + offset) % 2 === 0 ? `+5255${subscriber}` : `+52155${subscriber}`;
      // The upstream's id goes to and fro, so that contacts change all the time.
      const messagingId = [null, `52155${subscriber}`, `5255${subscriber}`][n % 3] ?? null;
      const value = n % 5 === 0 ? ('stop' as const) : ('start' as const);
      return {
        phone,
        profileName: null,
        messagingId,
        preference: { channelId: 'cchannel1', value, source: 'KEYWORD' },
        statement: { id: `wamid.${n}.${offset}`, at: new Date(n * 1_000).toISOString() },
      };
    });
    const replica = replicas[n % replicas.length];
    const [first] = sightings;
    if (!replica || !first?.phone) continue;
    if (n % 10 === 7) {
      const change = createOptOut(own, { ...input('cchannel2'), of: { phone: phoneOf(first.phone) } }, null);
      calls.push(replica.batch.change(change, signal).then(({ contact }) => [contact]));
    } else {
      const resolved = replica.batch.change(resolveContacts(own, sightings, null), signal);
      calls.push(resolved.then(({ contacts }) => contacts.filter((contact) => contact !== null)));
    }
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
