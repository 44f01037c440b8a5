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
 * A thread with a message of the stream: in place of its former state, or in its place by age. One that is older than what was
 * loaded is left to the page that has it.
 */
export function withMessage(thread: Thread, message: Message): Thread {
  let isKnown = false;
  const pages = thread.pages.map((page) => {
    if (!page.items.some(({ id }) => id === message.id)) return page;
    isKnown = true;
    return { ...page, items: page.items.map((one) => (one.id === message.id ? message : one)) };
  });
  return isKnown ? { ...thread, pages } : { ...thread, pages: placed(thread.pages, [message]) };
}

/**
 * A thread as it was just read, without a step back from what is shown: the stream of events may have shown a later status, or
 * another message, while it was being read.
 */
export function keepNewest(shown: Thread | undefined, read: Thread): Thread {
  const messages = shown?.pages.flatMap(({ items }) => items) ?? [];
  const known = new Map(messages.map((message) => [message.id, message]));
  const seen = new Set<string>();
  const pages = read.pages.map((page) => {
    // An older page may bring what the stream has shown already.
    const items = page.items.filter(({ id }) => !seen.has(id) && seen.add(id));
    return { ...page, items: items.map((one) => later(known.get(one.id), one)) };
  });
  const oldest = pages.flatMap(({ items }) => items).at(-1)?.id;
  if (oldest === undefined) return { ...read, pages };
  // A thread loses messages at its old end alone: what is missing between came after it was read.
  const missed = messages.filter(({ id }) => !seen.has(id) && id > oldest);
  return replaceEqualDeep(shown, { ...read, pages: placed(pages, missed) });
}

/** Puts messages into the pages where they belong. Ids sort by age. */
function placed(pages: readonly Page<Message>[], messages: readonly Message[]): Page<Message>[] {
  const result = [...pages];
  for (const message of messages) {
    const at = result.findIndex(({ items }) => (items.at(-1)?.id ?? '') < message.id);
    const last = result.at(-1);
    if (at < 0 && last?.nextCursor !== undefined) continue;
    const index = at < 0 ? Math.max(result.length - 1, 0) : at;
    const page = result[index] ?? { items: [] };
    result[index] = { ...page, items: [...page.items, message].sort((a, b) => (a.id < b.id ? 1 : -1)) };
  }
  return result;
}

function later(shown: Message | undefined, read: Message): Message {
  return shown && rank[shown.status] > rank[read.status] ? shown : read;
}
