/** What a person chose for messages on a channel. */
export type SpokenPreference = 'stop' | 'start';

/** Source: docs/api-behaviour.md#opt-outs-keywords. */
const STOP: ReadonlySet<string> = new Set([
  'STOP',
  'STOPALL',
  'UNSUBSCRIBE',
  'CANCEL',
  'END',
  'QUIT',
  'REVOKE',
  'OPTOUT',
]);
const START: ReadonlySet<string> = new Set(['START', 'UNSTOP', 'SUBSCRIBE']);
/** No keyword with what decorates it is longer, in UTF-16 units; a longer text is not looked through. */
const SPOKEN_MAX = 1_000;

/**
 * Whether a person opted out or in: by a keyword alone in the text.
 *
 * @param said texts that stand for the whole message: its text, or a button's title and payload; one is enough, and of
 * two that contradict each other `stop` holds
 * @param own the channel's further words to opt out with
 * Source: docs/api-behaviour.md#opt-outs-keywords.
 */
export function spokenPreference(said: readonly string[], own: readonly string[]): SpokenPreference | null {
  const words = said.filter(({ length }) => length <= SPOKEN_MAX).map(keywordIn);
  const isStop = (word: string): boolean => STOP.has(word) || own.some((one) => keywordIn(one) === word);
  // A channel's word may be made of signs alone; it says nothing then, like a text of signs alone.
  if (words.some((word) => word !== '' && isStop(word))) return 'stop';
  return words.some((word) => START.has(word)) ? 'start' : null;
}

/**
 * A text as keywords are compared: from its first letter or digit to its last, upper case, full-width letters as plain
 * ones, runs of blanks as one. What cannot be seen (joiners, variation selectors) is no part of it, and neither is
 * what surrounds it: space, punctuation, symbols, emoji.
 */
export function keywordIn(text: string): string {
  const visible = text.replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  // First as it is written: normalised, some symbols become letters (a trade mark sign: TM).
  const plain = upperCase(wordsIn(visible).normalize('NFKC'));
  return wordsIn(plain).replace(/\s+/g, ' ');
}

/**
 * As people write upper case in any language: Greek has no accents there (other letters are not the locale's), and `i` is the lower
 * case of two letters, in Turkish of İ.
 */
function upperCase(text: string): string {
  const upper = text.toLocaleUpperCase('el').normalize('NFKC');
  return upper.replace(/\u0130\u0307*/g, 'I').normalize('NFKC');
}

/** From the first letter or digit to the last; marks belong to the letter before them: accents, vowels of Indic scripts. */
function wordsIn(text: string): string {
  const from = text.search(/[\p{L}\p{N}]/u);
  return from < 0 ? '' : (/^.*[\p{L}\p{N}]\p{M}*/su.exec(text.slice(from))?.[0] ?? '');
}
