import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ContactFacts } from '@switchboard/contracts/contacts/rpc';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { sqlState, statement, withConflictRetries } from '@switchboard/postgres';
import { deadlocksIn, SeededRandom, testSeed, testServers } from '@switchboard/testing';
import {
  callbackOf,
  channelOf,
  contactOf,
  MessagingStore,
  settlementOf,
  taken,
  type Sender,
} from './messaging-store.js';
import { applyFenced } from '../src/apply-suppressions/apply-suppressions.js';
import { projectContacts } from '../src/contact/contact.repository.js';
import { failExpired } from '../src/settle-overdue/settle-overdue.js';
import { takeInbound } from '../src/take-callbacks/take-inbound.js';
import type { UpstreamOutcome } from '../src/upstream/upstream.js';
import type { Attempt } from '../src/dispatch/dispatch.entity.js';
import { abandonOverdue } from '../src/dispatch/dispatch.repository.js';
import { claimRetries, retryLines, unclaim } from '../src/dispatch/retry-claim.repository.js';
import { SETTLE_DEADLINE_MS } from '../src/dispatch/retry.policy.js';

const servers = testServers();
const RUN_MS = 4_000;
/** Of each kind at least; it goes on for as long on a machine that is busy with other work. */
const DONE_MIN = 11;
const RUN_MAX_MS = 300_000;
/** The youngest messages: few, so that all writers meet on them. */
const YOUNGEST = 24;

/**
 * What the writers do is drawn from it; named when they fail, and `SWITCHBOARD_TEST_SEED` gives it back. The order in which they
 * meet is the machine's.
 */
const seed = testSeed();

/**
 * Statements that lock nothing but contacts, all in the order of their ids, make no circle of two contacts: the server makes it of a
 * single one that is updated meanwhile (see `withConflictRetries`).
 */
function isOfOneContact(circle: string): boolean {
  const statements = circle.split(/Process \d+: /).slice(1);
  return statements.every((one) =>
    /JOIN contact c [^]*ORDER BY c\.organization_id, c\.id FOR (UPDATE|KEY SHARE) OF c\s*$/.test(one),
  );
}

type Work = (random: SeededRandom) => Promise<unknown>;

describe('sixteen writers that do everything to the same rows at once', () => {
  let store: MessagingStore;
  let senders: readonly [Sender, Sender];
  let attempts: { readonly attempt: Attempt; readonly sender: Sender }[] = [];
  /** Of the facts from contacts; grows. */
  let version = 1;
  const random = new SeededRandom(seed);

  beforeAll(async () => {
    // Six times the waits of a service, for sixteen sessions on a machine that many others share: one that holds a lock may stand still.
    store = await MessagingStore.open(servers, 16, { statementWithinMs: 120_000, lockWithinMs: 30_000 });
    senders = [await store.sender(3), await store.sender(3)];
    for (let n = 0; n < 8; n++) await accept(random.fork());
  });

  it('never wait for each other in a circle, nor longer than a lock may be waited for', async () => {
    const done = new Map<string, number>();
    const refusals: string[] = [];
    const writers: Record<string, Work> = {
      accept,
      settle,
      callbacks,
      claim,
      giveBack,
      overdue,
      optOut,
      inbound,
      project,
    };
    const beganMs = performance.now();
    const goesOn = (): boolean => {
      const tookMs = performance.now() - beganMs;
      const isShort = Object.keys(writers).some((name) => (done.get(name) ?? 0) < DONE_MIN);
      return tookMs < RUN_MS || (isShort && tookMs < RUN_MAX_MS);
    };
    const run = async (name: string, work: Work): Promise<void> => {
      const own = random.fork();
      while (goesOn()) {
        await withConflictRetries(() => work(own)).then(
          () => done.set(name, (done.get(name) ?? 0) + 1),
          (error: unknown) => refusals.push(`${name}: ${sqlState(error) ?? String(error)}`),
        );
      }
    };
    const twice = ['accept', 'settle', 'settle', 'callbacks', 'callbacks', 'claim', 'overdue'];
    await Promise.all([...Object.keys(writers), ...twice].map((name) => run(name, writers[name] ?? accept)));
    const circles = deadlocksIn(await servers.postgresLog()).filter((circle) => !isOfOneContact(circle));
    expect({ seed, refusals, circles }).toEqual({ seed, refusals: [], circles: [] });
    expect([...done.keys()].sort()).toEqual(Object.keys(writers).sort());
    for (const count of done.values()) expect(count).toBeGreaterThanOrEqual(DONE_MIN);
    expect(await numberingFaults()).toEqual([]);
    expect(await store.quotaFaults()).toEqual([]);
  });

  async function accept(drawn: SeededRandom): Promise<void> {
    const pairs = some(drawn, [0, 1, 2]).map((contact) => ({ sender: drawn.pick(senders), contact }));
    const results = await store.accept(pairs.map(({ sender, contact }) => store.request(sender, contact)));
    for (const [index, result] of results.entries()) {
      const sender = pairs[index]?.sender;
      if (result.verdict === 'accepted' && sender) attempts.push({ attempt: result.attempt, sender });
    }
    attempts = attempts.slice(-YOUNGEST);
  }

  async function settle(drawn: SeededRandom): Promise<void> {
    await store.settle(
      ...some(drawn, attempts).map(({ attempt }) => settlementOf(attempt, drawn.pick(outcomesOf(attempt)))),
    );
  }

  async function callbacks(drawn: SeededRandom): Promise<void> {
    const statuses = some(drawn, attempts).map(({ attempt, sender }) =>
      callbackOf(sender, attempt, { status: drawn.pick(['sent', 'delivered', 'read', 'failed']) }),
    );
    await store.callbacks(...statuses);
  }

  async function claim(): Promise<void> {
    const { lines } = await retryLines(store.database, null, 64);
    const bounds = { limit: 8, organizationMax: 8, underway: new Map<string, number>() };
    const claimed = await claimRetries(store.database, lines, bounds, newCuid());
    for (const attempt of claimed) {
      const sender = senders.find(({ organizationId }) => organizationId === attempt.organizationId);
      if (sender) attempts.push({ attempt, sender });
    }
  }

  async function giveBack(drawn: SeededRandom): Promise<void> {
    const leases = some(drawn, attempts).map(({ attempt }) => attempt.lease);
    await unclaim(store.database, leases.slice(0, 2));
  }

  async function overdue(drawn: SeededRandom): Promise<void> {
    for (const { attempt } of some(drawn, attempts).slice(0, 3)) await store.letTimePass(attempt);
    await abandonOverdue(store.database, 100, SETTLE_DEADLINE_MS);
    if (drawn.chance(0.2)) await failExpired(store.database, 100, new Date());
  }

  async function optOut(drawn: SeededRandom): Promise<void> {
    const { organizationId, contacts } = drawn.pick(senders);
    const facts = {
      ...factsOf(drawn, contacts, drawn.pick(contacts)),
      optOuts: [{ channelId: '*', source: 'API' as const }],
    };
    await store.database.transaction((tx) => applyFenced(tx, organizationId, { contact: facts }));
    if (drawn.chance(0.5)) await removeAll(drawn, organizationId, contacts);
  }

  /** Contacts reports that all are removed, and confirms what was observed here. */
  async function removeAll(drawn: SeededRandom, organizationId: string, contacts: Sender['contacts']): Promise<void> {
    const observed = (await store.database.query(observedSql, [organizationId])).map(({ by }) => by);
    const removed = contacts.map((one) => ({ organizationId, contact: factsOf(drawn, contacts, one), observed }));
    await store.database.transaction((tx) => projectContacts(tx, removed));
  }

  async function inbound(drawn: SeededRandom): Promise<void> {
    const sender = drawn.pick(senders);
    const { organizationId } = sender;
    const callbacksOf = some(drawn, sender.contacts).map(({ id, phone }) => ({
      at: new Date(),
      traceparent: null,
      channel: channelOf(sender),
      contact: { ...contactOf(organizationId, id, phone).contact, version: ++version },
      callback: {
        phoneNumberId: sender.phoneNumberId,
        item: { message: { id: newCuid(), from: phone, timestamp: '0', type: 'text' }, profileName: null },
      },
    }));
    await store.database.transaction(async (tx) => {
      await projectContacts(
        tx,
        callbacksOf.map(({ contact }) => ({ organizationId, contact })),
      );
      await takeInbound(tx, callbacksOf);
    });
  }

  async function project(drawn: SeededRandom): Promise<void> {
    const { organizationId, contacts } = drawn.pick(senders);
    const changed = some(drawn, contacts).map((one) => ({
      organizationId,
      contact: factsOf(drawn, contacts, one),
      observed: [newCuid()],
    }));
    const origin = drawn.chance(0.5) ? 'event' : 'answer';
    await store.database.transaction((tx) => projectContacts(tx, changed, origin));
  }

  /** Now and then numbers go to others: some of all, in any order. */
  function factsOf(
    drawn: SeededRandom,
    contacts: Sender['contacts'],
    { id, phone }: Sender['contacts'][number],
  ): ContactFacts {
    const phoneForms = drawn.chance(0.7) ? [phone] : some(drawn, contacts).map((one) => one.phone);
    return { ...contactOf('', id, phone).contact, phoneForms, version: ++version };
  }

  /** Conversations whose events are not numbered 1, 2, 3 … in the order of the outbox. */
  async function numberingFaults(): Promise<unknown[]> {
    return store.superuser.dataSource.query(`
      SELECT aggregate_id FROM (
        SELECT aggregate_id, (payload::jsonb->>'sequence')::int AS sequence,
          row_number() OVER (PARTITION BY aggregate_id ORDER BY position) AS place FROM messaging.outbox) AS emitted
      WHERE sequence <> place`);
  }
});

const observedSql = statement<{ by: string }>(
  'test.observed',
  "SELECT observed_by AS by FROM suppression WHERE organization_id = $1 AND observed_by <> ''",
);

function outcomesOf(attempt: Attempt): UpstreamOutcome[] {
  const throttled: UpstreamOutcome = { state: 'not-taken', code: '130429', message: 'too many', retry: 'normal' };
  const refused = (kind: 'rejected' | 'opted-out'): UpstreamOutcome => ({
    state: 'refused',
    kind,
    code: '1',
    message: '',
  });
  const unknown: UpstreamOutcome = { state: 'unknown', reason: 'cut' };
  return [taken(attempt), refused('rejected'), refused('opted-out'), unknown, unknown, throttled, throttled, throttled];
}

/** Some of the items, at least one, in any order. */
function some<T>(drawn: SeededRandom, items: readonly T[]): T[] {
  const shuffled = items.map((item) => ({ item, key: drawn.next() })).sort((a, b) => a.key - b.key);
  return shuffled.slice(0, drawn.integer(1, Math.min(items.length, 8) + 1)).map(({ item }) => item);
}
