import { beforeAll, describe, expect } from '@jest/globals';
import { cuidFloor, newCuid } from '@switchboard/contracts/grammar/cuid';
import { createLog, systemClock } from '@switchboard/platform';
import { itOnOneDay as it, testServers } from '@switchboard/testing';
import fc from 'fast-check';
import { ReleasedLeases } from '../src/dispatch/released-leases.js';
import { OUTCOME_UNKNOWN } from '../src/message/message-progress.policy.js';
import { isQuotaMoved, quotaMonthOf, quotaUse } from '../src/quota/quota.repository.js';
import { AcceptMessage, type AcceptRequest, type AcceptResult } from '../src/send-message/accept-message.batch.js';
import { failExpired } from '../src/settle-overdue/settle-overdue.js';
import { callbackOf, MessagingStore, settlementOf, taken, type Sender } from './messaging-store.js';
import { silentRelay } from './silent-relay.js';

const servers = testServers();
const CONTACTS = 8;
const NEVER = new AbortController().signal;
const thisMonth = (): string => quotaMonthOf(newCuid());
const REFUSED = { state: 'refused', kind: 'rejected', code: '100', message: 'bad request' } as const;

describe('the quota of a month', () => {
  let store: MessagingStore;

  beforeAll(async () => {
    store = await MessagingStore.open(servers, 16);
  });

  const request = (sender: Sender, messagesPerMonth: number | null, contact = 0): AcceptRequest => ({
    ...store.request(sender, contact % CONTACTS),
    messagesPerMonth,
  });
  const verdictsOf = (results: readonly AcceptResult[]): string[] => results.map(({ verdict }) => verdict);

  it('lets a batch pass as its messages one by one, with two organizations, changing plans and other refusals', async () => {
    const shape = fc.array(
      fc.record({
        who: fc.constantFrom(0, 1),
        contact: fc.nat({ max: CONTACTS - 1 }),
        max: fc.option(fc.nat({ max: 8 }), { freq: 6 }),
        isWrong: fc.boolean(),
      }),
      { minLength: 1, maxLength: 16 },
    );
    await fc.assert(
      fc.asyncProperty(shape, async (asks) => {
        const run = async (accept: (requests: AcceptRequest[]) => Promise<AcceptResult[]>): Promise<unknown> => {
          const senders = [await store.sender(CONTACTS), await store.sender(CONTACTS)] as const;
          const verdicts = await accept(
            asks.map(({ who, contact, max, isWrong }) => ({
              ...request(senders[who === 0 ? 0 : 1], max, contact),
              ...(isWrong ? { phone: null } : {}),
            })),
          );
          const used = await Promise.all(senders.map(({ organizationId }) => store.used(organizationId, thisMonth())));
          return { verdicts: verdictsOf(verdicts), used };
        };
        const together = await run((requests) => store.accept(requests));
        const apart = await run(async (requests) => {
          const results: AcceptResult[] = [];
          for (const one of requests) results.push(...(await store.accept([one])));
          return results;
        });
        expect(together).toEqual(apart);
      }),
      { numRuns: 20 },
    );
    expect(await store.quotaFaults()).toEqual([]);
  });

  it('holds exactly under 200 concurrent senders of two replicas at its edge; the others find it used up', async () => {
    const log = createLog('messaging', { write: () => undefined });
    const released = new ReleasedLeases(store.database, systemClock, log);
    const replica = (): AcceptMessage => new AcceptMessage(store.database, silentRelay, released, log);
    const replicas = [replica(), replica()] as const;
    const [small, large] = [await store.sender(CONTACTS), await store.sender(CONTACTS)];
    // Connections that stand: else one replica has ended before the other begins.
    await Promise.all(Array.from({ length: 16 }, () => store.database.dataSource.query('SELECT pg_sleep(0.05)')));
    const sends = Array.from({ length: 200 }, async (_one, index) => {
      const replica = replicas[index % 2 === 0 ? 0 : 1];
      // Each a second time under its id, as a hop is repeated whose answer was lost.
      const one = request(index % 4 < 2 ? small : large, index % 4 < 2 ? 37 : 1_000, index);
      const { verdict } = await replica.execute(one, NEVER);
      return { one, verdict, again: await replica.execute({ ...one, lease: newCuid() }, NEVER) };
    });
    const ends = await Promise.all(sends);
    const passed = (sender: Sender): number =>
      ends.filter(({ one, verdict }) => one.organizationId === sender.organizationId && verdict === 'accepted').length;
    expect([passed(small), passed(large)]).toEqual([37, 100]);
    expect([
      await store.used(small.organizationId, thisMonth()),
      await store.used(large.organizationId, thisMonth()),
    ]).toEqual([37, 100]);
    expect(new Set(ends.map(({ verdict }) => verdict))).toEqual(new Set(['accepted', 'quota-used-up']));
    for (const { verdict, again } of ends) expect(again.verdict).toBe(verdict === 'accepted' ? 'repeated' : verdict);
    expect(await store.quotaFaults()).toEqual([]);
    await Promise.all(replicas.map((replica) => replica.beforeApplicationShutdown()));
  });

  it('is looked at again right before COMMIT: a batch that saw more left than there is stores nothing', async () => {
    const sender = await store.sender(CONTACTS);
    const between = async (): Promise<void> => {
      expect(verdictsOf(await store.accept([request(sender, 3, 1), request(sender, 3, 2)]))).toEqual([
        'accepted',
        'accepted',
      ]);
    };
    const late = store.accept([request(sender, 3, 3), request(sender, 3, 4)], between);
    await expect(late.catch((error: unknown) => isQuotaMoved(error))).resolves.toBe(true);
    expect(await store.used(sender.organizationId, thisMonth())).toBe(2);
    expect(await store.quotaFaults()).toEqual([]);
    // A message that still fits is accepted, however much was taken meanwhile.
    const fits = await store.accept([request(sender, 4, 5)], async () => {
      expect(verdictsOf(await store.accept([request(sender, 4, 6)]))).toEqual(['accepted']);
    });
    expect(verdictsOf(fits)).toEqual(['accepted']);
  });

  it('refuses a message to an unknown phone before its contact is learnt, once it is used up', async () => {
    const sender = await store.sender(CONTACTS);
    const toUnknown = (max: number | null): AcceptRequest => ({ ...request(sender, max), phone: '+14155559999' });
    expect(verdictsOf(await store.accept([toUnknown(1), toUnknown(0)]))).toEqual(['contact-unknown', 'quota-used-up']);
    expect(verdictsOf(await store.accept([request(sender, 1)]))).toEqual(['accepted']);
    const verdicts = verdictsOf(await store.accept([toUnknown(1), toUnknown(2), toUnknown(null)]));
    expect(verdicts).toEqual(['quota-used-up', 'contact-unknown', 'contact-unknown']);
  });

  it('stores nothing of what it refuses, and a plan that was raised counts for the very next message', async () => {
    const sender = await store.sender(CONTACTS);
    expect(verdictsOf(await store.accept([0, 1, 2].map((contact) => request(sender, 2, contact))))).toEqual([
      'accepted',
      'accepted',
      'quota-used-up',
    ]);
    const stored = async (): Promise<unknown[]> =>
      store.superuser.dataSource.query(
        `SELECT (SELECT count(*)::int FROM messaging.message WHERE organization_id = $1) AS messages,
           (SELECT count(*)::int FROM messaging.conversation WHERE organization_id = $1) AS conversations,
           (SELECT count(*)::int FROM messaging.dispatch WHERE organization_id = $1) AS dispatches`,
        [sender.organizationId],
      );
    expect(await stored()).toEqual([{ messages: 2, conversations: 2, dispatches: 2 }]);
    expect(verdictsOf(await store.accept([request(sender, 3, 2), request(sender, 3, 3)]))).toEqual([
      'accepted',
      'quota-used-up',
    ]);
    expect(verdictsOf(await store.accept([request(sender, 1), request(sender, null)]))).toEqual([
      'quota-used-up',
      'accepted',
    ]);
    expect(await quotaUse(store.database, sender.organizationId)).toEqual({ month: thisMonth(), used: 4 });
    expect(await quotaUse(store.database, newCuid())).toEqual({ month: thisMonth(), used: 0 });
  });

  it('begins anew with the month of the message, whichever of two turns a batch brings first', async () => {
    const sender = await store.sender(CONTACTS);
    const month = thisMonth();
    const [year = 0, ofYear = 0] = month.split('-').map(Number);
    const turn = new Date(Date.UTC(year, ofYear));
    const at = (ms: number): AcceptRequest => ({
      ...request(sender, 1),
      messageId: cuidFloor(new Date(turn.getTime() + ms)) + newCuid().slice(9),
    });
    const batch = [at(0), at(-1), at(1), at(-2)];
    expect(verdictsOf(await store.accept(batch))).toEqual(['accepted', 'accepted', 'quota-used-up', 'quota-used-up']);
    const next = quotaMonthOf(batch[0]?.messageId ?? '');
    expect(next).not.toBe(month);
    for (const one of [month, next]) expect(await store.used(sender.organizationId, one)).toBe(1);
  });

  it('is taken once by every message, whatever its callbacks report, how often and in which order', async () => {
    const sender = await store.sender(CONTACTS);
    const used = (): Promise<number> => store.used(sender.organizationId, thisMonth());
    const attempt = await store.attempt(sender);
    await Promise.all([1, 2, 3, 4].map(() => store.settle(settlementOf(attempt, REFUSED))));
    expect([(await store.message(attempt)).status, await used()]).toEqual(['FAILED', 1]);
    // The upstream delivers what it had refused.
    await store.callbacks(callbackOf(sender, attempt, { status: 'delivered' }));
    await store.callbacks(callbackOf(sender, attempt, { status: 'read' }));
    expect([(await store.message(attempt)).status, await used()]).toEqual(['READ', 1]);

    const sent = await store.attempt(sender, 1);
    await store.settle(settlementOf(sent, taken(sent)));
    await store.callbacks(callbackOf(sender, sent, { status: 'failed' }));
    expect([(await store.message(sent)).status, await used()]).toEqual(['FAILED', 2]);

    const unknown = await store.attempt(sender, 2);
    await store.settle(settlementOf(unknown, { state: 'unknown', reason: 'cut' }));
    await store.letTimePass(unknown);
    await failExpired(store.database, 100, new Date());
    expect([(await store.message(unknown)).errorCode, await used()]).toEqual([OUTCOME_UNKNOWN, 3]);
    await store.settle(settlementOf(unknown, REFUSED));
    expect(await used()).toBe(3);
    expect(await store.quotaFaults()).toEqual([]);
  });

  it('of one message allows one attempt: what the upstream refuses for good makes no room, however often it is tried', async () => {
    const sender = await store.sender(CONTACTS);
    const [first] = await store.accept([request(sender, 1)]);
    if (first?.verdict !== 'accepted') throw new Error('not accepted');
    await store.settle(settlementOf(first.attempt, REFUSED));
    for (const contact of [0, 1]) {
      expect(verdictsOf(await store.accept([request(sender, 1, contact)]))).toEqual(['quota-used-up']);
    }
    // A delivery reported after all keeps the count within the quota.
    await store.callbacks(callbackOf(sender, first.attempt, { status: 'delivered' }));
    expect(await quotaUse(store.database, sender.organizationId)).toEqual({ month: thisMonth(), used: 1 });
  });

  it('counts every outbound message in SQL, in whatever state, and no inbound ones', async () => {
    const { organizationId } = await store.sender();
    const states = ['QUEUED', 'SENT', 'DELIVERED', 'READ', 'FAILED'];
    for (const status of states) {
      await store.superuser.dataSource.query(
        `INSERT INTO messaging.message (organization_id, id, conversation_id, contact_id, channel_id, direction, type,
           status, error_code) VALUES ($1, $2, 'c', 'c', 'c', 'OUTBOUND', 'TEXT', $3, '100'),
           ($1, $2 || '0', 'c', 'c', 'c', 'INBOUND', 'TEXT', 'RECEIVED', NULL)`,
        [organizationId, newCuid(), status],
      );
    }
    const sql = 'SELECT messaging.quota_counted($1, $2)::int AS counted';
    expect(await store.superuser.dataSource.query(sql, [organizationId, thisMonth()])).toEqual([
      { counted: states.length },
    ]);
  });
});
