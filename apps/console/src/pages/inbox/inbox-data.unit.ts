import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { QueryClient } from '@tanstack/react-query';
import { showSent } from './inbox-data.js';

describe('a message that was sent', () => {
  const key = ['listMessages', 'thread', 'cthread0'];
  const client = new QueryClient();

  afterEach(() => {
    client.clear();
    jest.restoreAllMocks();
  });

  function given(answer: Response): void {
    client.setQueryData(key, { pages: [{ items: [] }], pageParams: [undefined] });
    jest.spyOn(globalThis, 'fetch').mockResolvedValue(answer);
  }

  it('is put into its thread', async () => {
    const message = { id: 'cmessage0', conversationId: 'cthread0' };
    given(Response.json(message));
    await showSent(client, 'cmessage0', 'cthread0');
    expect(client.getQueryData(key)).toMatchObject({ pages: [{ items: [message] }] });
    expect(client.getQueryState(key)?.isInvalidated).toBe(false);
  });

  it('is no failure when it cannot be read: the thread is read again when it is next opened', async () => {
    given(Response.json({ error: { code: 'RATE_LIMITED', message: 'Too many requests.' } }, { status: 429 }));
    await showSent(client, 'cmessage0', 'cthread0');
    expect(client.getQueryState(key)?.isInvalidated).toBe(true);
  });
});
