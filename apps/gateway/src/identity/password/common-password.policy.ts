import { dictionary } from '@zxcvbn-ts/language-common';

/** The 49,000 commonest passwords of published leaks, in small letters. Source: @zxcvbn-ts/language-common (MIT). */
const commonest: ReadonlySet<string> = new Set(dictionary['passwords-common']);

/** The product's name. */
const PRODUCT = 'switchboard';
/** A name as short as this is part of too many words. */
const NAME_LENGTH_MIN = 4;
/** Letters and digits that a password needs in addition to names. */
const BEYOND_NAMES_MIN = 6;
/** Digits and signs around a common password that do not make it another one: a year, a date, an exclamation mark. */
const AROUND_MAX = 8;
/** What is repeated to make a password; a longer one is judged as a password itself. */
const REPEATED_MAX = 4;

/** Rows of keys and of characters along which people type, the other way round too. */
const rows = [
  '0123456789',
  '1234567890',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  'qazwsxedcrfvtgbyhnujmikolp',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
  '1q2w3e4r5t6y7u8i9o0p',
].flatMap((row) => [row + row, [...(row + row)].reverse().join('')]);

const lookAlikes: Readonly<Record<string, string>> = { '@': 'a', '4': 'a', '3': 'e', '1': 'i', '!': 'i', '0': 'o' };
const moreLookAlikes: Readonly<Record<string, string>> = { $: 's', '5': 's', '7': 't' };

/**
 * Whether a password is one of the commonest, or one of them repeated, spelled with look-alikes or with a few digits and
 * signs around it; or a row of the keyboard. Source: NIST SP 800-63B, 3.1.1.2.
 *
 * @param password in its normal form
 */
export function isCommonPassword(password: string): boolean {
  const small = password.toLowerCase();
  const readings = [small, squeezed(small), withoutEnds(small)].flatMap((one) => [one, repeatedIn(one)]);
  return readings.some((one) => one !== '' && (isKnown(one) || isKnown(spelledOut(one)) || isShortUnit(one, small)));
}

/**
 * Whether a password is a name and little else.
 *
 * @param password in its normal form
 * @param names of the organizations and of the person; the product's is always one
 */
export function isMadeOfNames(password: string, names: readonly string[]): boolean {
  const known = [PRODUCT, ...names].map((name) => squeezed(name.normalize('NFKC').toLowerCase()));
  const long = known.filter((name) => name.length >= NAME_LENGTH_MIN).sort((a, b) => b.length - a.length);
  const all = squeezed(password.toLowerCase());
  const left = long.reduce((text, name) => text.replaceAll(name, ''), all);
  return left.length < all.length && left.length < BEYOND_NAMES_MIN;
}

function isKnown(text: string): boolean {
  return commonest.has(text) || (text.length > REPEATED_MAX && rows.some((row) => row.repeat(3).includes(text)));
}

/** A unit of a few characters, repeated until it was long enough. */
function isShortUnit(unit: string, password: string): boolean {
  return (
    unit.length <= REPEATED_MAX && unit.length * 3 <= password.length && squeezed(password) === fill(unit, password)
  );
}

function fill(unit: string, password: string): string {
  const { length } = squeezed(password);
  return unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
}

/** Letters and digits alone. */
function squeezed(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '');
}

/** Without digits and signs at both ends, where these are few. */
function withoutEnds(text: string): string {
  const core = text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  return core.length >= NAME_LENGTH_MIN && text.length - core.length <= AROUND_MAX ? core : '';
}

/** The shortest text that the whole is a repetition of; the whole itself where it is none. */
function repeatedIn(text: string): string {
  const length = (text + text).indexOf(text, 1);
  return length <= 0 ? text : text.slice(0, length);
}

function spelledOut(text: string): string {
  return [...text].map((character) => lookAlikes[character] ?? moreLookAlikes[character] ?? character).join('');
}
