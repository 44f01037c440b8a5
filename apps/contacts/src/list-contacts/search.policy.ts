import { foldForSearch } from '../contact/contact.policy.js';

/** What is searched for, in the forms that the database compares. */
export interface SearchTerm {
  /** Folded; a contact matches when its search text holds it. */
  readonly text: string;
  /** Three characters each, of all places of the text that are looked at; none of a shorter text. */
  readonly grams: readonly string[];
  /** What leads every gram in the index. */
  readonly mark: string;
}

/** Where a search stands while it walks the contacts, newest first. */
export interface SearchProgress {
  readonly walked: number;
  readonly found: number;
  readonly wanted: number;
}

/** Characters of a gram. */
const GRAM = 3;
/** Characters of the organization's id that lead every gram in the index; see `search_grams` in the migrations. */
const ORGANIZATION_MARK = 6;
/** Grams of a long term that are looked at; which, its length decides. */
const GRAMS_MAX = 16;
/** Grams that the index is asked for: each further one costs a look for every candidate and leaves out few. */
const GRAMS_ASKED = 4;
/** Contacts that every search begins with, half a millisecond; most frequent terms need no more. */
export const FIRST_WALK = 1_000;
const WALK_MIN = 1_000;
/**
 * Contacts that are walked at most, times the root of how many are wanted. A walk costs about 0.5 µs a contact, a match
 * found by the index about 7 µs: over a million contacts this is where both cost the same.
 */
const WALK_MAX = 4_000;

/** Reads a term. @param search at least one character */
export function searchTerm(organizationId: string, search: string): SearchTerm {
  const text = foldForSearch(search);
  const letters = [...text];
  const places = Math.max(letters.length - GRAM + 1, 0);
  const step = Math.max(places / GRAMS_MAX, 1);
  const grams = new Set<string>();
  for (let at = 0; at < places; at += step) {
    grams.add(letters.slice(Math.floor(at), Math.floor(at) + GRAM).join(''));
  }
  return { text, grams: [...grams], mark: organizationId.slice(-ORGANIZATION_MARK) };
}

/**
 * The question to the index, a `tsquery`: no contact that matches is left out, some that do not are found.
 *
 * @param frequencies how often each gram was seen in a sample; the rarest are asked for
 */
export function gramsQuery({ text, grams, mark }: SearchTerm, frequencies: ReadonlyMap<string, number>): string {
  // Every place of a text begins a gram, so a term that is shorter than one is the beginning of one.
  if (grams.length === 0) return `${lexeme(mark + text)}:*`;
  const seen = (gram: string): number => frequencies.get(gram) ?? 0;
  const rarest = grams.toSorted((one, other) => seen(one) - seen(other)).slice(0, GRAMS_ASKED);
  return rarest.map((gram) => lexeme(mark + gram)).join(' & ');
}

/** True when a sample can spare the index a part of the question. */
export function needsSample({ grams }: SearchTerm): boolean {
  return grams.length > GRAMS_ASKED;
}

/**
 * How many contacts to walk next, or 0 to ask the index.
 *
 * Frequent terms fill a page while walking, rare ones are few in the index; each way is slow where the other is fast. So
 * a search begins to walk, and goes on, further each time, as long as the page will be full soon, by what it has seen.
 */
export function nextWalk({ walked, found, wanted }: SearchProgress): number {
  const walkMax = Math.round(WALK_MAX * Math.sqrt(wanted));
  const expected = found === 0 ? Infinity : (walked * (wanted - found)) / found;
  if (walked + expected > walkMax) return 0;
  // Chance makes some stretches poorer than others; what is seen in a short one is believed for twice its length.
  return Math.min(Math.max(Math.ceil(expected * 1.5), WALK_MIN), walked * 2, walkMax - walked);
}

/** A word of a `tsquery`, whatever it holds. Source: PostgreSQL's manual, "tsquery". */
function lexeme(text: string): string {
  return `'${text.replace(/['\\]/g, '$&$&')}'`;
}
