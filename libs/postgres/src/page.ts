/** A slice of an ordered list; `nextCursor` is absent at its end. */
export interface KeysetPage<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string;
}

/**
 * Reads one page of an ordered list and one row more, which only says whether there is a next page.
 *
 * @param read gives at most so many rows, in order, from the cursor on
 * @param cursorOf the position of a row, as the caller will send it back
 */
export async function readKeysetPage<Row, Item>(
  limit: number,
  read: (rowsMax: number) => Promise<readonly Row[]>,
  cursorOf: (row: Row) => string,
  itemOf: (row: Row) => Item,
): Promise<KeysetPage<Item>> {
  return keysetPage(await read(limit + 1), limit, cursorOf, itemOf);
}

/**
 * Cuts a page out of `limit + 1` rows that were read in order: the surplus row only says that there is more.
 *
 * @param cursorOf the position of a row, as the caller will send it back
 */
export function keysetPage<Row, Item>(
  rows: readonly Row[],
  limit: number,
  cursorOf: (row: Row) => string,
  itemOf: (row: Row) => Item,
): KeysetPage<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const items = shown.map(itemOf);
  return rows.length > limit && last !== undefined ? { items, nextCursor: cursorOf(last) } : { items };
}

/** How many of the first items fit into so many bytes of JSON; at least one, if there is any. */
export function countWithin(bytesMax: number, items: readonly unknown[]): number {
  let bytes = 0;
  const end = items.findIndex((item) => (bytes += Buffer.byteLength(JSON.stringify(item)) + 1) > bytesMax);
  return end === -1 ? items.length : Math.max(end, 1);
}
