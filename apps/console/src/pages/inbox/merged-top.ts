/** A page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string;
}

/** What decides about the place of a conversation. */
interface Placed {
  readonly id: string;
  readonly lastMessageAt: string | null;
  readonly createdAt: string;
}

/**
 * The newest page on top of those that were read before, as one page. What is newer than its end and not in it has left the
 * list.
 */
export function mergedTop<Item extends Placed>(read: readonly Page<Item>[], fresh: Page<Item>): Page<Item> {
  const last = fresh.items.at(-1);
  const known = new Set(fresh.items.map(({ id }) => id));
  const older =
    fresh.nextCursor === undefined || !last
      ? []
      : read.flatMap(({ items }) => items).filter((one) => !known.has(one.id) && momentOf(one) <= momentOf(last));
  const nextCursor = older.length === 0 ? fresh.nextCursor : read.at(-1)?.nextCursor;
  return { items: [...fresh.items, ...older], ...(nextCursor !== undefined && { nextCursor }) };
}

/** A page in pages of a size: so many are read when the list is read again. */
export function inPages<Item>({ items, nextCursor }: Page<Item>, size: number): readonly Page<Item>[] {
  const pages: Page<Item>[] = [];
  for (let start = 0; start === 0 || start < items.length; start += size) {
    const isLast = start + size >= items.length;
    const cursor = isLast && nextCursor !== undefined ? { nextCursor } : {};
    pages.push({ items: items.slice(start, start + size), ...cursor });
  }
  return pages;
}

function momentOf({ lastMessageAt, createdAt }: Placed): string {
  return lastMessageAt ?? createdAt;
}
