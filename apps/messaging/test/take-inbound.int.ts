import { beforeAll, describe, expect, it } from '@jest/globals';
import { messageReceived, type MessageEventData } from '@switchboard/contracts/messaging/events';
import { eventually, lockWaiters, testServers } from '@switchboard/testing';
import fc from 'fast-check';
import type { Channel } from '../src/channel/channel.entity.js';
import { MessagePageRepository } from '../src/list-messages/message-page.repository.js';
import { TestInbox } from './test-inbox.js';

const servers = testServers();
/** Whose it is, and its second: some are of the same one, which the upstream does not tell apart. */
const sent = fc.record({ who: fc.nat({ max: 1 }), second: fc.nat({ max: 4 }) });

describe('inbound messages that are taken together', () => {
  let inbox: TestInbox;
  let channel: Channel;
  beforeAll(async () => {
    inbox = await TestInbox.open(servers);
    channel = await inbox.addChannel();
  });

  it('are stored and emitted by the second of the upstream, in whatever order it brings them', async () => {
    const pages = new MessagePageRepository(inbox.database);
    await fc.assert(
      fc.asyncProperty(fc.array(sent, { minLength: 1, maxLength: 12 }), async (batch) => {
        const contacts = [await inbox.addContact(), await inbox.addContact()] as const;
        const brought = batch.map(({ who, second }, index) => {
          const contact = contacts[who] ?? contacts[0];
          return { contact, second, text: `${second} ${index}`, at: new Date(1_749_416_383_000 + second * 1_000) };
        });
        await inbox.take(channel, brought);
        for (const contact of contacts) {
          const own = brought.filter((one) => one.contact === contact);
          if (own.length === 0) continue;
          // Within a second as they came.
          const expected = own.toSorted((one, other) => one.second - other.second).map(({ text }) => text);
          const conversationId = await inbox.touch(channel, contact.id);
          const page = { conversationId, cursor: null, limit: 100 };
          const rows = await pages.list(inbox.organizationId, page, page.limit);
          expect(rows.toReversed().map(({ text }) => text)).toEqual(expected);
          const emitted = (await inbox.eventsOf(conversationId)).filter(
            ({ subject }) => subject === messageReceived.subject,
          );
          expect(emitted.map(({ data }) => (data as MessageEventData).message.text)).toEqual(expected);
          const [first = 0, ...more] = emitted.map(({ sequence }) => Number(sequence));
          expect(more).toEqual(more.map((_, index) => first + index + 1));
        }
      }),
      { numRuns: 40 },
    );
  });

  it('stand behind those that were taken before, whatever their second: who has read on finds them', async () => {
    const contact = await inbox.addContact();
    const at = (second: number): Date => new Date(1_749_416_383_000 + second * 1_000);
    await inbox.take(channel, [{ contact, text: 'later', at: at(60) }]);
    await inbox.take(channel, [{ contact, text: 'earlier, but brought after it', at: at(0) }]);
    const conversationId = await inbox.touch(channel, contact.id);
    const page = { conversationId, cursor: null, limit: 100 };
    const rows = await new MessagePageRepository(inbox.database).list(inbox.organizationId, page, page.limit);
    expect(rows.map(({ text }) => text)).toEqual(['earlier, but brought after it', 'later']);
  });

  it('are written in as few statements of one person as of many', async () => {
    const contacts = await Promise.all(Array.from({ length: 5 }, () => inbox.addContact()));
    const texts = contacts.map((contact) => ({ contact, text: 'hello', at: new Date() }));
    expect(await inbox.take(channel, texts.slice(0, 1))).toBe(2);
    expect(await inbox.take(channel, texts)).toBe(2);
  });

  it('are taken once, whatever month the repetition comes in, also two at the same moment', async () => {
    const contact = await inbox.addContact();
    const taken = async (): Promise<number> => {
      const conversationId = await inbox.touch(channel, contact.id);
      const page = { conversationId, cursor: null, limit: 100 };
      const repository = new MessagePageRepository(inbox.database);
      return (await repository.list(inbox.organizationId, page, page.limit)).length;
    };
    const someoneWaits = async (): Promise<boolean> => (await lockWaiters(inbox.superuser)) === 1;
    const recent = new Date(Date.now() - 20 * 86_400_000);
    for (const [index, at] of [recent, new Date(0), new Date(Date.now() + 400 * 86_400_000)].entries()) {
      const message = { contact, text: 'once', at, id: `wamid.month-${index}` };
      const second = Promise.withResolvers<unknown>();
      await inbox.take(channel, [message], async () => {
        second.resolve(inbox.take(channel, [message]));
        await eventually(someoneWaits);
      });
      await second.promise;
      await inbox.take(channel, [message]);
      expect(await taken()).toBe(index + 1);
    }
    // One that lies in another month than its time says, as those do that were taken before there were months.
    await inbox.superuser.dataSource.query(
      `INSERT INTO messaging.upstream_message (channel_id, upstream_message_id, organization_id, message_id, month)
       VALUES ($1, 'wamid.earlier', $2, 'cmessage0', messaging.cuid_floor(date_trunc('month', now() + interval '1 month', 'UTC')))`,
      [channel.id, inbox.organizationId],
    );
    await inbox.take(channel, [{ contact, text: 'again', at: recent, id: 'wamid.earlier' }]);
    expect(await taken()).toBe(3);
  });
});
