import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { InfiniteQueryObserver, QueryClient, QueryObserver } from '@tanstack/react-query';
import type { Conversation } from '../../api/api.generated.js';
import { conversationsOptions, showConversation } from './inbox-data.js';
import { LiveInbox } from './live-inbox.js';

const LOOK_MS = 700;
const conversation = (id: string, status: Conversation['status'] = 'OPEN') =>
  ({ id, status, createdAt: `2026-01-01T00:00:0${9 - Number(id)}Z`, lastMessageAt: null }) as Conversation;
const answer = (ids: string, nextCursor?: string): Response =>
  Response.json({ items: [...ids].map((id) => conversation(id)), ...(nextCursor !== undefined && { nextCursor }) });

describe('the inbox that follows the stream of events', () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const options = conversationsOptions('OPEN');
  const problems: string[] = [];
  let answers: ((response: Response) => void)[];
  let inbox: LiveInbox;
  let list: InfiniteQueryObserver<never, never, never>;
  let end: () => void;

  const shown = (): string =>
    (client.getQueryData(options.queryKey)?.pages ?? [])
      .map(({ items }) => items.map(({ id, status }) => id + (status === 'OPEN' ? '' : '!')).join(''))
      .join(' ');
  const settled = (): Promise<void> => jest.advanceTimersByTimeAsync(0);
  /** Answers a request. */
  const give = async (index: number, response: Response): Promise<void> => {
    answers[index]?.(response);
    await settled();
  };
  const received = (id: string): void =>
    inbox.onEvent({
      event: 'message.received',
      data: { id, message: { id: 'cmessage', conversationId: id, contactId: `contact of ${id}` } },
    });

  beforeEach(async () => {
    jest.useFakeTimers();
    problems.length = 0;
    answers = [];
    jest.spyOn(globalThis, 'fetch').mockImplementation(() => new Promise((resolve) => answers.push(resolve)));
    inbox = new LiveInbox(client, ({ message }) => problems.push(message));
    inbox.show('OPEN');
    list = new InfiniteQueryObserver(client, options) as unknown as typeof list;
    end = list.subscribe(() => undefined);
  });

  afterEach(() => {
    inbox.end();
    end();
    client.clear();
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  it('reads the list of another status again, of which it has not seen what came', () => {
    const listOf = (status: string) => ['listConversations', 'inbox', status];
    client.setQueryData(listOf('PENDING'), { pages: [{ items: [] }], pageParams: [undefined] });
    client.setQueryData(listOf('CLOSED'), { pages: [{ items: [] }], pageParams: [undefined] });
    inbox.show('PENDING');
    const isOld = (status: string) => client.getQueryState(listOf(status))?.isInvalidated;
    expect([isOld('PENDING'), isOld('CLOSED')]).toEqual([true, false]);
  });

  it('does not undo by a next page what moved while that was read', async () => {
    await give(0, answer('12', 'after 2'));
    void list.fetchNextPage();
    showConversation(client, conversation('1', 'CLOSED'));
    showConversation(client, conversation('4', 'CLOSED'));
    await give(1, answer('345'));
    expect(shown()).toBe('2 35');
  });

  it('does not undo by a look what moved while that was under way', async () => {
    await give(0, answer('12'));
    received('1');
    await jest.advanceTimersByTimeAsync(LOOK_MS);
    showConversation(client, conversation('2', 'SNOOZED'));
    await give(1, answer('123'));
    expect(shown()).toBe('13');
  });

  it('looks one at a time, and not while the list is read', async () => {
    await give(0, answer('2', 'after 2'));
    received('1');
    await jest.advanceTimersByTimeAsync(LOOK_MS);
    received('1');
    await jest.advanceTimersByTimeAsync(3 * LOOK_MS);
    expect(answers).toHaveLength(2);
    void list.fetchNextPage();
    await give(1, answer('2', 'after 2'));
    await jest.advanceTimersByTimeAsync(3 * LOOK_MS);
    expect(answers).toHaveLength(3);
    await give(2, answer('3'));
    await jest.advanceTimersByTimeAsync(LOOK_MS);
    await give(3, answer('12', 'after 2'));
    expect(shown()).toBe('123');
  });

  it('says an outage once', async () => {
    await give(0, answer('1'));
    for (let look = 1; look <= 3; look += 1) {
      received('1');
      await jest.advanceTimersByTimeAsync(10_000);
      await give(look, Response.json({ error: { code: 'RATE_LIMITED', message: 'Too many' } }, { status: 429 }));
    }
    expect([answers.length, problems]).toEqual([4, ['Too many']]);
  });

  it('reads the contact of a message again, once for many messages, and no other', async () => {
    const read = jest.fn(() => Promise.resolve('contact'));
    const ends = ['1', '2'].map((id) =>
      new QueryObserver(client, {
        queryKey: ['getContact', { path: { id: `contact of ${id}` } }],
        queryFn: ({ queryKey }) => read().then(() => queryKey),
        staleTime: Infinity,
      }).subscribe(() => undefined),
    );
    await settled();
    for (let times = 0; times < 100; times += 1) received('1');
    await jest.advanceTimersByTimeAsync(LOOK_MS);
    expect(read).toHaveBeenCalledTimes(3);
    for (const stop of ends) stop();
  });

  it('reads a conversation again behind its event, which may be an old one', async () => {
    const queryKey = ['getConversation', { path: { id: '1' } }];
    const queryFn = jest.fn(() => Promise.resolve(conversation('1', 'PENDING')));
    const stop = new QueryObserver(client, { queryKey, queryFn, staleTime: Infinity }).subscribe(() => undefined);
    await settled();
    inbox.onEvent({ event: 'conversation.opened', data: { id: '1', conversation: conversation('1') } });
    await jest.advanceTimersByTimeAsync(LOOK_MS);
    expect(queryFn).toHaveBeenCalledTimes(2);
    expect(client.getQueryData(queryKey)).toMatchObject({ status: 'PENDING' });
    stop();
  });

  it('reads again at the start of a stream what is being read for the first time, and as many pages as it shows', async () => {
    inbox.onStart();
    await settled();
    expect(answers).toHaveLength(2);
    await give(1, answer('1', 'after 1'));
    expect(shown()).toBe('1');
    void list.fetchNextPage();
    await give(2, answer('2'));
    inbox.onStart();
    await give(3, answer('3', 'after 3'));
    await give(4, answer('4'));
    expect(shown()).toBe('3 4');
  });
});
