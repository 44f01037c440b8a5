import { replaceEqualDeep, type InfiniteData } from '@tanstack/react-query';
import type { Message } from '../../api/api.generated.js';
import type { Page } from './merged-top.js';

type Thread = InfiniteData<Page<Message>, string | undefined>;

/** A status only rises. Source: docs/api-behaviour.md#message-status. */
const rank: Readonly<Record<Message['status'], number>> = {
  QUEUED: 0,
  SENT: 1,
  FAILED: 2,
  DELIVERED: 3,
  READ: 4,
  RECEIVED: 5,
};

/**
 * A thread as it was just read, without a step back from what is shown: the stream of events may have shown a later status, or a
 * newer message, while it was being read.
 */
export function keepNewest(shown: Thread | undefined, read: Thread): Thread {
  const messages = shown?.pages.flatMap(({ items }) => items) ?? [];
  const known = new Map(messages.map((message) => [message.id, message]));
  const pages = read.pages.map((page) => ({ ...page, items: page.items.map((one) => later(known.get(one.id), one)) }));
  const [first, ...rest] = pages;
  if (!first) return read;
  // Ids sort by age, and a thread loses messages at its old end alone.
  const newest = first.items[0]?.id ?? '';
  const missed = messages.filter(({ id }) => id > newest);
  return replaceEqualDeep(shown, { ...read, pages: [{ ...first, items: [...missed, ...first.items] }, ...rest] });
}

function later(shown: Message | undefined, read: Message): Message {
  return shown && rank[shown.status] > rank[read.status] ? shown : read;
}
