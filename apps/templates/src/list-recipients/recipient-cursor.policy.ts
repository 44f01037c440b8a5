/** Of an index in base 36: any number of recipients, and a cursor in the shape of an id. */
const DIGITS = 8;
const FORMAT = /^c[0-9a-z]{8}$/;

/** The cursor behind a recipient, in the shape of a cuid. Source: docs/api-behaviour.md#pagination. */
export function recipientCursor(index: number): string {
  return `c${index.toString(36).padStart(DIGITS, '0')}`;
}

/** The index behind which a page starts; a cursor of another list has no recipient behind it. */
export function indexBehind(cursor: string | null): number {
  if (cursor === null) return -1;
  const index = FORMAT.test(cursor) ? Number.parseInt(cursor.slice(1), 36) : INDEX_MAX;
  return Math.min(index, INDEX_MAX);
}

/** The largest value of the column. */
const INDEX_MAX = 2_147_483_647;
