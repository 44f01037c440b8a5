import { createHash } from 'node:crypto';

const CURSOR = /^c([0-9a-z]{8})([0-9a-z]{16})$/;
const OWNER_DIGITS = 8;
const POSITION_DIGITS = 16;
/** Of cursors that were given before they named their feed. */
const ANY_OWNER = '0'.repeat(OWNER_DIGITS);

/** A position of the feed of an organization, which it names, in the shape of a cuid. */
export function feedCursor(organizationId: string, position: number): string {
  return `c${ownerDigits(organizationId)}${position.toString(36).padStart(POSITION_DIGITS, '0')}`;
}

/** The position of a cursor; null when it is none of this organization's feed. */
export function feedPosition(organizationId: string, cursor: string): number | null {
  const [, owner, digits = ''] = CURSOR.exec(cursor) ?? [];
  if (owner !== ANY_OWNER && owner !== ownerDigits(organizationId)) return null;
  const position = Number.parseInt(digits, 36);
  return Number.isSafeInteger(position) ? position : null;
}

/** Enough that no reader meets the same by mistake: no secret, as the position is none. */
function ownerDigits(organizationId: string): string {
  const hash = createHash('sha256').update(organizationId).digest();
  return hash.readUIntBE(0, 6).toString(36).padStart(OWNER_DIGITS, '0').slice(-OWNER_DIGITS);
}
