import { replaceEqualDeep, type InfiniteData } from '@tanstack/react-query';
import type { Conversation } from '../../api/api.generated.js';
import type { Page } from './merged-top.js';

/** A page of conversations; `since` says what its reading may have missed, until the page is in a list. */
export interface ReadPage extends Page<Conversation> {
  readonly since?: number;
}

/** The pages of a list as they are, or were just, read. */
export type ReadList = InfiniteData<ReadPage, string | undefined>;

/** No reading lasts so long that more conversations move meanwhile. */
const KEPT = 500;

/** The last moves of conversations, so that an answer that was under way meanwhile does not undo them. */
export class ConversationMoves {
  private count = 0;
  private readonly last = new Map<string, { readonly at: number; readonly conversation: Conversation }>();

  /** What a reading that begins now misses comes after this. */
  get now(): number {
    return this.count;
  }

  /** Keeps what a conversation is from now on. */
  add(conversation: Conversation): void {
    this.last.delete(conversation.id);
    this.last.set(conversation.id, { at: ++this.count, conversation });
    const [first] = this.last.keys();
    if (this.last.size > KEPT && first !== undefined) this.last.delete(first);
  }

  /** A page of a status that was read, with the moves that it may have missed. */
  applyTo({ since = this.count, ...page }: ReadPage, status: Conversation['status']): Page<Conversation> {
    const items = page.items.flatMap((one) => {
      const move = this.last.get(one.id);
      if (!move || move.at <= since) return one;
      return move.conversation.status === status ? move.conversation : [];
    });
    return { ...page, items };
  }

  /**
   * A list of a status after something of it was read. A next page is put behind what is shown by then: the library puts it
   * behind what was shown when its reading began.
   */
  joined(status: Conversation['status'], shown: ReadList | undefined, read: ReadList): ReadList {
    const page = read.pages.at(-1);
    if (page?.since === undefined) return replaceEqualDeep(shown, read);
    if (!shown || read.pages[0]?.since !== undefined) {
      return replaceEqualDeep(shown, { ...read, pages: read.pages.map((one) => this.applyTo(one, status)) });
    }
    const cursor = read.pageParams.at(-1);
    // The list ends elsewhere by now: what follows it is to be read anew.
    if (shown.pages.at(-1)?.nextCursor !== cursor) return shown;
    const known = new Set(shown.pages.flatMap(({ items }) => items.map(({ id }) => id)));
    const next = this.applyTo(page, status);
    const items = next.items.filter(({ id }) => !known.has(id));
    return { pages: [...shown.pages, { ...next, items }], pageParams: [...shown.pageParams, cursor] };
  }
}
