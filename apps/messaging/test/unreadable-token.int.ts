import { beforeAll, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { RpcClient } from '@switchboard/nats';
import { systemClock, type Log } from '@switchboard/platform';
import { testServers } from '@switchboard/testing';
import { InteractiveBegins } from '../src/bulk-lane/interactive-begins.js';
import { LaneSignal } from '../src/bulk-lane/lane-signal.js';
import { AccessTokens } from '../src/channel/access-token.js';
import { DispatchJournal } from '../src/dispatch/dispatch-journal.js';
import { Dispatcher } from '../src/dispatch/dispatcher.js';
import { claimRetries } from '../src/dispatch/retry-claim.repository.js';
import { RetrySignal } from '../src/dispatch/retry-signal.js';
import { SettleDispatch } from '../src/dispatch/settle-dispatch.batch.js';
import type { Upstream } from '../src/upstream/upstream.js';
import { MessagingStore, settlementOf, storeKey, taken } from './messaging-store.js';
import { silentRelay } from './silent-relay.js';

const servers = testServers();
const log: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
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

  expect(await sendWith(Buffer.alloc(32, 9), queued.messageId)).toBe(0);
  expect(await store.message(queued)).toMatchObject({ status: 'QUEUED', errorCode: null });
  expect(await store.dispatches(queued)).toMatchObject([{ state: 'RETRY' }]);
  expect(await channel()).toMatchObject([{ status: 'CONNECTED' }]);

  expect(await sendWith(storeKey, queued.messageId)).toBe(1);
  expect(await store.message(queued)).toMatchObject({ status: 'SENT' });

  /** Claims the message and has it sent. @returns requests to the upstream */
  async function sendWith(key: Buffer, messageId: string): Promise<number> {
    await store.letTimePass(queued);
    const bounds = { limit: 200, organizationMax: 200, underway: new Map<string, number>() };
    const claimed = (await claimRetries(store.database, [], bounds, newCuid())).find(
      (one) => one.messageId === messageId,
    );
    if (!claimed) throw new Error('it was not claimed');
    let sent = 0;
    const sendText = async () => {
      sent++;
      return taken(claimed);
    };
    const dispatcher = new Dispatcher(
      { close: async () => undefined, sendText } as Partial<Upstream> as Upstream,
      new SettleDispatch(store.database, silentRelay, new RetrySignal(), new LaneSignal(), log),
      new AccessTokens({ current: key, previous: null }),
      await DispatchJournal.open('', log),
      {} as RpcClient,
      new InteractiveBegins(),
      systemClock,
      new AbortController().signal,
      log,
    );
    await dispatcher.attempt(claimed);
    await dispatcher.onModuleDestroy();
    return sent;
  }
});
