import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { testServers } from '@switchboard/testing';
import { callbackOf, MessagingStore, settlementOf, taken } from './messaging-store.js';
import type { Attempt } from '../src/dispatch/dispatch.entity.js';
import { abandonOverdue } from '../src/dispatch/dispatch.repository.js';
import { eraseDispatches } from '../src/erase-messages/erased-dispatch.repository.js';
import { eraseMessages } from '../src/erase-messages/erased-message.repository.js';
import { claimRetries } from '../src/dispatch/retry-claim.repository.js';
import { SETTLE_DEADLINE_MS } from '../src/dispatch/retry.policy.js';
import { findTimelineFacts } from '../src/get-timeline/timeline-facts.repository.js';
import { timelineOf } from '../src/get-timeline/timeline.policy.js';

const servers = testServers();
const HANDED = 'handed to the provider';
const unknown = { state: 'unknown', reason: 'cut' } as const;
const throttled = { state: 'not-taken', code: '130429', message: 'too many', retry: 'normal' } as const;
const leftNothing = { state: 'not-taken', code: 'UPSTREAM_UNREACHABLE', message: 'none', retry: 'not-begun' } as const;

describe('the steps of a message, as they are stored', () => {
  let store: MessagingStore;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
  });

  beforeEach(() => store.forgetDispatches());

  async function steps({ organizationId, messageId }: Attempt): Promise<string[]> {
    const facts = await findTimelineFacts(store.database, organizationId, messageId);
    if (!facts) throw new Error('there is no message');
    return timelineOf(facts).map(({ what }) => what);
  }

  /** The next attempt of a message that is to be sent again. */
  async function again(attempt: Attempt): Promise<Attempt> {
    await store.letTimePass(attempt);
    const bounds = { limit: 1, organizationMax: 1, underway: new Map<string, number>() };
    const [next] = await claimRetries(store.database, [], bounds, newCuid());
    if (next?.messageId !== attempt.messageId) throw new Error('it is not claimed');
    return next;
  }

  it('are no rows for a message that is taken at once', async () => {
    const attempt = await store.attempt(await store.sender());
    await store.settle(settlementOf(attempt, taken(attempt)));
    expect(await steps(attempt)).toEqual(['accepted', HANDED, 'sent']);
    const facts = await findTimelineFacts(store.database, attempt.organizationId, attempt.messageId);
    expect(facts?.outcomes).toEqual([]);
    expect(await findTimelineFacts(store.database, newCuid(), attempt.messageId)).toBeNull();
  });

  it('show each attempt with its code, and those that never began as one', async () => {
    const first = await store.attempt(await store.sender());
    await store.settle(settlementOf(first, throttled));
    let second = await again(first);
    for (let times = 0; times < 3; times++) {
      await store.settle(settlementOf(second, leftNothing));
      second = await again(second);
    }
    await store.settle(settlementOf(second, taken(second)));
    const facts = await findTimelineFacts(store.database, first.organizationId, first.messageId);
    expect(facts?.outcomes).toMatchObject([
      { attempt: 1, outcome: 'RETRY', code: '130429', times: 1 },
      { attempt: 2, outcome: 'UNBEGUN', code: 'UPSTREAM_UNREACHABLE', times: 3 },
    ]);
    const refused = [HANDED, 'refused', 'retry scheduled'];
    const notBegun = ['not handed to the provider', 'retry scheduled'];
    expect(await steps(first)).toEqual(['accepted', ...refused, ...notBegun, HANDED, 'sent']);
  });

  it('say that an outcome is unknown, before what settles it and when that was faster', async () => {
    const sender = await store.sender(2);
    const [slow, fast] = [await store.attempt(sender, 0), await store.attempt(sender, 1)];
    await store.settle(settlementOf(slow, unknown));
    expect(await steps(slow)).toEqual(['accepted', HANDED, 'outcome unknown']);
    await store.callbacks(callbackOf(sender, slow, { status: 'delivered' }));
    await store.callbacks(callbackOf(sender, fast, { status: 'delivered' }));
    await store.settle(settlementOf(fast, unknown));
    const settled = ['accepted', HANDED, 'outcome unknown', 'sent', 'delivered'];
    expect([await steps(slow), await steps(fast)]).toEqual([settled, settled]);
  });

  it('hold an attempt once that a batch settles twice, behind evidence and before it', async () => {
    const sender = await store.sender(2);
    const [known, open] = [await store.attempt(sender, 0), await store.attempt(sender, 1)];
    await store.callbacks(callbackOf(sender, known, { status: 'delivered' }));
    await store.settle(...[known, open, known, open].map((attempt) => settlementOf(attempt, unknown)));
    expect(await steps(known)).toEqual(['accepted', HANDED, 'outcome unknown', 'sent', 'delivered']);
    expect(await steps(open)).toEqual(['accepted', HANDED, 'outcome unknown']);
  });

  it('hold what the holder of an attempt says, after its lease ended as unknown', async () => {
    const attempt = await store.attempt(await store.sender());
    await store.letTimePass(attempt);
    await abandonOverdue(store.database, 100, SETTLE_DEADLINE_MS);
    expect(await steps(attempt)).toEqual(['accepted', HANDED, 'outcome unknown']);
    await store.settle(settlementOf(attempt, throttled));
    expect(await steps(attempt)).toEqual(['accepted', HANDED, 'refused', 'retry scheduled']);
  });

  it('blame no attempt for the failure of a message that an erasure stopped, and keep its reason', async () => {
    const attempt = await store.attempt(await store.sender());
    await store.settle(settlementOf(attempt, throttled));
    const { organizationId, contactId } = attempt;
    const erasedAt = new Date();
    const sql = 'INSERT INTO messaging.erasure (organization_id, contact_id, erased_at) VALUES ($1, $2, $3)';
    await store.superuser.dataSource.query(sql, [organizationId, contactId, erasedAt]);
    const numbers = { phoneForms: [], upstreamUserIds: [], upstreamNames: [], formerNames: [] };
    const target = { organizationId, contactId, erasedAt, passes: 0, ...numbers, keepOn: () => Promise.resolve() };
    expect(await eraseDispatches(store.database, target, erasedAt)).toBe(true);
    await eraseMessages(store.database, target);
    expect(await steps(attempt)).toEqual(['accepted', HANDED, 'refused', 'retry scheduled', 'failed']);
    const facts = await findTimelineFacts(store.database, organizationId, attempt.messageId);
    expect(facts?.message).toMatchObject({
      text: null,
      errorCode: 'ERASED',
      errorMessage: 'The contact was erased before the message was handed over',
    });
    expect(facts && timelineOf(facts).at(-1)?.detail).toContain('the contact was erased before it was handed over');
  });
});
