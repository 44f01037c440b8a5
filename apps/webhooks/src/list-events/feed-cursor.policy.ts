const CURSOR = /^c[0-9a-z]{24}$/;
const DIGITS = 24;

/** A position of the feed in the shape of a cuid. */
export function feedCursor(position: number): string {
  return `c${position.toString(36).padStart(DIGITS, '0')}`;
}

/** The position of a cursor; null when it is none of the feed's. */
export function feedPosition(cursor: string): number | null {
  if (!CURSOR.test(cursor)) return null;
  const position = Number.parseInt(cursor.slice(1), 36);
  return Number.isSafeInteger(position) ? position : null;
}
