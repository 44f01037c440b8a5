import type { Page } from '@switchboard/contracts/grammar/page';
import type { MessageView } from '@switchboard/contracts/messaging/http';
import type { MessageFacts } from '@switchboard/contracts/messaging/message-facts';
import { messageViewOf } from '@switchboard/contracts/messaging/message-view';

/** Where a page begins, and how many messages it has at most. */
interface Place {
  readonly limit: number;
  readonly cursor: string | null;
}

/**
 * A whole page of messages, however few of them fit into one answer of messaging (long texts, 1 MB an answer).
 *
 * @param ask reads from the cursor on, at most `limit`, perhaps fewer
 */
export async function wholePage(
  { limit, cursor }: Place,
  ask: (place: Place) => Promise<Page<MessageFacts>>,
): Promise<Page<MessageView>> {
  let page = await ask({ limit, cursor });
  while (page.nextCursor !== undefined && page.items.length < limit) {
    const more = await ask({ limit: limit - page.items.length, cursor: page.nextCursor });
    page = { ...more, items: [...page.items, ...more.items] };
  }
  return { ...page, items: page.items.map(messageViewOf) };
}
