/** What a written number is once its punctuation is gone: bare ASCII digits, and whether a country code leads them. */
export interface WrittenForm {
  readonly kind: 'international' | 'national';
  /** Without the plus or the `00`. */
  readonly digits: string;
}

// Longer than any decorated number; it bounds the work that a hostile input can cause.
const inputLengthMax = 64;

// E.164 has at most 15 digits; a national form may add a trunk prefix and a carrier code (Brazil: `0 15 11 …`).
const digitsMax = 18;

// Space, tab, the no-break, thin, ideographic and other horizontal spaces of Unicode. Line breaks are not among them.
const spaces = ' \\t\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000';
// Hyphens, dashes, the minus sign, and the full-width and Japanese ones.
const dashes = '\\-\\u00ad\\u2010-\\u2015\\u2212\\u30fc\\ufe58\\ufe63\\uff0d';
const dotsAndBrackets = '.\\u00b7\\uff0e()\\[\\]\\uff08\\uff09';
// Direction marks and zero-width characters: address books put them around numbers, invisibly.
const invisible = '\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2069\\ufeff';

const separators = new RegExp(`[${spaces}${dashes}${dotsAndBrackets}${invisible}]+`, 'g');
const fullWidth = /[\uff0b\uff10-\uff19]/g;

/**
 * Strips `tel:`, spaces, dots, dashes and brackets, and distinguishes international from national forms.
 *
 * Full-width digits and plus, which Japanese and Chinese keyboards produce, are folded: the mapping is one to one.
 * Digits of other scripts are refused, as are letters, extensions, slashes and a plus anywhere but in front.
 *
 * @returns null when something else than a number is left.
 */
export function readWrittenForm(input: string): WrittenForm | null {
  if (input.length > inputLengthMax) return null;
  const bare = input
    .replace(/^\s*tel:/i, '')
    .replace(separators, '')
    .replace(fullWidth, (char) => String.fromCharCode(char.charCodeAt(0) - 0xfee0));
  if (!/^\+?\d+$/.test(bare) || bare.length > digitsMax) return null;
  if (bare.startsWith('+')) return { kind: 'international', digits: bare.slice(1) };
  if (bare.startsWith('00')) return { kind: 'international', digits: bare.slice(2) };
  return { kind: 'national', digits: bare };
}
