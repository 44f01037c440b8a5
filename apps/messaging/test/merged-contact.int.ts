import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ContactFacts } from '@switchboard/contracts/contacts/rpc';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { createLog } from '@switchboard/platform';
import { eventually, testServers } from '@switchboard/testing';
import { projectContacts } from '../src/contact/contact.repository.js';
import type { Attempt } from '../src/dispatch/dispatch.entity.js';
import { claimRetries, type ClaimedAttempt } from '../src/dispatch/retry-claim.repository.js';
import { forgetContacts } from '../src/erase-messages/erased-contact.repository.js';
import { ApplySuppressions } from '../src/apply-suppressions/apply-suppressions.js';
import { contactOf, MessagingStore, settlementOf, taken, type Sender } from './messaging-store.js';

const servers = testServers();
const log = createLog('messaging', { write: () => undefined });
const notTaken = { state: 'not-taken', code: '130429', message: '', retry: 'normal' } as const;
const patience = (): AbortSignal => AbortSignal.timeout(30_000);

describe('what is queued for a contact that was merged into another', () => {
  let store: MessagingStore;
  let fence: ApplySuppressions;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
    await store.lengthenMarks();
    fence = new ApplySuppressions(store.database, log);
  });

  it('obeys the opt-outs of the one that goes on, which it had before', async () => {
    const { sender, queued, former, goingOn } = await queuedFor(2);
    await project(sender, { ...goingOn, version: 2, optOuts: [{ channelId: '*', source: 'API' }] });
    await project(sender, mergedInto(former, goingOn.id));
    expect(await claimed(queued)).toEqual(['opted-out']);
  });

  it('obeys those of the last of a chain, whose middle is erased', async () => {
    const { sender, queued, former, goingOn, last } = await queuedFor(3);
    await project(sender, mergedInto(goingOn, last.id));
    await project(sender, mergedInto(former, goingOn.id));
    const { organizationId } = sender;
    await store.database.transaction((tx) =>
      forgetContacts(tx, [{ organizationId, contactId: goingOn.id, version: 9 }]),
    );
    await fence.execute(organizationId, { contact: optedOut(last) }, patience());
    expect(await claimed(queued)).toEqual(['opted-out']);
  });

  it('obeys an opt-out call that has returned, though messaging had not heard of the merge', async () => {
    const { sender, queued, former, goingOn } = await queuedFor(2);
    const merged = [mergedInto(former, goingOn.id)];
    await fence.execute(sender.organizationId, { contact: optedOut(goingOn), merged }, patience());
    expect(await claimed(queued)).toEqual(['opted-out']);
  });

  it('is waited for by such a call when it is marked', async () => {
    const sender = await store.sender(2);
    const [former, goingOn] = factsOf(sender);
    const marked = await store.attempt(sender);
    let hasReturned = false;
    const facts = { contact: optedOut(goingOn), merged: [mergedInto(former, goingOn.id)] };
    const fenced = fence.execute(sender.organizationId, facts, patience()).then(() => void (hasReturned = true));
    const sql = 'SELECT FROM messaging.suppression WHERE organization_id = $1';
    await eventually(async () => (await store.superuser.dataSource.query(sql, [sender.organizationId])).length > 0);
    expect(hasReturned).toBe(false);
    await store.settle(settlementOf(marked, taken(marked)));
    await fenced;
  });

  it('is to an erased contact once the last of a chain is', async () => {
    const { sender, queued, former, goingOn, last } = await queuedFor(3);
    await project(sender, mergedInto(goingOn, last.id));
    await project(sender, mergedInto(former, goingOn.id));
    const { organizationId } = sender;
    await store.database.transaction((tx) => forgetContacts(tx, [{ organizationId, contactId: last.id, version: 9 }]));
    expect(await claimed(queued)).toEqual(['erased']);
  });

  it('is sent while none of them is opted out', async () => {
    const { sender, queued, former, goingOn } = await queuedFor(2);
    await project(sender, mergedInto(former, goingOn.id));
    expect(await claimed(queued)).toEqual([null]);
  });

  type Facts = readonly [ContactFacts, ContactFacts, ContactFacts];

  /** A message to the first contact of a new sender that is to be sent again. */
  async function queuedFor(contacts: number) {
    const sender = await store.sender(contacts);
    const queued = await store.attempt(sender);
    await store.settle(settlementOf(queued, notTaken));
    await store.letTimePass(queued);
    const [former, goingOn, last] = factsOf(sender);
    return { sender, queued, former, goingOn, last };
  }

  function factsOf({ organizationId, contacts }: Sender): Facts {
    const of = (n: number): ContactFacts =>
      contactOf(organizationId, contacts[n]?.id ?? newCuid(), contacts[n]?.phone ?? '').contact;
    return [of(0), of(1), of(2)];
  }

  const optedOut = (facts: ContactFacts): ContactFacts => ({
    ...facts,
    version: 2,
    optOuts: [{ channelId: '*', source: 'API' }],
  });
  const mergedInto = (facts: ContactFacts, id: string): ContactFacts => ({
    ...facts,
    version: 2,
    phoneForms: [],
    mergedInto: id,
  });

  async function project({ organizationId }: Sender, contact: ContactFacts): Promise<void> {
    await store.database.transaction((tx) => projectContacts(tx, [{ organizationId, contact }], 'event'));
  }

  /** Why the attempt must not be made; nothing when it was not claimed. */
  async function claimed({ messageId }: Attempt): Promise<ClaimedAttempt['refusal'][]> {
    const bounds = { limit: 200, organizationMax: 200, underway: new Map<string, number>() };
    const all = await claimRetries(store.database, [], bounds, newCuid());
    return all.filter((one) => one.messageId === messageId).map(({ refusal }) => refusal);
  }
});
