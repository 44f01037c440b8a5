import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { RpcClient } from '@switchboard/nats';
import { systemClock, type Log } from '@switchboard/platform';
import { InteractiveBegins } from '../src/bulk-lane/interactive-begins.js';
import { LaneSignal } from '../src/bulk-lane/lane-signal.js';
import { AccessTokens } from '../src/channel/access-token.js';
import { DispatchJournal } from '../src/dispatch/dispatch-journal.js';
import { Dispatcher } from '../src/dispatch/dispatcher.js';
import { claimRetries, type ClaimedAttempt } from '../src/dispatch/retry-claim.repository.js';
import { RetrySignal } from '../src/dispatch/retry-signal.js';
import { SettleDispatch } from '../src/dispatch/settle-dispatch.batch.js';
import type { Upstream } from '../src/upstream/upstream.js';
import { storeKey, type MessagingStore } from './messaging-store.js';
import { silentRelay } from './silent-relay.js';

/** Of a process whose words no test looks at. */
export const silentLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** What a dispatcher works with, as far as a test needs it. */
export interface DispatcherParts {
  readonly upstream?: Partial<Upstream>;
  readonly rpc?: Partial<RpcClient>;
  /** The master key of the process. */
  readonly key?: Buffer;
  readonly log?: Log;
}

/** Has a dispatcher of its own do something, and end. */
export async function withDispatcher(
  { database }: MessagingStore,
  { upstream, rpc = {}, key = storeKey, log = silentLog }: DispatcherParts,
  work: (dispatcher: Dispatcher) => Promise<unknown>,
): Promise<void> {
  const settlements = new SettleDispatch(database, silentRelay, new RetrySignal(), new LaneSignal(), silentLog);
  const dispatcher = new Dispatcher(
    { close: async () => undefined, ...upstream } as Upstream,
    settlements,
    new AccessTokens({ current: key, previous: null }),
    await DispatchJournal.open('', silentLog),
    rpc as RpcClient,
    new InteractiveBegins(),
    systemClock,
    new AbortController().signal,
    log,
  );
  await work(dispatcher);
  await dispatcher.onModuleDestroy();
  await settlements.beforeApplicationShutdown();
}

/** All that is due to be sent again. */
export async function claimDue({ database }: MessagingStore): Promise<ClaimedAttempt[]> {
  return claimRetries(
    database,
    [],
    { limit: 200, organizationMax: 200, underway: new Map<string, number>() },
    newCuid(),
  );
}

/** Claims a message that is to be sent again. */
export async function claimAgain(store: MessagingStore, messageId: string): Promise<ClaimedAttempt> {
  const claimed = (await claimDue(store)).find((one) => one.messageId === messageId);
  if (!claimed) throw new Error('it was not claimed');
  return claimed;
}
