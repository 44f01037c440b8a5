/** Where a slice of a walk along a key ended. */
export interface Slice<Key> {
  /** Rows that were looked at. */
  readonly rows: number;
  /** The last of their keys; null: there was none. */
  readonly last: Key | null;
}

/**
 * Walks along a key, slice by slice, until a slice is not full, so that no statement looks at more than that.
 *
 * @param first below every key
 * @param rowsMax of a full slice
 * @param next the slice behind a key
 */
export async function inSlices<Key>(
  first: Key,
  rowsMax: number,
  next: (behind: Key) => Promise<Slice<Key> | undefined>,
): Promise<void> {
  for (let behind = first; ;) {
    const slice = await next(behind);
    if (!slice || slice.last === null || slice.rows < rowsMax) return;
    behind = slice.last;
  }
}
