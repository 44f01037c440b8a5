import { beforeAll, expect, it } from '@jest/globals';
import { testServers } from '@switchboard/testing';
import { MessagingStore, settlementOf, storeKey, taken } from './messaging-store.js';
import { claimAgain, withDispatcher } from './with-dispatcher.js';

const servers = testServers();
const notTaken = { state: 'not-taken', code: '131016', message: '', retry: 'normal' } as const;
let store: MessagingStore;
beforeAll(async () => void (store = await MessagingStore.open(servers)));

it('a process with a wrong master key disconnects no channel: the message waits for one with the right key', async () => {
  const sender = await store.sender();
  const queued = await store.attempt(sender);
  await store.settle(settlementOf(queued, notTaken));
  const channel = async (): Promise<unknown> =>
    store.superuser.dataSource.query('SELECT status FROM messaging.channel WHERE organization_id = $1', [
      sender.organizationId,
    ]);

  expect(await sendWith(Buffer.alloc(32, 9))).toBe(0);
  expect(await store.message(queued)).toMatchObject({ status: 'QUEUED', errorCode: null });
  expect(await store.dispatches(queued)).toMatchObject([{ state: 'RETRY' }]);
  expect(await channel()).toMatchObject([{ status: 'CONNECTED' }]);

  expect(await sendWith(storeKey)).toBe(1);
  expect(await store.message(queued)).toMatchObject({ status: 'SENT' });

  /** Claims the message and has it sent. @returns requests to the upstream */
  async function sendWith(key: Buffer): Promise<number> {
    await store.letTimePass(queued);
    const claimed = await claimAgain(store, queued.messageId);
    let sent = 0;
    const sendText = async () => {
      sent++;
      return taken(claimed);
    };
    await withDispatcher(store, { key, upstream: { sendText } }, (dispatcher) => dispatcher.attempt(claimed));
    return sent;
  }
});
