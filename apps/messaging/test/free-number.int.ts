import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ContactFacts } from '@switchboard/contracts/contacts/rpc';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { RpcClient, RpcLimits } from '@switchboard/nats';
import { testServers } from '@switchboard/testing';
import { projectContacts } from '../src/contact/contact.repository.js';
import type { Attempt } from '../src/dispatch/dispatch.entity.js';
import { contactOf, MessagingStore, settlementOf, taken, type Sender } from './messaging-store.js';
import { claimAgain, withDispatcher } from './with-dispatcher.js';

const servers = testServers();
const notTaken = { state: 'not-taken', code: '131016', message: '', retry: 'normal' } as const;
type OptOuts = ContactFacts['optOuts'];
let store: MessagingStore;
beforeAll(async () => void (store = await MessagingStore.open(servers)));

describe('a message that is to be sent again to a number which its contact has given up', () => {
  it.each([
    ['every channel', () => '*'],
    ['its channel', (sender: Sender) => sender.channelId],
  ])('is not sent when contacts has an opt-out of %s for whoever has it next', async (_, channelOf) => {
    const { sender, queued } = await queuedTo('given up');
    const optOuts: OptOuts = [{ channelId: channelOf(sender), source: 'KEYWORD' }];
    const { asked, sent } = await sendAgain(queued, async () => optOuts);
    const sighting = { phone: queued.recipientPhone, profileName: null, messagingId: null, hasNoOwner: true };
    expect([asked, sent]).toEqual([[{ sightings: [sighting] }], 0]);
    expect(await store.message(queued)).toMatchObject({ status: 'FAILED', errorCode: 'CONTACT_OPTED_OUT' });
  });

  it('is sent when contacts has none for its channel', async () => {
    const { queued } = await queuedTo('given up');
    const { sent } = await sendAgain(queued, async () => [{ channelId: newCuid(), source: 'API' }]);
    expect([sent, (await store.message(queued)).status]).toEqual([1, 'SENT']);
  });

  it('waits while contacts does not answer', async () => {
    const { queued } = await queuedTo('given up');
    const { sent } = await sendAgain(queued, () => Promise.reject(new Error('away')));
    expect([sent, (await store.message(queued)).status]).toEqual([0, 'QUEUED']);
    expect(await store.dispatches(queued)).toMatchObject([{ state: 'RETRY' }]);
  });

  it('asks contacts for no longer than a process that stops may wait', async () => {
    const { queued } = await queuedTo('given up');
    const { leftMs } = await sendAgain(queued, () => Promise.reject(new Error('away')));
    expect(leftMs.map((ms) => ms !== undefined && ms < 3_000)).toEqual([true]);
  });

  it('asks for none that its contact has', async () => {
    const { queued } = await queuedTo('kept');
    const { asked, sent } = await sendAgain(queued, () => Promise.reject(new Error('away')));
    expect([asked, sent]).toEqual([[], 1]);
  });
});

async function queuedTo(number: 'given up' | 'kept'): Promise<{ sender: Sender; queued: Attempt }> {
  const sender = await store.sender();
  const queued = await store.attempt(sender);
  await store.settle(settlementOf(queued, notTaken));
  await store.letTimePass(queued);
  const known = contactOf(sender.organizationId, queued.contactId, queued.recipientPhone);
  const contact = { ...known.contact, version: 2, phoneForms: [] };
  if (number === 'given up')
    await store.database.transaction((tx) => projectContacts(tx, [{ ...known, contact }], 'event'));
  return { sender, queued };
}

/** Claims the message and has it sent. @param optOuts that contacts answers of the number */
async function sendAgain(
  { messageId }: Attempt,
  optOuts: () => Promise<OptOuts>,
): Promise<{
  readonly asked: readonly unknown[];
  /** Of the time for each answer. */
  readonly leftMs: readonly (number | undefined)[];
  readonly sent: number;
}> {
  const claimed = await claimAgain(store, messageId);
  expect(claimed.refusal).toBeNull();
  const asked: unknown[] = [];
  const leftMs: (number | undefined)[] = [];
  const call = async (_rpc: unknown, _principal: unknown, request: unknown, limits?: RpcLimits): Promise<unknown> => {
    asked.push(request);
    leftMs.push(limits?.budget?.leftMs);
    return { contacts: [{ optOuts: await optOuts() }] };
  };
  let sent = 0;
  const sendText = async () => {
    sent++;
    return taken(claimed);
  };
  const rpc = { call: call as RpcClient['call'] };
  await withDispatcher(store, { upstream: { sendText }, rpc }, (dispatcher) => dispatcher.attempt(claimed));
  return { asked, leftMs, sent };
}
