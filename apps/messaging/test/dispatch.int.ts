import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Transaction } from '@switchboard/postgres';
import { eventually, lockWaiters, testServers } from '@switchboard/testing';
import { callbackOf, messageOf, MessagingStore, settlementOf, taken, type Sender } from './messaging-store.js';
import { failExpired } from '../src/settle-overdue/settle-overdue.js';
import { lockContacts, replaceReported } from '../src/suppression/suppression.repository.js';
import { ARRIVE_WITHIN_MS, type Attempt } from '../src/dispatch/dispatch.entity.js';
import { markedAttempts } from '../src/dispatch/marked-attempts.repository.js';
import { abandonOverdue } from '../src/dispatch/dispatch.repository.js';
import {
  claimRetries,
  retryLines,
  unclaim,
  type ClaimedAttempt,
  type RetryLine,
} from '../src/dispatch/retry-claim.repository.js';
import { SETTLE_DEADLINE_MS } from '../src/dispatch/retry.policy.js';

const servers = testServers();
const unknown = { state: 'unknown', reason: 'cut' } as const;
const throttled = { state: 'not-taken', code: '130429', message: 'too many', retry: 'normal' } as const;

describe('the dispatch of messages', () => {
  let store: MessagingStore;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
  });

  // What a test leaves behind becomes due while another runs, which would claim it.
  beforeEach(() => store.forgetDispatches());

  describe('whose outcome is unknown', () => {
    it.each([
      ['sent', { status: 'SENT', sentAt: expect.any(Date) }],
      ['delivered', { status: 'DELIVERED', deliveredAt: expect.any(Date) }],
      ['read', { status: 'READ', readAt: expect.any(Date) }],
      ['failed', { status: 'FAILED', errorCode: '131049' }],
    ])('is settled by a `%s` callback with our reference', async (status, expected) => {
      const sender = await store.sender();
      const attempt = await store.attempt(sender);
      await store.settle(settlementOf(attempt, unknown));
      await store.callbacks(callbackOf(sender, attempt, { status, errors: [{ code: 131049 }] }));
      expect(await store.message(attempt)).toMatchObject({
        ...expected,
        upstreamMessageId: `wamid.${attempt.messageId}`,
      });
      expect(await store.dispatches(attempt)).toEqual([]);
      expect(await failExpired(store.database, 100, new Date())).toBe(0);
    });

    it('becomes so when the lease ends unsettled, and the outcome that is recorded late still wins', async () => {
      const sender = await store.sender(3);
      const attempts = [
        await store.attempt(sender, 0),
        await store.attempt(sender, 1),
        await store.attempt(sender, 2),
      ] as const;
      for (const attempt of attempts) await store.letTimePass(attempt);
      const abandoned = await abandonOverdue(store.database, 100, SETTLE_DEADLINE_MS);
      expect(abandoned.map(({ messageId }) => messageId).sort()).toEqual(
        attempts.map(({ messageId }) => messageId).sort(),
      );
      expect(await store.dispatches(attempts[0])).toMatchObject([{ state: 'UNKNOWN' }]);

      const refused = { state: 'refused', kind: 'rejected', code: '100', message: 'bad request' } as const;
      const knownAt = new Date(Date.now() - 60_000);
      await store.settle(
        settlementOf(attempts[0], taken(attempts[0]), knownAt),
        settlementOf(attempts[1], refused, knownAt),
      );
      await store.settle(settlementOf(attempts[2], throttled, knownAt));
      expect(await store.message(attempts[0])).toMatchObject({ status: 'SENT' });
      expect(await store.message(attempts[1])).toMatchObject({ status: 'FAILED', errorCode: '100', failedAt: knownAt });
      expect(await Promise.all(attempts.map((one) => store.dispatches(one)))).toMatchObject([
        [],
        [],
        [{ state: 'RETRY' }],
      ]);
      await store.letTimePass(attempts[2]);
      expect(await claim()).toMatchObject([{ messageId: attempts[2].messageId, attempts: 2 }]);
    });

    it('fails by that name past the deadline, and later evidence corrects it', async () => {
      const deadline = new Date();
      const senders = [await store.sender(), await store.sender(), await store.sender()] as const;
      const attempts = await Promise.all(senders.map((sender) => store.attempt(sender)));
      for (const attempt of attempts) {
        await store.settle(settlementOf(attempt, unknown));
        await store.letTimePass(attempt);
      }
      expect(await failExpired(store.database, 100, deadline)).toBe(3);
      expect(await failExpired(store.database, 100, deadline)).toBe(0);
      const failed = { status: 'FAILED', errorCode: 'UPSTREAM_OUTCOME_UNKNOWN', failedAt: deadline, sentAt: null };
      const [one, two, three] = attempts as [Attempt, Attempt, Attempt];
      expect(await store.message(one)).toMatchObject(failed);

      await store.callbacks(callbackOf(senders[0], one, { status: 'delivered' }));
      const tomorrow = String(Math.floor(deadline.getTime() / 1_000) + 86_400);
      await store.callbacks(
        callbackOf(senders[1], two, { status: 'failed', timestamp: tomorrow, errors: [{ code: 131026 }] }),
      );
      await store.callbacks(callbackOf(senders[2], three, { status: 'sent' }));
      expect(await store.message(one)).toMatchObject({ status: 'DELIVERED', sentAt: expect.any(Date) });
      expect(await store.message(two)).toMatchObject({ status: 'FAILED', errorCode: '131026' });
      expect(await store.message(three)).toMatchObject({ ...failed, sentAt: expect.any(Date) });
      expect(await emittedOf(senders[0])).toEqual(['accepted', 'failed', 'sent', 'delivered']);
      expect(await emittedOf(senders[1])).toEqual(['accepted', 'failed', 'sent']);
    });

    it('is not failed by the deadline when evidence came first', async () => {
      const sender = await store.sender();
      const attempt = await store.attempt(sender);
      await store.settle(settlementOf(attempt, unknown));
      await store.letTimePass(attempt);
      await store.callbacks(callbackOf(sender, attempt, { status: 'sent' }));
      expect(await failExpired(store.database, 100, new Date())).toBe(0);
      expect(await store.message(attempt)).toMatchObject({ status: 'SENT', failedAt: null });
    });
  });

  describe('that is due again', () => {
    it('takes turns by organization, and in one by channel, however long the backlog of another is', async () => {
      const [flood, small, other] = [await store.sender(400), await store.sender(3), await store.sender(3)];
      // A second channel of the flooded organization.
      const quiet = { ...flood, channelId: newCuid(), phoneNumberId: newCuid(), contacts: flood.contacts.slice(0, 2) };
      await store.connect(quiet, 'token', false);
      for (const sender of [flood, small, other, quiet]) await owe(sender);
      const bounds = { limit: 12, organizationMax: 8, underway: new Map<string, number>() };
      const claimed = await claim(bounds);
      const counts = countsOf(claimed);
      expect(counts.get(small.organizationId)).toBe(3);
      expect(counts.get(other.organizationId)).toBe(3);
      expect(counts.get(flood.organizationId)).toBe(6);
      expect(claimed.filter(({ channelId }) => channelId === quiet.channelId)).toHaveLength(2);
      // What an organization has under way counts, and its bound holds whatever is due.
      const underway = new Map([[flood.organizationId, 6]]);
      expect(countsOf(await claim({ ...bounds, underway })).get(flood.organizationId)).toBe(2);
      expect(await claim({ ...bounds, underway: new Map([[flood.organizationId, 8]]) })).toEqual([]);
      while ((await claim({ ...bounds, organizationMax: 200, limit: 200 })).length > 0) continue;
    });

    it('is claimed once, however many claim at the same time', async () => {
      const sender = await store.sender(40);
      await owe(sender);
      const bounds = { limit: 16, organizationMax: 16, underway: new Map<string, number>() };
      const claims = await Promise.all(Array.from({ length: 8 }, () => claim(bounds)));
      const ids = claims.flat().map(({ messageId }) => messageId);
      expect(ids).toHaveLength(new Set(ids).size);
      for (let rest = await claim(bounds); rest.length > 0; rest = await claim(bounds))
        ids.push(...rest.map((one) => one.messageId));
      expect(new Set(ids).size).toBe(40);
      expect(ids).toHaveLength(40);
    });

    it('walks from line to line, each once in a round, whatever waits in it', async () => {
      const senders = await Promise.all(Array.from({ length: 5 }, () => store.sender()));
      for (const sender of senders) await owe(sender, false);
      const walked: RetryLine[] = [];
      for (let at: RetryLine | null = null; ;) {
        const { lines } = await retryLines(store.database, at, 2);
        walked.push(...lines);
        at = lines[1] ?? null;
        if (at === null) break;
      }
      const mine = walked.filter(({ organizationId }) => senders.some((one) => one.organizationId === organizationId));
      expect(mine.map(({ channelId }) => channelId)).toEqual(senders.map(({ channelId }) => channelId).sort());
    });

    it('is given back when the answer of a claim was lost, also after its lease ended', async () => {
      const sender = await store.sender(2);
      await owe(sender);
      const [kept, lost] = [await claim({ limit: 1 }), await claim({ limit: 1 })] as const;
      const [one, other] = [kept[0], lost[0]];
      if (!one || !other) throw new Error('nothing was claimed');
      await store.letTimePass(other);
      await abandonOverdue(store.database, 100, SETTLE_DEADLINE_MS);
      await unclaim(store.database, [other.lease]);
      expect(await store.dispatches(one)).toMatchObject([{ state: 'DISPATCHING', attempts: 2 }]);
      expect(await store.dispatches(other)).toMatchObject([{ state: 'RETRY', attempts: 1 }]);
      expect(await claim()).toMatchObject([{ messageId: other.messageId, attempts: 2, refusal: null }]);
    });

    it('is not begun when its contact opted out or its channel was disconnected meanwhile', async () => {
      const [optedOut, disconnected] = [await store.sender(), await store.sender()];
      await owe(optedOut);
      await owe(disconnected);
      await store.database.transaction((tx) => suppressFirst(tx, optedOut));
      const sql = "UPDATE messaging.channel SET status = 'DISCONNECTED' WHERE id = $1";
      await store.superuser.dataSource.query(sql, [disconnected.channelId]);
      const refusals = new Map((await claim()).map(({ organizationId, refusal }) => [organizationId, refusal]));
      expect(refusals.get(optedOut.organizationId)).toBe('opted-out');
      expect(refusals.get(disconnected.organizationId)).toBe('disconnected');
    });
  });

  describe('against a suppression that is being written', () => {
    it('waits for it before it accepts a message, and then refuses', async () => {
      const sender = await store.sender();
      const open = await held((hold) =>
        store.database.transaction(async (tx) => {
          await suppressFirst(tx, sender);
          await hold();
        }),
      );
      const accepting = store.accept([store.request(sender)]);
      await untilOneWaits().finally(open.end);
      expect(await accepting).toEqual([{ verdict: 'opted-out' }]);
    });

    it('skips a retry, and refuses it once the suppression is committed', async () => {
      const sender = await store.sender();
      await owe(sender);
      await store.database.transaction(async (tx) => {
        await suppressFirst(tx, sender);
        expect(await claim()).toEqual([]);
      });
      expect(await claim()).toMatchObject([{ refusal: 'opted-out' }]);
    });

    it('is seen by its writer where it was marked first, until it can begin no more', async () => {
      const sender = await store.sender(2);
      const [contact, neighbour] = sender.contacts;
      if (!contact || !neighbour) throw new Error('no contacts');
      const target = { organizationId: sender.organizationId, contactIds: [contact.id], phoneForms: [] };
      await store.attempt(sender, 1);
      const request = store.request(sender);
      const open = await held((hold) => store.accept([request], hold));
      const suppressed = store.database.transaction((tx) => suppressFirst(tx, sender));
      await untilOneWaits().finally(open.end);
      await suppressed;
      await store.database.transaction(async (tx) => {
        const pending = (channelId = '*'): Promise<string[]> =>
          markedAttempts(tx, { ...target, channelIds: [channelId] });
        await store.letMarkAge(tx, request, ARRIVE_WITHIN_MS - 1);
        expect(await pending()).toEqual([request.messageId]);
        expect(await pending(sender.channelId)).toEqual([request.messageId]);
        expect(await pending(newCuid())).toEqual([]);
        await store.letMarkAge(tx, request, ARRIVE_WITHIN_MS);
        expect(await pending()).toEqual([]);
      });
    });
  });

  /** Leaves a message to each of the sender's contacts that is to be sent again, now or soon. */
  async function owe(sender: Sender, isDue = true): Promise<void> {
    const requests = sender.contacts.map((_contact, index) => store.request(sender, index));
    const attempts = (await store.accept(requests)).flatMap((one) => (one.verdict === 'accepted' ? [one.attempt] : []));
    await store.settle(...attempts.map((attempt) => settlementOf(attempt, throttled)));
    if (!isDue) return;
    const due = "UPDATE messaging.dispatch SET due_at = now() - interval '1 s' WHERE message_id = ANY($1)";
    await store.superuser.dataSource.query(due, [attempts.map(({ messageId }) => messageId)]);
  }

  async function claim(bounds: Partial<Parameters<typeof claimRetries>[2]> = {}): Promise<ClaimedAttempt[]> {
    const { lines } = await retryLines(store.database, null, 64);
    const all = { limit: 200, organizationMax: 200, underway: new Map<string, number>(), ...bounds };
    return claimRetries(store.database, lines, all, newCuid());
  }

  async function suppressFirst(tx: Transaction, { organizationId, contacts }: Sender): Promise<void> {
    const contactId = contacts[0]?.id ?? '';
    await lockContacts(tx, [{ organizationId, contactId }]);
    replaceReported(tx, [{ organizationId, contactId, optOuts: [{ channelId: '*', source: 'API' }] }]);
  }

  async function untilOneWaits(): Promise<void> {
    await eventually(async () => (await lockWaiters(store.superuser)) === 1);
  }

  async function emittedOf(sender: Sender): Promise<(string | undefined)[]> {
    const events = (await store.events(sender.organizationId)).filter((event) => messageOf(event));
    return events.map(({ subject }) => subject.split('.')[2]);
  }
});

/** Begins a transaction, and returns when it holds what it locks; `end` lets it commit. */
async function held(
  begin: (hold: () => Promise<void>) => Promise<unknown>,
): Promise<{ readonly end: () => Promise<unknown> }> {
  const [holding, ending] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const work = begin(async () => {
    holding.resolve();
    await ending.promise;
  });
  await Promise.race([holding.promise, work]);
  return {
    end: () => {
      ending.resolve();
      return work;
    },
  };
}

function countsOf(claimed: readonly ClaimedAttempt[]): ReadonlyMap<string, number> {
  const groups = Map.groupBy(claimed, ({ organizationId }) => organizationId);
  return new Map([...groups].map(([organizationId, group]) => [organizationId, group.length]));
}
