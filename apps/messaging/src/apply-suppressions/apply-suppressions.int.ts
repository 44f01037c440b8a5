import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { ContactFacts } from '@switchboard/contracts/contacts/rpc';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { statement } from '@switchboard/postgres';
import { createLog } from '@switchboard/platform';
import { eventually, lockWaiters, testServers } from '@switchboard/testing';
import { contactOf, MessagingStore, settlementOf, taken, type Sender } from '../../test/messaging-store.js';
import { projectContacts } from '../contact/contact.repository.js';
import { claimRetries, type ClaimedAttempt } from '../dispatch/retry-claim.repository.js';
import { applyFenced, ApplySuppressions } from './apply-suppressions.js';

type Client = Awaited<ReturnType<MessagingStore['superuser']['connect']>>;

const servers = testServers();
const lockPhoneSql = statement(
  'test.lock-phone',
  'SELECT FROM contact_phone WHERE organization_id = $1 ORDER BY phone FOR UPDATE',
);
const suppressedSql = statement('test.suppressed', 'SELECT FROM messaging.suppression WHERE organization_id = $1');
const log = createLog('messaging', { write: () => undefined });

describe('the fence of opt-outs', () => {
  let store: MessagingStore;
  let fence: ApplySuppressions;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
    await store.lengthenMarks();
    fence = new ApplySuppressions(store.database, log);
  });

  it('judges sends by the newest facts alone, in any order and however often they arrive', async () => {
    const sender = await store.sender();
    const steps: [ContactFacts, string][] = [
      [factsOf(sender, 3, []), 'accepted'],
      [factsOf(sender, 2, ['*']), 'accepted'],
      [factsOf(sender, 5, [sender.channelId]), 'opted-out'],
      [factsOf(sender, 4, []), 'opted-out'],
      [factsOf(sender, 5, [sender.channelId]), 'opted-out'],
      [factsOf(sender, 6, [newCuid()]), 'accepted'],
      [factsOf(sender, 7, ['*']), 'opted-out'],
      [withoutOptOuts(factsOf(sender, 9, [])), 'opted-out'],
      [factsOf(sender, 8, []), 'accepted'],
    ];
    for (const [contact, verdict] of steps) {
      await applied(sender, contact);
      expect([contact.version, await verdictOf(sender)]).toEqual([contact.version, verdict]);
      await letEverythingEnd(sender);
    }
  });

  it('makes a contact known together with its opt-outs', async () => {
    const sender = await store.sender();
    const newcomer = { id: newCuid(), phone: '+14155559998' };
    const known: Sender = { ...sender, contacts: [newcomer] };
    expect(await verdictOf(known)).toBe('contact-unknown');
    await applied(known, factsOf(known, 1, ['*']));
    expect(await verdictOf(known)).toBe('opted-out');
  });

  it('keeps an opt-out that the upstream reported until contacts confirms that it has taken it into account', async () => {
    const sender = await store.sender();
    const attempt = await store.attempt(sender);
    const optedOut = { state: 'refused', kind: 'opted-out', code: '131050', message: 'stopped' } as const;
    await store.settle(settlementOf(attempt, optedOut));
    const [event] = (await store.events(sender.organizationId)).filter(({ subject }) => subject.includes('opt-out'));
    if (!event) throw new Error('no event of an opt-out');
    const project = (contact: ContactFacts, observed: string[]): Promise<void> =>
      store.database.transaction((tx) =>
        projectContacts(tx, [{ organizationId: sender.organizationId, contact, observed }]),
      );

    await project(factsOf(sender, 2, []), []);
    await project(factsOf(sender, 3, []), [newCuid()]);
    await project(withoutOptOuts(factsOf(sender, 4, [])), [event.id]);
    expect(await verdictOf(sender)).toBe('opted-out');
    await project(factsOf(sender, 5, [sender.channelId]), [event.id]);
    expect(await verdictOf(sender)).toBe('opted-out');
    await project(factsOf(sender, 6, []), []);
    expect(await verdictOf(sender)).toBe('accepted');
  });

  it('returns when every attempt marked before has ended, also for facts that are known or older', async () => {
    const sender = await store.sender();
    const attempts = [await store.attempt(sender), await store.attempt(sender)];
    let returned = 0;
    const calls = [3, 3, 2].map(async (version) => {
      await applied(sender, factsOf(sender, version, ['*']));
      returned++;
    });
    await untilSuppressed(sender);
    const [first, second] = attempts.map((attempt) => settlementOf(attempt, taken(attempt)));
    if (!first || !second) throw new Error('two were marked');
    await store.settle(first);
    await applied(sender, factsOf(sender, 1, []));
    expect(returned).toBe(0);
    await store.settle(second);
    await Promise.all(calls);
    expect(await verdictOf(sender)).toBe('opted-out');
  });

  it('returns when what was marked before can begin no more, and refuses a caller that does not wait so long', async () => {
    const sender = await store.sender();
    const attempt = await store.attempt(sender);
    const patience = AbortSignal.timeout(100);
    const given = fence.execute(sender.organizationId, { contact: factsOf(sender, 2, ['*']) }, patience);
    await expect(given).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await verdictOf(sender)).toBe('opted-out');
    const looks = jest.spyOn(store.database, 'query');
    const returned = applied(sender, factsOf(sender, 2, ['*']));
    // In front of its second look it waited.
    await eventually(() => looks.mock.calls.length > 1);
    await store.endLengthenedMark(attempt);
    const looked = looks.mock.calls.length;
    await returned;
    // At most the look that was under way found the mark still.
    expect(looks.mock.calls.length).toBeLessThanOrEqual(looked + 1);
    looks.mockRestore();
  });

  it.each([
    ['waits for a send to a contact that is being learnt while the call comes, or refuses it', 'opted-out'],
    ['does so too when the contact has given up the number that it is learnt by', 'contact-unknown'],
  ])('%s', async (_name, refused) => {
    const sender = await store.sender();
    const [id, phone] = [newCuid(), '+14155559997'];
    const newcomer: Sender = { ...sender, contacts: [{ id, phone }] };
    const learning = await store.superuser.connect();
    const blocking = await store.superuser.connect();
    const outcomes: string[] = [];
    const gate = Promise.withResolvers<void>();
    try {
      // Learnt in a transaction that is open: no other transaction sees the row or can lock it.
      await learning.query('BEGIN');
      await learnt(learning, newcomer);
      // Stops the fence where it writes the opt-out, with the contact's row already its own.
      await blocking.query('BEGIN; LOCK TABLE messaging.suppression IN SHARE MODE');
      const facts = factsOf(newcomer, 2, ['*']);
      const phoneForms = refused === 'opted-out' ? facts.phoneForms : [];
      const fenced = applied(newcomer, { ...facts, phoneForms }).then(() => void outcomes.push('fenced'));
      await untilWaiting(1);
      await learning.query('COMMIT');
      await untilWaiting(1);
      let isJudged = false;
      const sent = store
        .accept([store.request(newcomer)], () => {
          isJudged = true;
          return gate.promise;
        })
        .then(async ([result]) => {
          outcomes.push(result?.verdict ?? 'none');
          if (result?.verdict === 'accepted') await store.settle(settlementOf(result.attempt, taken(result.attempt)));
        });
      await eventually(async () => isJudged || (await waiting()) === 2);
      // Who judges in front of the fence must be waited for; who is behind it is refused.
      const isInFront = isJudged;
      await blocking.query('COMMIT');
      if (isInFront) await Promise.race([fenced, untilWaiting(1)]);
      gate.resolve();
      await Promise.all([sent, fenced]);
      expect(isInFront ? outcomes : [...outcomes].sort()).toEqual(
        isInFront ? ['accepted', 'fenced'] : [refused, 'fenced'].sort(),
      );
    } finally {
      gate.resolve();
      for (const client of [learning, blocking]) {
        await client.query('ROLLBACK');
        client.release();
      }
    }
  });

  it('stops what is queued for a number that has become another contact’s, and waits for what was marked', async () => {
    const sender = await store.sender();
    const [first] = sender.contacts;
    if (!first) throw new Error('the sender has no contact');
    // Before the other: it would wait behind it, as they are of one conversation.
    const marked = await store.attempt(sender);
    const queued = await store.attempt(sender);
    await store.settle(settlementOf(queued, { state: 'not-taken', code: '130429', message: '', retry: 'normal' }));
    const moved = { ...factsOf(sender, 2, []), phone: '+14155559996', phoneForms: ['+14155559996'] };
    const next: Sender = { ...sender, contacts: [{ id: newCuid(), phone: first.phone }] };
    await applied(sender, moved);
    let hasReturned = false;
    const fenced = applied(next, factsOf(next, 1, ['*'])).then(() => void (hasReturned = true));
    await untilSuppressed(next);
    expect(hasReturned).toBe(false);
    await store.settle(settlementOf(marked, taken(marked)));
    await fenced;
    await store.letTimePass(queued);
    expect(await claimed()).toMatchObject([{ messageId: queued.messageId, refusal: 'opted-out' }]);
  });

  it('waits for a send that was judged by the contact that the number is taken from', async () => {
    const sender = await store.sender();
    const next: Sender = { ...sender, contacts: [{ id: newCuid(), phone: sender.contacts[0]?.phone ?? '' }] };
    const gate = Promise.withResolvers<void>();
    const request = store.request(sender);
    let isJudged = false;
    let hasReturned = false;
    let wasEarly = false;
    const sent = store.accept([request], () => {
      isJudged = true;
      return gate.promise;
    });
    await eventually(async () => isJudged);
    const fenced = applied(next, factsOf(next, 1, ['*'])).then(() => void (hasReturned = true));
    await Promise.race([fenced, untilWaiting(1)]).finally(() => {
      wasEarly = hasReturned;
      gate.resolve();
    });
    expect(wasEarly).toBe(false);
    const [result] = await sent;
    if (result?.verdict !== 'accepted') throw new Error('it was not accepted');
    // Its look comes behind the send's commit: it waits for the attempt too.
    await untilSuppressed(next);
    expect(hasReturned).toBe(false);
    await store.settle(settlementOf(result.attempt, taken(result.attempt)));
    await fenced;
  });

  it('has the claim of a repetition skip a number whose phone it holds', async () => {
    const sender = await store.sender();
    const queued = await store.attempt(sender);
    await store.settle(settlementOf(queued, { state: 'not-taken', code: '130429', message: '', retry: 'normal' }));
    await store.letTimePass(queued);
    await store.database.transaction(async (tx) => {
      await tx.query(lockPhoneSql, [sender.organizationId]);
      expect(await claimed()).toEqual([]);
    });
    expect(await claimed()).toMatchObject([{ messageId: queued.messageId, refusal: null }]);
  });

  it('has the claim of a repetition skip, not wait for, a number that it takes from another contact', async () => {
    const sender = await store.sender();
    const queued = await store.attempt(sender);
    await store.settle(settlementOf(queued, { state: 'not-taken', code: '130429', message: '', retry: 'normal' }));
    await store.letTimePass(queued);
    const next: Sender = { ...sender, contacts: [{ id: newCuid(), phone: sender.contacts[0]?.phone ?? '' }] };
    await store.database.transaction(async (tx) => {
      await applyFenced(tx, next.organizationId, { contact: factsOf(next, 1, ['*']) });
      expect(await claimed()).toEqual([]);
    });
    expect(await claimed()).toMatchObject([{ messageId: queued.messageId, refusal: 'opted-out' }]);
  });

  async function claimed(): Promise<ClaimedAttempt[]> {
    const bounds = { limit: 200, organizationMax: 200, underway: new Map<string, number>() };
    return claimRetries(store.database, [], bounds, newCuid());
  }

  function waiting(): Promise<number> {
    return lockWaiters(store.superuser);
  }

  async function untilWaiting(count: number): Promise<void> {
    await eventually(async () => (await waiting()) === count);
  }

  /** By a look at the row: a send that asked could be accepted before it, and would then have to be waited for. */
  async function untilSuppressed({ organizationId }: Sender): Promise<void> {
    await eventually(async () => (await store.superuser.query(suppressedSql, [organizationId])).length > 0);
  }

  const never = new AbortController().signal;

  async function applied(sender: Sender, contact: ContactFacts): Promise<void> {
    await fence.execute(sender.organizationId, { contact }, never);
  }

  async function verdictOf(sender: Sender): Promise<string | undefined> {
    return (await store.accept([store.request(sender)]))[0]?.verdict;
  }

  async function letEverythingEnd(sender: Sender): Promise<void> {
    await store.superuser.dataSource.query('DELETE FROM messaging.dispatch WHERE organization_id = $1', [
      sender.organizationId,
    ]);
  }
});

/** As `projectContacts` makes a contact known, in a transaction that the test ends. */
async function learnt(client: Client, { organizationId, contacts }: Sender): Promise<void> {
  for (const { id, phone } of contacts) {
    await client.query('INSERT INTO messaging.contact VALUES ($1, $2, $3, $3, NULL, 1)', [organizationId, id, phone]);
    await client.query('INSERT INTO messaging.contact_phone VALUES ($1, $2, $3, 1)', [organizationId, phone, id]);
  }
}

function factsOf({ organizationId, contacts }: Sender, version: number, channelIds: readonly string[]): ContactFacts {
  const [first] = contacts;
  if (!first) throw new Error('the sender has no contact');
  const { contact } = contactOf(organizationId, first.id, first.phone);
  return { ...contact, version, optOuts: channelIds.map((channelId) => ({ channelId, source: 'API' })) };
}

/** Facts as an older release sends them. */
function withoutOptOuts({ optOuts: _optOuts, ...contact }: ContactFacts): ContactFacts {
  return contact;
}
