import { beforeAll, describe, expect, it } from '@jest/globals';
import type { AppBody, AppClient } from '@switchboard/testing/app-client';
import { eventually } from '@switchboard/testing/eventually';
import { signedInClient } from './app-client.js';
import { personOf } from './people.js';
import { sharedStack } from './shared-stack.js';
import type { UsableStack } from './start-everything.js';

const FROM = '+4915123459771';
const SOON = { deadlineMs: 60_000 };

describe('the sandbox of the local run', () => {
  let all: UsableStack;
  let page: AppClient;
  let stranger: AppClient;

  beforeAll(async () => {
    all = await sharedStack();
    page = await signedInClient(all.baseUrl, personOf(all.stack, 'MEMBER'));
    stranger = await signedInClient(all.baseUrl, personOf(all.stack, 'MEMBER', 2));
  });

  const messagesOf = async (conversationId: unknown): Promise<readonly AppBody[]> =>
    (await page.get(`/app/api/conversations/${String(conversationId)}/messages`)).body?.items ?? [];

  it('lets a member answer what a recipient wrote, the recipient read it, opt out and in', async () => {
    expect((await page.get('/app/api/sandbox')).body?.['recipients']).toHaveLength(14);
    const text = `Is anyone there ${Date.now()}`;
    expect((await page.post('/app/api/sandbox/inbound', { from: FROM, name: 'Ada', text })).status).toBe(204);
    const inbound = await eventually(async () => {
      const { body } = await page.get('/app/api/messages?direction=INBOUND&limit=20');
      return body?.items?.find((one) => one['text'] === text);
    }, SOON);
    const reply = await page.post('/app/api/messages', { to: FROM, text: 'Yes' });
    expect([reply.status, reply.body?.['conversationId']]).toEqual([200, inbound['conversationId']]);
    // Nothing can be read before the provider has it.
    await eventually(
      async () => (await page.post('/app/api/sandbox/read', { messageId: reply.body?.id })).status === 204,
      SOON,
    );
    await eventually(async () => {
      const [newest] = await messagesOf(inbound['conversationId']);
      return newest?.['status'] === 'READ';
    }, SOON);
    for (const [value, isOptedOut] of [
      ['stop', true],
      ['resume', false],
    ] as const) {
      expect((await page.post('/app/api/sandbox/preferences', { from: FROM, value })).status).toBe(204);
      await eventually(async () => {
        const { body } = await page.get(`/app/api/opt-outs?phone=${encodeURIComponent(FROM)}`);
        return (body?.items ?? []).length > 0 === isOptedOut;
      }, SOON);
    }
  });

  it('reaches no channel and no message of another organization, and nothing that is none', async () => {
    const { body } = await page.get('/app/api/channels');
    const messagingChannelId = body?.items?.[0]?.id;
    const foreign = await stranger.post('/app/api/sandbox/inbound', { from: FROM, text: 'x', messagingChannelId });
    expect([foreign.status, foreign.body?.error?.code]).toEqual([404, 'CHANNEL_NOT_FOUND']);
    const messages = await page.get('/app/api/messages?direction=OUTBOUND&limit=1');
    const read = await stranger.post('/app/api/sandbox/read', { messageId: messages.body?.items?.[0]?.id });
    expect([read.status, read.body?.error?.code]).toEqual([404, 'MESSAGE_NOT_FOUND']);
    for (const bad of [{ from: 'no number', text: 'x' }, { from: FROM }, { from: FROM, text: '' }, { text: 'x' }]) {
      expect((await page.post('/app/api/sandbox/inbound', bad)).status).toBe(400);
    }
    const inbound = await page.get('/app/api/messages?direction=INBOUND&limit=1');
    const unread = await page.post('/app/api/sandbox/read', { messageId: inbound.body?.items?.[0]?.id });
    expect([unread.status, unread.body?.error?.code]).toEqual([409, 'CONFLICT']);
  });
});
