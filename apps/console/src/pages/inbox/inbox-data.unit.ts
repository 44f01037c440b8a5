import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { InfiniteQueryObserver, QueryClient, QueryObserver } from '@tanstack/react-query';
import type { Conversation, Message } from '../../api/api.generated.js';
import { showConversation, showMessage, showSent, threadOptions } from './inbox-data.js';

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

describe('a thread that is read while the stream of events shows more', () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const options = threadOptions('cthread0');
  const message = (id: string, status: Message['status']) => ({ id, status, conversationId: 'cthread0' }) as Message;
  const shown = (): string[] =>
    (client.getQueryData(options.queryKey)?.pages ?? []).flatMap(({ items }) =>
      items.map(({ id, status }) => `${id} ${status}`),
    );

  afterEach(() => {
    client.clear();
    jest.restoreAllMocks();
  });

  /** Begins to read the thread. @returns lets the answer come */
  function reading(): (...items: readonly Message[]) => Promise<void> {
    let answer: (response: Response) => void = () => undefined;
    jest.spyOn(globalThis, 'fetch').mockReturnValue(new Promise((resolve) => (answer = resolve)));
    const read = client.fetchInfiniteQuery({ ...options, staleTime: 0 });
    return async (...items) => {
      answer(Response.json({ items }));
      await read;
    };
  }

  it('does not step back behind a later status, and shows a later one', async () => {
    await reading()(message('c2', 'SENT'), message('c1', 'SENT'));
    const answer = reading();
    showMessage(client, message('c1', 'DELIVERED'));
    await answer(message('c2', 'READ'), message('c1', 'SENT'));
    expect(shown()).toEqual(['c2 READ', 'c1 DELIVERED']);
    showMessage(client, message('c2', 'QUEUED'));
    expect(shown()).toEqual(['c2 READ', 'c1 DELIVERED']);
  });

  it('keeps a message that came meanwhile, even when it is read for the first time', async () => {
    const first = reading();
    showMessage(client, message('c2', 'RECEIVED'));
    expect(client.getQueryState(options.queryKey)?.dataUpdatedAt).toBe(0);
    await first(message('c1', 'SENT'));
    expect(shown()).toEqual(['c2 RECEIVED', 'c1 SENT']);
    const second = reading();
    showMessage(client, message('c3', 'RECEIVED'));
    await second(message('c2', 'RECEIVED'), message('c1', 'SENT'));
    expect(shown()).toEqual(['c3 RECEIVED', 'c2 RECEIVED', 'c1 SENT']);
  });

  it('leaves a message that is older than what was loaded to its own page', () => {
    const page = { items: [message('c9', 'SENT'), message('c8', 'SENT')], nextCursor: 'after c8' };
    client.setQueryData(options.queryKey, { pages: [page], pageParams: [undefined] });
    showMessage(client, message('c1', 'READ'));
    expect(shown()).toEqual(['c9 SENT', 'c8 SENT']);
  });

  it('is read when it is opened again, where its first reading was given up behind a message', async () => {
    const observer = new InfiniteQueryObserver(client, options);
    const fetch = jest.spyOn(globalThis, 'fetch').mockReturnValue(new Promise(() => undefined));
    const end = observer.subscribe(() => undefined);
    showMessage(client, message('c2', 'RECEIVED'));
    end();
    fetch.mockResolvedValue(Response.json({ items: [message('c2', 'RECEIVED'), message('c1', 'SENT')] }));
    const endAgain = observer.subscribe(() => undefined);
    while (client.isFetching() > 0) await new Promise(setImmediate);
    expect(shown()).toEqual(['c2 RECEIVED', 'c1 SENT']);
    endAgain();
  });

  it('is not begun by a message', () => {
    showMessage(client, message('c1', 'SENT'));
    expect(client.getQueryState(options.queryKey)).toBeUndefined();
  });
});

describe('a conversation that changes while it is read', () => {
  const client = new QueryClient();
  const conversation = (status: Conversation['status']) => ({ id: 'cthread0', status }) as Conversation;

  afterEach(() => client.clear());

  it('is read again', async () => {
    const queryKey = ['getConversation', { path: { id: 'cthread0' } }];
    const answers: ((one: Conversation) => void)[] = [];
    const queryFn = () => new Promise<Conversation>((resolve) => answers.push(resolve));
    client.setQueryData(queryKey, conversation('PENDING'));
    const observer = new QueryObserver(client, { queryKey, queryFn, staleTime: 0 });
    const end = observer.subscribe(() => undefined);
    expect(answers).toHaveLength(1);
    showConversation(client, conversation('CLOSED'));
    answers[0]?.(conversation('OPEN'));
    while (answers.length < 2) await new Promise(setImmediate);
    expect(client.getQueryData(queryKey)).toEqual(conversation('CLOSED'));
    answers[1]?.(conversation('CLOSED'));
    while (client.isFetching({ queryKey }) > 0) await new Promise(setImmediate);
    expect(client.getQueryData(queryKey)).toEqual(conversation('CLOSED'));
    end();
  });
});
