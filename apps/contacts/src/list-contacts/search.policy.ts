import { foldForSearch } from '../contact/contact.policy.js';

/** What is searched for, in the forms that the database compares. */
export interface SearchTerm {
  /** Folded; a contact matches when its search text holds it. */
  readonly text: string;
  /** What the index can be asked for: three characters each, of all places of the text, or the whole of a shorter one. */
  readonly grams: readonly string[];
}

/** Characters of a gram. */
const GRAM = 3;
/** Grams of a long term that are looked at; which, its length decides. */
const GRAMS_MAX = 16;
/**
 * Contacts that every search begins with, half a millisecond: frequent terms need no more. The index has a match for a few
 * microseconds, so that walking further would not be faster for any other.
 */
export const FIRST_WALK = 1_000;

/** Reads a term. @param search at least one character */
export function searchTerm(search: string): SearchTerm {
  const text = foldForSearch(search);
  const letters = [...text];
  const places = letters.length - GRAM + 1;
  // Every place of a text begins a gram, so a term that is shorter than one is the beginning of one.
  if (places < 1) return { text, grams: [text] };
  const step = Math.max(places / GRAMS_MAX, 1);
  const grams = new Set<string>();
  for (let at = 0; at < places; at += step) {
    grams.add(letters.slice(Math.floor(at), Math.floor(at) + GRAM).join(''));
  }
  return { text, grams: [...grams] };
}
