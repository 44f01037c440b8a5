import {
  infiniteQueryOptions,
  useInfiniteQuery,
  type InfiniteData,
  type QueryClient,
  type UseInfiniteQueryResult,
} from '@tanstack/react-query';
import type { Conversation, Message } from '../../api/api.generated.js';
import { call } from '../../api/call.js';
import { changeAnswer, untilInvalidated } from '../../api/change-answer.js';
import { rethrow, type Problem } from '../../api/problem.js';
import { showDone } from '../../ui/notices.js';
import { ConversationMoves, type ReadList, type ReadPage } from './conversation-moves.js';
import { inPages, mergedTop, type Page } from './merged-top.js';
import { keepNewest, withMessage } from './newest-messages.js';

/** A status of a conversation. */
export type Status = Conversation['status'];

const PAGE = 50;
const moves = new ConversationMoves();

type Pages<Item> = InfiniteData<Page<Item>, string | undefined>;

/** Under which the conversations of a status are kept. */
export const conversationsKey = (status: Status): readonly unknown[] => ['listConversations', 'inbox', status];
const threadKey = (id: string): readonly unknown[] => ['listMessages', 'thread', id];
const conversationKey = (id: string): readonly unknown[] => ['getConversation', { path: { id } }];

/** What is read once is kept up to date by the stream of events: read again, all of its pages would be. */
const followed = { staleTime: untilInvalidated, refetchOnWindowFocus: false } as const;

/** Conversations of a status, the newest message first, page by page. */
export function useConversations(status: Status): UseInfiniteQueryResult<Pages<Conversation>, Problem> {
  return useInfiniteQuery(conversationsOptions(status));
}

/** How the conversations of a status are read. */
// The type is what react-query infers.
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types
export const conversationsOptions = (status: Status) =>
  infiniteQueryOptions<ReadPage, Problem, Pages<Conversation>, readonly unknown[], string | undefined>({
    queryKey: conversationsKey(status),
    queryFn: ({ pageParam, signal }) => readConversations(status, pageParam, signal).catch(rethrow),
    initialPageParam: undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    structuralSharing: (shown, read) => moves.joined(status, shown as ReadList | undefined, read as ReadList),
    ...followed,
  });

async function readConversations(status: Status, cursor?: string, signal?: AbortSignal): Promise<ReadPage> {
  const since = moves.now;
  const page: Page<Conversation> = await call('listConversations', { query: { status, limit: PAGE, cursor }, signal });
  return { ...page, since };
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
  changeAnswer<Pages<Message>>(client, queryKey, (old = { pages: [], pageParams: [undefined] }) =>
    withMessage(old, message),
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
  moveInLists(client, conversation);
}

/** Shows a conversation in the lists that hold it, and takes it out of those of another status. */
export function moveInLists(client: QueryClient, conversation: Conversation): void {
  moves.add(conversation);
  for (const status of ['OPEN', 'PENDING', 'SNOOZED', 'CLOSED', 'ARCHIVED'] as const) {
    changeAnswer<Pages<Conversation>>(client, conversationsKey(status), (old) => {
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

/**
 * Reads the newest page of a list again and puts it on top of what was read before.
 *
 * @returns false: the list is being read, or was read meanwhile, and may be newer than the answer; look again
 * @throws Problem; DOMException where the signal has ended it
 */
export async function lookAtTop(client: QueryClient, status: Status, signal: AbortSignal): Promise<boolean> {
  const queryKey = conversationsKey(status);
  const readAt = (): number => client.getQueryState(queryKey)?.dataUpdatedAt ?? 0;
  const isBeingRead = (): boolean => client.isFetching({ queryKey }) > 0;
  if (isBeingRead()) return false;
  const before = readAt();
  if (before === 0) return true;
  const fresh = await readConversations(status, undefined, signal).catch(rethrow);
  if (isBeingRead() || readAt() !== before) return false;
  changeAnswer<Pages<Conversation>>(client, queryKey, (old) => {
    if (!old) return old;
    const pages = inPages(mergedTop(old.pages, moves.applyTo(fresh, status)), PAGE);
    return { pages: [...pages], pageParams: pages.map(() => undefined) };
  });
  return true;
}
