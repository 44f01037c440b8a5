import { beforeAll, describe, expect, it } from '@jest/globals';
import { contactsErrors } from '@switchboard/contracts/contacts/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { RpcClient } from '@switchboard/nats';
import { testServers } from '@switchboard/testing';
import { projectContacts } from '../src/contact/contact.repository.js';
import type { ClaimedAttempt } from '../src/dispatch/retry-claim.repository.js';
import { ForgetContact } from '../src/erase-messages/forget-contact.js';
import { unknownItems } from '../src/resolve-bulk-contacts/unknown-items.repository.js';
import { attemptsOf, LaneStore, type Job } from './lane-store.js';
import { contactOf, MessagingStore, settlementOf, taken, type Sender } from './messaging-store.js';
import { silentRelay } from './silent-relay.js';
import { claimDue, silentLog, withDispatcher } from './with-dispatcher.js';

const servers = testServers();
const notTaken = { state: 'not-taken', code: '131016', message: '', retry: 'normal' } as const;

describe('behind the fence of erasures, before the event of the erasure has come', () => {
  let store: MessagingStore;
  let lanes: LaneStore;
  let fence: ForgetContact;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
    lanes = new LaneStore(store);
    fence = new ForgetContact(store.database, silentRelay);
  });

  it('a message that is to be sent again is not: it fails as the erasure would have it fail', async () => {
    const sender = await store.sender();
    const queued = await store.attempt(sender);
    await store.settle(settlementOf(queued, notTaken));
    await store.letTimePass(queued);
    await forget(sender);
    const [claimed, ...others] = await claimOf(sender);
    expect([claimed?.refusal, others]).toEqual(['erased', []]);
    if (!claimed) throw new Error('nothing was claimed');
    await refuse(claimed);
    expect(await store.message(queued)).toMatchObject({ status: 'FAILED', errorCode: 'ERASED' });
    expect(await store.dispatches(queued)).toEqual([]);
  });

  it('that it was erased counts before that its channel is disconnected', async () => {
    const sender = await store.sender();
    const queued = await store.attempt(sender);
    await store.settle(settlementOf(queued, notTaken));
    await store.letTimePass(queued);
    await lanes.run("UPDATE messaging.channel SET status = 'DISCONNECTED' WHERE id = $1", [sender.channelId]);
    await forget(sender);
    expect((await claimOf(sender)).map(({ refusal }) => refusal)).toEqual(['erased']);
  });

  it('a message of a bulk send that is to be sent again is not either', async () => {
    await lanes.forgetOthers();
    const sender = await store.sender(1);
    const job = lanes.job(sender);
    await lanes.submit(job);
    const [first] = attemptsOf(await lanes.claim(), job);
    if (!first) throw new Error('nothing was claimed');
    await store.settle(settlementOf(first, notTaken));
    await store.letTimePass(first);
    await forget(sender);
    await lanes.letPass(10_000);
    await lanes.look();
    expect(attemptsOf(await lanes.claim(), job)).toMatchObject([{ messageId: first.messageId, refusal: 'erased' }]);
  });

  it('a recipient that waits is skipped, and no contact is made for the number', async () => {
    await lanes.forgetOthers();
    const sender = await store.sender(2);
    const job = lanes.job(sender);
    await lanes.submit(job);
    await forget(sender);
    expect(await lanes.states(job)).toEqual({ SKIPPED: 1, WAITING: 1 });
    expect(await skipsOf(job)).toEqual([{ recipientIndex: 0, reason: 'JOB_CANCELED', isErased: true }]);
    const unknown = await unknownItems(store.database, { behind: null, lanes: [] }, { organizations: 100, each: 100 });
    expect(unknown.filter(({ jobId }) => jobId === job.jobId)).toEqual([]);
    // Whoever has the number next is somebody else: the job was accepted before.
    const next = contactOf(sender.organizationId, newCuid(), sender.contacts[0]?.phone ?? '');
    await store.database.transaction((tx) => projectContacts(tx, [next]));
    expect(attemptsOf(await lanes.claim(), job)).toMatchObject([{ contactId: sender.contacts[1]?.id }]);
  });

  it('a caller of the release before, who names no numbers, is served as before', async () => {
    const sender = await store.sender(1);
    const job = lanes.job(sender);
    await lanes.submit(job);
    await fence.execute(sender.organizationId, { contactId: sender.contacts[0]?.id ?? '', version: 2 });
    expect(await lanes.states(job)).toEqual({ WAITING: 1 });
  });

  it('an answer that names another id of the recipient is of the contact that was sent to, which may be erased by then', async () => {
    const sender = await store.sender();
    const attempt = await store.attempt(sender);
    const asked: unknown[] = [];
    const errors: unknown[] = [];
    const call = async (_rpc: unknown, _principal: unknown, request: unknown): Promise<never> => {
      asked.push(request);
      throw new AppError(contactsErrors.CONTACT_NOT_FOUND);
    };
    const sendText = async () => ({ ...taken(attempt), messagingId: '14155559999' }) as const;
    const parts = {
      upstream: { sendText },
      rpc: { call: call as RpcClient['call'] },
      log: { ...silentLog, error: (event: unknown) => void errors.push(event) },
    };
    await withDispatcher(store, parts, (dispatcher) => dispatcher.attempt(attempt));
    const { contactId, recipientPhone: phone } = attempt;
    const sightings = [{ contactId, phone, profileName: null, messagingId: '14155559999' }];
    expect([asked, errors]).toEqual([[{ sightings }], []]);
  });

  /** Has the fence forget the sender's first contact. */
  async function forget({ organizationId, contacts: [first] }: Sender): Promise<void> {
    if (!first) throw new Error('the sender has no contact');
    const names = { phoneForms: [first.phone], former: [], erasedAt: new Date(Date.now() + 1_000).toISOString() };
    await fence.execute(organizationId, { contactId: first.id, version: 2, names });
  }

  async function claimOf({ organizationId }: Sender): Promise<ClaimedAttempt[]> {
    return (await claimDue(store)).filter((one) => one.organizationId === organizationId);
  }

  async function refuse({ refusal, ...attempt }: ClaimedAttempt): Promise<void> {
    if (!refusal) throw new Error('it may be made');
    await withDispatcher(store, {}, (dispatcher) => dispatcher.refuse(attempt, refusal));
  }

  async function skipsOf({ sender, jobId }: Job): Promise<unknown[]> {
    const events = await store.events(sender.organizationId);
    return events
      .filter(({ subject, aggregateId }) => subject.includes('bulk-item.skipped') && aggregateId === jobId)
      .map(({ data }) => {
        const { recipientIndex, reason, isErased } = data as Record<string, unknown>;
        return { recipientIndex, reason, isErased };
      });
  }
});
