import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { OutcomeUnknown, type Database } from '@switchboard/postgres';
import { createLog, systemClock } from '@switchboard/platform';
import { eventually, lockWaiters, testServers } from '@switchboard/testing';
import { ReleasedLeases } from '../src/dispatch/released-leases.js';
import { AcceptMessage, type AcceptRequest } from '../src/send-message/accept-message.batch.js';
import { MessagingStore, type Sender } from './messaging-store.js';
import { silentRelay } from './silent-relay.js';

const servers = testServers();
const NEVER = new AbortController().signal;
const log = createLog('messaging', { write: () => undefined });

describe('a message whose COMMIT has no answer', () => {
  let store: MessagingStore;
  let released: ReleasedLeases;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
    released = new ReleasedLeases(store.database, systemClock, log);
    servers.onEnd(() => released.onModuleDestroy());
  });

  it.each([
    ['opted-out', suppressed],
    ['not-connected', disconnected],
    ['quota-used-up', () => ({ messagesPerMonth: 0 })],
  ])('is sent by the background although a verdict (%s) overtook it', async (verdict, change) => {
    const sender = await store.sender();
    const request = store.request(sender);
    const late = lateCommits();
    const first = acceptOver(late.database).execute(request, NEVER);
    const { messageId } = request;
    await expect(first).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', messageId, retryAfterSeconds: 1 });

    const changed = (await change(sender)) ?? {};
    const again: AcceptRequest = { ...request, ...changed, lease: newCuid() };
    expect(await acceptOver(store.database).execute(again, NEVER)).toEqual({ verdict });
    expect(await store.dispatches(request)).toEqual([]);

    await late.commit();
    await eventually(async () => (await store.dispatches(request))[0]?.state === 'RETRY');
    expect(await store.dispatches(request)).toMatchObject([{ attempts: 0, lease: request.lease }]);
  });

  it('is stored once, and sent by the background, when the next question waits for it', async () => {
    const request = store.request(await store.sender());
    const late = lateCommits();
    await expect(acceptOver(late.database).execute(request, NEVER)).rejects.toMatchObject({
      messageId: request.messageId,
    });
    const again = acceptOver(store.database).execute({ ...request, lease: newCuid() }, NEVER);
    await eventually(async () => (await lockWaiters(store.superuser)) === 1);
    await late.commit();
    expect(await again).toEqual({ verdict: 'repeated' });
    await eventually(async () => (await store.dispatches(request))[0]?.state === 'RETRY');
    expect(await store.dispatches(request)).toMatchObject([{ attempts: 0, lease: request.lease }]);
  });

  function acceptOver(database: Database): AcceptMessage {
    return new AcceptMessage(database, silentRelay, released, log);
  }

  /** The store's database, whose COMMITs are not answered and come when the test says. */
  function lateCommits(): { readonly database: Database; commit(): Promise<void> } {
    const gate = Promise.withResolvers<void>();
    const committed: Promise<unknown>[] = [];
    const transaction: Database['transaction'] = async (work) => {
      const reached = Promise.withResolvers<void>();
      const done = store.database.transaction(async (tx) => {
        const result = await work(tx);
        // What is written travels with COMMIT: until then others see nothing of it, and wait for its conversation.
        reached.resolve();
        await gate.promise;
        return result;
      });
      committed.push(done);
      await Promise.race([reached.promise, done]);
      throw new OutcomeUnknown(new Error('the connection broke'));
    };
    const commit = async (): Promise<void> => {
      gate.resolve();
      await Promise.all(committed);
    };
    return { database: { transaction } as Database, commit };
  }

  async function suppressed({ organizationId, contacts }: Sender): Promise<void> {
    await store.superuser.dataSource.query(
      `INSERT INTO messaging.suppression (organization_id, contact_id, channel_id, source) VALUES ($1, $2, '*', 'API')`,
      [organizationId, contacts[0]?.id],
    );
  }

  async function disconnected({ organizationId }: Sender): Promise<void> {
    await store.superuser.dataSource.query(
      `UPDATE messaging.channel SET status = 'DISCONNECTED' WHERE organization_id = $1`,
      [organizationId],
    );
  }
});
