import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Page } from '@switchboard/contracts/grammar/page';
import type { MessageView } from '@switchboard/contracts/messaging/http';
import { Budget } from '@switchboard/nats';
import { testServers } from '@switchboard/testing';
import fc from 'fast-check';
import { TestInbox } from '../../test/test-inbox.js';
import type { Channel } from '../channel/channel.entity.js';
import { ConversationRepository } from '../conversation/conversation.repository.js';
import { ListMessagesHandler } from './list-messages.handler.js';
import { MessagePageRepository } from './message-page.repository.js';

const servers = testServers();

const story = fc.record({
  count: fc.integer({ min: 1, max: 20 }),
  limit: fc.integer({ min: 1, max: 6 }),
  /** While the page of the same place is read. */
  happenings: fc.array(
    fc.array(fc.constantFrom('a message', 'two messages', 'a message elsewhere', 'delete the last one shown')),
    { minLength: 20, maxLength: 20 },
  ),
});

describe("a conversation's messages", () => {
  let inbox: TestInbox;
  let channel: Channel;

  beforeAll(async () => {
    inbox = await TestInbox.open(servers);
    channel = await inbox.addChannel();
  });

  function list(conversationId: string, limit: number, cursor: string | null = null): Promise<Page<MessageView>> {
    const conversations = new ConversationRepository(inbox.database);
    const handler = new ListMessagesHandler(new MessagePageRepository(inbox.database), conversations);
    const request = { conversationId, limit, cursor };
    return handler.list({ principal: inbox.principal, request, budget: new Budget(60_000) });
  }

  async function walk(conversationId: string, limit: number): Promise<MessageView[]> {
    const seen: MessageView[] = [];
    for (let cursor: string | null = null; ;) {
      const page: Page<MessageView> = await list(conversationId, limit, cursor);
      seen.push(...page.items);
      if (page.nextCursor === undefined) return seen;
      cursor = page.nextCursor;
    }
  }

  it('come newest first, each once, whatever the size of the pages', async () => {
    const [ada, eve] = [await inbox.addContact(), await inbox.addContact()];
    const texts = Array.from({ length: 12 }, (_, index) => `text ${index}`);
    for (const text of texts) {
      await inbox.receive(channel, ada, text);
      await inbox.receive(channel, eve, `other ${text}`);
    }
    const conversationId = await inbox.touch(channel, ada.id);
    for (const limit of [1, 5, 11, 12, 100]) {
      const seen = await walk(conversationId, limit);
      expect(seen.map(({ text }) => text)).toEqual([...texts].reverse());
      expect(new Set(seen.map((message) => message.conversationId))).toEqual(new Set([conversationId]));
    }
  });

  it('are shown to a walk exactly once, whatever comes meanwhile, also behind a row that is gone', async () => {
    await fc.assert(
      fc.asyncProperty(story, async ({ count, limit, happenings }) => {
        const [ada, eve] = [await inbox.addContact(), await inbox.addContact()];
        const texts = Array.from({ length: count }, (_, index) => `text ${index}`);
        await inbox.receive(channel, ada, ...texts);
        const conversationId = await inbox.touch(channel, ada.id);
        const before = (await list(conversationId, 100)).items.map(({ id }) => id);
        const happen: Readonly<Record<string, () => Promise<void>>> = {
          'a message': () => inbox.receive(channel, ada, 'new'),
          'two messages': () => inbox.receive(channel, ada, 'new', 'newer'),
          'a message elsewhere': () => inbox.receive(channel, eve, 'other'),
        };
        const shown: MessageView[] = [];
        for (let cursor: string | null | undefined = null, page = 0; cursor !== undefined; page++) {
          const now = happenings[page] ?? [];
          if (now.includes('delete the last one shown')) {
            const sql = 'DELETE FROM messaging.message WHERE organization_id = $1 AND id = $2';
            await inbox.superuser.dataSource.query(sql, [inbox.organizationId, cursor]);
          }
          const [answer]: [Page<MessageView>, ...unknown[]] = await Promise.all([
            list(conversationId, limit, cursor),
            ...now.map((what) => happen[what]?.()),
          ]);
          shown.push(...answer.items);
          cursor = answer.nextCursor;
        }
        const ids = shown.map(({ id }) => id);
        expect(ids).toEqual([...new Set(ids)].sort().reverse());
        // All that was there at first; of what came, only what was there before its page was read.
        expect(ids.slice(-count)).toEqual(before);
        expect(shown.filter((message) => message.conversationId !== conversationId)).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  it('are none behind the oldest, and a 404 where there is no such conversation in the organization', async () => {
    const contact = await inbox.addContact();
    await inbox.receive(channel, contact, 'only');
    const conversationId = await inbox.touch(channel, contact.id);
    expect(await list(conversationId, 25, 'c0000000')).toEqual({ items: [] });
    await expect(list(newCuid(), 25)).rejects.toMatchObject({ code: 'CONVERSATION_NOT_FOUND' });
    const stranger = inbox.ofAnotherOrganization();
    const conversations = new ConversationRepository(inbox.database);
    const handler = new ListMessagesHandler(new MessagePageRepository(inbox.database), conversations);
    const request = { conversationId, limit: 25, cursor: null };
    const foreign = handler.list({ principal: stranger.principal, request, budget: new Budget(60_000) });
    await expect(foreign).rejects.toMatchObject({ code: 'CONVERSATION_NOT_FOUND' });
  });

  it('are answered in parts that a message of the broker holds, none lost between them', async () => {
    const contact = await inbox.addContact();
    const long = '😀'.repeat(4_096);
    await inbox.receive(channel, contact, ...Array.from({ length: 100 }, () => long));
    const conversationId = await inbox.touch(channel, contact.id);
    const first = await list(conversationId, 100);
    expect(first.items.length).toBeLessThan(100);
    expect(Buffer.byteLength(JSON.stringify(first))).toBeLessThan(1_000_000);
    expect(await walk(conversationId, 100)).toHaveLength(100);
  });
});
