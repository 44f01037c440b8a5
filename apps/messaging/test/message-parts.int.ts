import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { MessageEventData } from '@switchboard/contracts/messaging/events';
import type { TemplateParameters } from '@switchboard/contracts/messaging/template-parameters';
import { testServers } from '@switchboard/testing';
import { insertDispatches } from '../src/dispatch/dispatch.repository.js';
import { claimRetries } from '../src/dispatch/retry-claim.repository.js';
import { insertMessages } from '../src/message/message.repository.js';
import { messageView } from '../src/message/message-view.js';
import { callbackOf, MessagingStore, settlementOf, taken } from './messaging-store.js';

const servers = testServers();

describe('what an integrator or a job adds to a message', () => {
  let store: MessagingStore;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
  });

  async function shownIn(conversationId: string): Promise<MessageEventData[]> {
    const events = await store.eventsOfConversation(conversationId);
    return events.flatMap(({ data }) => ('message' in (data as object) ? [data as MessageEventData] : []));
  }

  it('is stored and in every event of the message, as the API shows it', async () => {
    const sender = await store.sender();
    const parts = { clientReference: 'order-4711', metadata: { note: '', 'campaign 😀': 'spring' } };
    const [result] = await store.accept([{ ...store.request(sender), ...parts }]);
    if (result?.verdict !== 'accepted') throw new Error('not accepted');
    await store.settle(settlementOf(result.attempt, taken(result.attempt)));
    await store.callbacks(callbackOf(sender, result.attempt, { status: 'read' }));
    expect(messageView(await store.message(result.attempt))).toMatchObject({ ...parts, jobId: null, status: 'READ' });
    const events = await shownIn(result.conversationId);
    expect(events).toHaveLength(4);
    for (const event of events) {
      expect(event.message).toMatchObject({ ...parts, jobId: null });
      expect(event).not.toHaveProperty('recipientIndex');
    }
  });

  it('is null, an empty object and null where there is nothing', async () => {
    const sender = await store.sender();
    const attempt = await store.attempt(sender);
    const nothing = { clientReference: null, metadata: {}, jobId: null, template: null };
    const message = await store.message(attempt);
    expect(messageView(message)).toMatchObject(nothing);
    expect(message.metadata).toBeNull();
    expect((await shownIn(message.conversationId)).map(({ message: shown }) => shown)).toMatchObject([nothing]);
  });

  it('of a job names the recipient in events alone, and its template is claimed with what fills it', async () => {
    const sender = await store.sender();
    const first = await store.message(await store.attempt(sender));
    await store.forgetDispatches();
    const { organizationId, conversationId, contactId, channelId } = first;
    const template = { id: newCuid(), name: 'order_shipped', language: 'en_US' };
    const parameters: TemplateParameters = { header: null, body: [{ name: null, text: 'Ada' }], buttons: [] };
    const jobId = newCuid();
    const id = newCuid();
    await store.database.transaction(async (tx) => {
      insertMessages(tx, [
        {
          organizationId,
          id,
          conversationId,
          contactId,
          channelId,
          direction: 'OUTBOUND',
          type: 'TEMPLATE',
          unsupportedType: null,
          text: 'Hello Ada',
          status: 'QUEUED',
          upstreamMessageId: null,
          traceparent: null,
          template,
          clientReference: 'c-7',
          metadata: { row: '7' },
          jobId,
          recipientIndex: 7,
        },
      ]);
      const recipientPhone = sender.contacts[0]?.phone ?? '';
      const row = { organizationId, messageId: id, channelId, contactId, recipientPhone, attempts: 1, lease: 'l' };
      insertDispatches(tx, [{ ...row, waits: true, lane: null, template: { ...template, parameters } }]);
    });
    const bounds = { limit: 10, organizationMax: 10, underway: new Map<string, number>() };
    const [claimed] = await claimRetries(store.database, [], bounds, 'mine');
    expect(claimed?.template).toEqual({ name: 'order_shipped', language: 'en_US', parameters });
    if (!claimed) throw new Error('not claimed');
    await store.settle(settlementOf(claimed, taken(claimed)));
    const sent = (await shownIn(conversationId)).at(-1);
    expect(sent).toMatchObject({
      recipientIndex: 7,
      message: { id, jobId, template, type: 'TEMPLATE', metadata: { row: '7' } },
    });
    expect(sent?.message).not.toHaveProperty('recipientIndex');
  });
});
