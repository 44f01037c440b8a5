import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { testServers } from '@switchboard/testing';
import { describeCoalesceLaw } from '@switchboard/testing/describe-coalesce-law';
import fc from 'fast-check';
import {
  findKeys,
  insertKeys,
  pruneKeys,
  type KeyClaim,
  type TakenKey,
} from '../src/idempotency-key/idempotency-key.repository.js';
import { coalesceAnswers, storeResponses, type KeptAnswer } from '../src/idempotency-key/store-response.batch.js';
import { acceptMessages, type AcceptRequest, type AcceptResult } from '../src/send-message/accept-message.batch.js';
import { MessagingStore, type Sender } from './messaging-store.js';

const servers = testServers();
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const claimOf = (key: string, body = 'a body'): KeyClaim => ({ keySha256: sha256(key), bodySha256: sha256(body) });

/** Recipients of the messages of a batch: two who may be written to, one who has opted out, one unknown contact. */
const OPTED_OUT = 2;
const UNKNOWN = 3;
const inputs = fc.array(
  fc.record({
    to: fc.constantFrom(0, 1, OPTED_OUT, UNKNOWN),
    key: fc.constantFrom(null, 'a', 'b'),
    body: fc.constantFrom('one', 'two'),
    /** The month's number of messages that it comes with. */
    max: fc.option(fc.nat({ max: 3 }), { freq: 3 }),
  }),
  { minLength: 2, maxLength: 12 },
);
type Input = (typeof inputs extends fc.Arbitrary<infer Inputs> ? Inputs : never) extends (infer One)[] ? One : never;

describe('an idempotency key', () => {
  let store: MessagingStore;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
  });

  it('is the same message’s whether its twins come in one batch or one by one, refused ones and a quota among them', async () => {
    await fc.assert(
      fc.asyncProperty(inputs, async (given) => {
        const [together, alone] = [await requestsOf(given), await requestsOf(given)];
        const atOnce = await store.accept(together);
        const oneByOne: AcceptResult[] = [];
        for (const request of alone) oneByOne.push(...(await store.accept([request])));
        expect(atOnce.map((result) => summaryOf(result, together))).toEqual(
          oneByOne.map((result) => summaryOf(result, alone)),
        );
        expect(await owners(together)).toEqual(await owners(alone));
      }),
      { numRuns: 40 },
    );
  });

  it('goes to one of two transactions that claim it at once; the other stores nothing and then finds it taken', async () => {
    const sender = await store.sender(2);
    const [one, two] = [keyed(sender, 0), keyed(sender, 1)];
    const [reached, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const losing = store.accept([one], () => {
      reached.resolve();
      return gate.promise;
    });
    await reached.promise;
    expect(await store.accept([two])).toMatchObject([{ verdict: 'accepted' }]);
    gate.resolve();
    await expect(losing).rejects.toMatchObject({ code: '23505' });
    expect(await messageIds(sender)).toEqual([two.messageId]);
    const owner = { messageId: two.messageId, bodySha256: two.claim?.bodySha256, answer: null };
    expect(await store.accept([one])).toMatchObject([{ verdict: 'conflict', owner }]);
    expect(await messageIds(sender)).toEqual([two.messageId]);
  });

  it('goes to one of two that claim it at once when it is past its day, too: what has just taken it is not deleted', async () => {
    const sender = await store.sender(3);
    const [former, one, two] = [keyed(sender, 2), keyed(sender, 0), keyed(sender, 1)];
    await store.accept([former]);
    await age(sender, '24 hours');
    const losing = store.accept([one], async () => {
      expect(await store.accept([two])).toMatchObject([{ verdict: 'accepted' }]);
    });
    await expect(losing).rejects.toMatchObject({ code: '23505' });
    const { taken } = await findKeys(store.database, [nameOf(sender)]);
    expect(taken.map(({ messageId }) => messageId)).toEqual([two.messageId]);
    expect(new Set(await messageIds(sender))).toEqual(new Set([former.messageId, two.messageId]));
  });

  it('keeps the answer that was stored first whole: no code of the upstream comes to one that has none', async () => {
    const sender = await store.sender();
    const request = keyed(sender);
    await store.accept([request]);
    const keep = (answer: KeptAnswer['answer']): Promise<unknown> =>
      store.database.transaction((tx) =>
        storeResponses(tx, [{ ...nameOf(sender), messageId: request.messageId, answer }]),
      );
    const first = { status: 200, body: '{"first":true}' };
    for (const answer of [first, { status: 400, body: '{}', upstreamCode: '131026' }]) {
      expect(await keep(answer)).toEqual([{ ok: first }]);
    }
  });

  it('is its own message’s for as long as that is asked for again', async () => {
    const request = keyed(await store.sender());
    await store.accept([request]);
    for (const lease of [request.lease, 'another']) {
      expect(await store.accept([{ ...request, lease }])).toEqual([{ verdict: 'repeated' }]);
    }
  });

  it('of one organization never conflicts with the same key of another', async () => {
    const [acme, globex] = [await store.sender(), await store.sender()];
    const verdicts = (await store.accept([keyed(acme), keyed(globex)])).map(({ verdict }) => verdict);
    expect(verdicts).toEqual(['accepted', 'accepted']);
    expect((await findKeys(store.database, [nameOf(acme)])).taken).toHaveLength(1);
  });

  it('costs a batch without keys no statement, and one with keys no round trip: a look-up alongside, an insert with COMMIT', async () => {
    const sender = await store.sender();
    const statementsOf = async (request: AcceptRequest): Promise<Record<'asked' | 'atCommit', string[]>> => {
      const seen = { asked: new Array<string>(), atCommit: new Array<string>() };
      await store.database.transaction((tx) =>
        acceptMessages(
          {
            query: (asked, values) => {
              seen.asked.push(asked.name);
              return tx.query(asked, values);
            },
            atCommit: (sent, values) => {
              seen.atCommit.push(sent.name);
              tx.atCommit(sent, values);
            },
          },
          [{ ...request, traceparent: null }],
        ),
      );
      return seen;
    };
    const [plain, withKey] = [await statementsOf(store.request(sender)), await statementsOf(keyed(sender))];
    const isOfKeys = (name: string): boolean => name.startsWith('messaging.idempotency-key.');
    expect([plain.asked.filter(isOfKeys), plain.atCommit.filter(isOfKeys)]).toEqual([[], []]);
    expect(withKey.asked.filter((name) => !plain.asked.includes(name))).toEqual(['messaging.idempotency-key.find']);
    expect(withKey.atCommit.filter((name) => !plain.atCommit.includes(name))).toEqual([
      'messaging.idempotency-key.insert',
    ]);
  });

  it('is free again after 24 hours and not before, whether or not it has been deleted', async () => {
    const sender = await store.sender();
    const [first, second] = [keyed(sender), keyed(sender)];
    await store.accept([first]);
    await age(sender, '23 hours 59 minutes');
    expect(await store.accept([second])).toMatchObject([
      { verdict: 'conflict', owner: { messageId: first.messageId } },
    ]);
    await age(sender, '24 hours');
    expect(await findKeys(store.database, [nameOf(sender)])).toMatchObject({ taken: [], past: [{}] });
    expect(await store.accept([second])).toMatchObject([{ verdict: 'accepted' }]);
    const { taken, past } = await findKeys(store.database, [nameOf(sender)]);
    expect([taken.map(({ messageId }) => messageId), past]).toEqual([[second.messageId], []]);
  });

  it('is deleted when it is past its day, the oldest first and no more than asked for, and no other is', async () => {
    const sender = await store.sender();
    const keys = ['oldest', 'old', 'young'];
    await store.accept(keys.map((key) => keyed(sender, 0, key)));
    await age(sender, '26 hours', 'oldest');
    await age(sender, '25 hours', 'old');
    const left = async (): Promise<boolean[]> => {
      const { taken, past } = await findKeys(
        store.database,
        keys.map((key) => nameOf(sender, key)),
      );
      const found = new Set([...taken, ...past].map(({ keySha256 }) => keySha256));
      return keys.map((key) => found.has(sha256(key)));
    };
    const prune = async (max: number): Promise<number | undefined> =>
      (await store.database.query(pruneKeys, [max]))[0]?.count;
    expect([await prune(1), await left()]).toEqual([1, [false, true, true]]);
    expect([await prune(100), await left()]).toEqual([1, [false, false, true]]);
    expect(await prune(100)).toBe(0);
  });

  async function requestsOf(given: readonly Input[]): Promise<AcceptRequest[]> {
    const sender = await store.sender(3);
    await store.superuser.dataSource.query(
      `INSERT INTO messaging.suppression (organization_id, contact_id, channel_id, source) VALUES ($1, $2, '*', 'API')`,
      [sender.organizationId, sender.contacts[OPTED_OUT]?.id],
    );
    return given.map(({ to, key, body, max }) => ({
      ...store.request(sender, to),
      messagesPerMonth: max,
      ...(to === UNKNOWN ? { phone: '+14155559999' } : {}),
      ...(key === null ? {} : { claim: claimOf(key, body) }),
    }));
  }

  function keyed(sender: Sender, contact = 0, key = 'key'): AcceptRequest {
    return { ...store.request(sender, contact), claim: claimOf(key) };
  }

  /** Which of the requests stands under each key, as it is stored. */
  async function owners(requests: readonly AcceptRequest[]): Promise<unknown> {
    const names = ['a', 'b'].map((key) => ({
      organizationId: requests[0]?.organizationId ?? '',
      keySha256: sha256(key),
    }));
    const { taken } = await findKeys(store.database, names);
    return names.map(({ keySha256 }) => {
      const key = taken.find((one) => one.keySha256 === keySha256);
      return key && { of: positionOf(key, requests), body: key.bodySha256 };
    });
  }

  async function messageIds({ organizationId }: Sender): Promise<string[]> {
    const sql = 'SELECT id FROM messaging.message WHERE organization_id = $1';
    const rows: { id: string }[] = await store.superuser.dataSource.query(sql, [organizationId]);
    return rows.map(({ id }) => id);
  }

  async function age({ organizationId }: Sender, by: string, key = 'key'): Promise<void> {
    await store.superuser.dataSource.query(
      `UPDATE messaging.idempotency_key SET created_at = now() - $3::interval
       WHERE organization_id = $1 AND key_sha256 = decode($2, 'hex')`,
      [organizationId, sha256(key), by],
    );
  }
});

const answers = fc.record({
  organizationId: fc.constantFrom('calice', 'cbob'),
  keySha256: fc.constantFrom('1', '2').map(sha256),
  // Of the key's message, or of one that the key is not for.
  messageId: fc.constantFrom('cmessage1', 'cmessage2'),
  answer: fc.record({ status: fc.constantFrom(200, 400), body: fc.constantFrom('{"a":1}', '{"b":2}') }),
});
const answer = (organizationId: string, key: string, body = '{}'): KeptAnswer => ({
  organizationId,
  keySha256: sha256(key),
  messageId: 'cmessage1',
  answer: { status: 200, body },
});
const prepared = (() => {
  let made: Promise<MessagingStore> | undefined;
  return () => (made ??= MessagingStore.open(servers));
})();

describeCoalesceLaw<KeptAnswer>({
  name: 'store-response',
  items: answers,
  tenant: ({ organizationId }) => organizationId,
  poison: answer('calice', '1', 'a\u0000b'),
  writing: [answer('calice', '1'), answer('cbob', '2')],
  table: 'messaging.idempotency_key',
  superuser: async () => (await prepared()).superuser,
  open: async () => {
    const { database, superuser } = await prepared();
    const batchSizes: number[] = [];
    const keep = coalesceAnswers(database, (tx, items) => {
      batchSizes.push(items.length);
      return storeResponses(tx, items);
    });
    return {
      call: (item) => keep(item),
      batchSizes,
      clear: async () => {
        await superuser.dataSource.query('TRUNCATE messaging.idempotency_key');
        await database.transaction(async (tx) => {
          const keys = ['calice', 'cbob'].flatMap((organizationId) =>
            ['1', '2'].map((key) => ({ organizationId, messageId: 'cmessage1', ...claimOf(key) })),
          );
          insertKeys(tx, keys, []);
        });
      },
      stored: (tenant) =>
        superuser.dataSource.query(
          'SELECT key_sha256, message_id, status, response AS answer FROM messaging.idempotency_key WHERE organization_id = $1 ORDER BY 1',
          [tenant],
        ),
      close: () => keep.drain(),
    };
  },
});

function nameOf({ organizationId }: Sender, key = 'key'): { organizationId: string; keySha256: string } {
  return { organizationId, keySha256: sha256(key) };
}

function summaryOf(result: AcceptResult, requests: readonly AcceptRequest[]): unknown {
  if (result.verdict !== 'conflict') return result.verdict;
  return { conflict: positionOf(result.owner, requests), body: result.owner.bodySha256 };
}

function positionOf({ messageId }: Pick<TakenKey, 'messageId'>, requests: readonly AcceptRequest[]): number {
  return requests.findIndex((request) => request.messageId === messageId);
}
