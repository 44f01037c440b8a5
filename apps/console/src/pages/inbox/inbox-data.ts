import {
  infiniteQueryOptions,
  useInfiniteQuery,
  useQueryClient,
  type InfiniteData,
  type QueryClient,
  type UseInfiniteQueryResult,
} from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Conversation, Message } from '../../api/api.generated.js';
import { call } from '../../api/call.js';
import { listen, type LiveEvent } from '../../api/live-events.js';
import { problemOf, type Problem } from '../../api/problem.js';
import { showDone, showProblem } from '../../ui/notices.js';
import { mergedTop, type Page } from './merged-top.js';
import { keepNewest, withMessage } from './newest-messages.js';

/** A status of a conversation. */
export type Status = Conversation['status'];

const PAGE = 50;
/** Between two looks at the top of the inbox, however much happens. */
const LOOK_MS = 700;

type Pages<Item> = InfiniteData<Page<Item>, string | undefined>;

const conversationsKey = (status: Status): readonly unknown[] => ['listConversations', 'inbox', status];
const threadKey = (id: string): readonly unknown[] => ['listMessages', 'thread', id];
const conversationKey = (id: string): readonly unknown[] => ['getConversation', { path: { id } }];

/**
 * What is read once is kept up to date by the stream of events: read again, all of its pages would be. What holds no more than
 * events, because its first reading was given up, is still to be read.
 */
const followed = {
  staleTime: ({ state }: { readonly state: { readonly dataUpdatedAt: number } }) =>
    state.dataUpdatedAt === 0 ? 0 : Infinity,
  refetchOnWindowFocus: false,
} as const;

/** Conversations of a status, the newest message first, page by page. */
export function useConversations(status: Status): UseInfiniteQueryResult<Pages<Conversation>, Problem> {
  return useInfiniteQuery<Page<Conversation>, Problem, Pages<Conversation>, readonly unknown[], string | undefined>({
    queryKey: conversationsKey(status),
    queryFn: ({ pageParam, signal }) =>
      call('listConversations', { query: { status, limit: PAGE, cursor: pageParam }, signal }).catch(rethrow),
    initialPageParam: undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    ...followed,
  });
}

/** Messages of a conversation, the newest first, page by page. */
export function useThread(id: string): UseInfiniteQueryResult<Pages<Message>, Problem> {
  return useInfiniteQuery(threadOptions(id));
}

/** How the messages of a conversation are read. */
// The type is what react-query infers.
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types
export const threadOptions = (id: string) =>
  infiniteQueryOptions<Page<Message>, Problem, Pages<Message>, readonly unknown[], string | undefined>({
    queryKey: threadKey(id),
    queryFn: ({ pageParam, signal }) =>
      call('listMessages', { path: { id }, query: { limit: PAGE, cursor: pageParam }, signal }).catch(rethrow),
    initialPageParam: undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    structuralSharing: (shown, read) => keepNewest(shown as Pages<Message> | undefined, read as Pages<Message>),
    ...followed,
  });

/** Puts a message where it is shown: in place of its former state, or as the newest one. */
export function showMessage(client: QueryClient, message: Message): void {
  const queryKey = threadKey(message.conversationId);
  // What is being read for the first time may be older than the message: it waits there, and counts as never read until then.
  const isUnread = !client.getQueryState(queryKey)?.dataUpdatedAt;
  if (isUnread && client.isFetching({ queryKey }) === 0) return;
  client.setQueryData<Pages<Message>>(
    queryKey,
    (old = { pages: [], pageParams: [undefined] }) => withMessage(old, message),
    isUnread ? { updatedAt: 0 } : undefined,
  );
}

/** Shows a message that was sent. A failure to read it is none of the send: a notice says so, and the thread is read again later. */
export async function showSent(client: QueryClient, id: string, conversationId: string): Promise<void> {
  try {
    showMessage(client, await call('getMessage', { path: { id } }));
  } catch {
    // Not at once: what refused the message would refuse the list as well. The stream of events mostly brings it sooner.
    await client.invalidateQueries({ queryKey: threadKey(conversationId), refetchType: 'none' });
    showDone('The reply was sent. The list of messages is not up to date yet.');
  }
}

/** Shows a conversation as it is now, in whatever it is read. */
export function showConversation(client: QueryClient, conversation: Conversation): void {
  const queryKey = conversationKey(conversation.id);
  const isBeingRead = client.isFetching({ queryKey }) > 0;
  client.setQueryData(queryKey, conversation);
  // What is being read may be older.
  if (isBeingRead) void client.invalidateQueries({ queryKey });
  for (const status of ['OPEN', 'PENDING', 'SNOOZED', 'CLOSED', 'ARCHIVED'] as const) {
    client.setQueryData<Pages<Conversation>>(conversationsKey(status), (old) => {
      if (!old) return old;
      const pages = old.pages.map((page) => ({
        ...page,
        items: page.items.flatMap((one) =>
          one.id !== conversation.id ? one : conversation.status === status ? conversation : [],
        ),
      }));
      return { ...old, pages };
    });
  }
}

/** Reads the newest page again and puts it on top of what was read before. */
async function lookAtTop(client: QueryClient, status: Status): Promise<void> {
  const key = conversationsKey(status);
  if (!client.getQueryData(key)) return;
  const fresh: Page<Conversation> = await call('listConversations', { query: { status, limit: PAGE } });
  client.setQueryData<Pages<Conversation>>(
    key,
    (old) => old && { pages: [mergedTop(old.pages, fresh)], pageParams: [undefined] },
  );
}

/** Keeps the inbox as it is now, by the stream of events. */
export function useLiveInbox(status: Status): void {
  const client = useQueryClient();
  useEffect(() => {
    let timer: number | undefined;
    const look = (): void => {
      timer ??= window.setTimeout(() => {
        timer = undefined;
        // The list that is shown may be old then; the next event looks again.
        lookAtTop(client, status).catch((error: unknown) => showProblem(problemOf(error)));
      }, LOOK_MS);
    };
    const end = listen({
      onStart: () => {
        for (const name of ['listConversations', 'listMessages', 'getConversation']) {
          void client.invalidateQueries({ queryKey: [name] });
        }
      },
      onEvent: (event) => {
        showEvent(client, event);
        look();
      },
    });
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [client, status]);
}

function showEvent(client: QueryClient, { event, data }: LiveEvent): void {
  const message = data['message'] as Message | undefined;
  const conversation = data['conversation'] as Conversation | undefined;
  // Over 256 KB an event carries the id alone.
  if (message && 'conversationId' in message) showMessage(client, message);
  if (conversation && 'status' in conversation) showConversation(client, conversation);
  if (event === 'message.received' && message) {
    void client.invalidateQueries({ queryKey: conversationKey(message.conversationId) });
  }
  // A keyword may have ended an opt-out.
  if (event === 'optout.created' || event === 'message.received')
    void client.invalidateQueries({ queryKey: ['getContact'] });
}

function rethrow(thrown: unknown): never {
  if (thrown instanceof DOMException) throw thrown;
  throw problemOf(thrown);
}
