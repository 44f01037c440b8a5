/** Control characters, separators of lines, and what writes a text in another order than it is read in. */
export const unseenCharacters = '\\u0000-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069';

/** What is not drawn, of the first plane: expressions of other languages know no more. Source: Default_Ignorable_Code_Point. */
export const undrawnCharacters =
  '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f' +
  '\\ufeff\\uffa0\\ufff0-\\ufff8';

/** White space of the first plane but the plain blank, and the pattern of braille without a dot. */
export const blankCharacters = '\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u2800\\u3000';

/** The regular expression of `isOneLine`, without what lies behind the first plane (tags). */
export const oneLinePattern = `^[^${unseenCharacters}]*[^${unseenCharacters}${undrawnCharacters}${blankCharacters} ][^${unseenCharacters}]*$`;

const unseen = new RegExp(`[${unseenCharacters}]`);
const everyUnseen = new RegExp(`[${unseenCharacters}]`, 'g');
/** Tabs among them. */
const lineEnds = /[\t-\r\u0085\u2028\u2029]+/g;
const invisible = /[\u2800\p{Default_Ignorable_Code_Point}]|[^\S ]/u;
const visible = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * True for what may be a name or a label: one line with something to see. Control characters and bidirectional overrides
 * are refused: by them a text shows something else than it is. Marks of direction and joiners, which some scripts need, are
 * not. Source: Unicode Standard Annex 9, 2.1 to 2.2.
 */
export function isOneLine(text: string): boolean {
  return !unseen.test(text) && hasVisible(text);
}

/** A text as one line: its lines with a blank between them, without the other characters that `isOneLine` refuses. */
export function asOneLine(text: string): string {
  return text.replace(lineEnds, ' ').replace(everyUnseen, '');
}

/** True for a text without a character that is not seen; plain blanks are. */
export function isSeen(text: string): boolean {
  return !unseen.test(text) && !invisible.test(text);
}

/** True when a text has a character that is drawn: more than blanks and what cannot be seen. */
export function hasVisible(text: string): boolean {
  return visible.test(text);
}
