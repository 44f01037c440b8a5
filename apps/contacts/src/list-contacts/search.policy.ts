import { foldForSearch } from '../contact/contact.policy.js';

/** What is searched for, in the forms that the database compares. */
export interface SearchTerm {
  /** Folded; a contact matches when its search text holds it. */
  readonly text: string;
  /** The same for the index, as a `tsquery`: no contact that matches is left out, some that do not are found. */
  readonly grams: string;
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
const FIRST_WALK = 2_000;
const WALK_MIN = 1_000;
/**
 * Contacts that are walked at most, about 8 ms. A term so frequent that a page of 100 fills within so many has the index
 * look at some thousands of a million at most.
 */
const WALK_MAX = 16_000;

/** Reads a term. @param search at least one character */
export function searchTerm(organizationId: string, search: string): SearchTerm {
  const text = foldForSearch(search);
  const mark = organizationId.slice(-ORGANIZATION_MARK);
  const letters = [...text];
  // Every place of a text begins a gram, so a shorter term is the beginning of one.
  if (letters.length < GRAM) return { text, grams: `${lexeme(mark + text)}:*` };
  const grams = letters.slice(GRAM - 1).map((_, at) => mark + letters.slice(at, at + GRAM).join(''));
  return { text, grams: [...new Set(grams)].map(lexeme).join(' & ') };
}

/**
 * How many contacts to walk next, or 0 to ask the index.
 *
 * Frequent terms fill a page while walking, rare ones are few in the index; each way is slow where the other is fast. So
 * a search begins to walk, and goes on as long as the page will be full soon, by what it has seen.
 */
export function nextWalk({ walked, found, wanted }: SearchProgress): number {
  if (walked === 0) return FIRST_WALK;
  const expected = found === 0 ? Infinity : (walked * (wanted - found)) / found;
  if (walked + expected > WALK_MAX) return 0;
  // Chance makes some stretches poorer than others.
  return Math.min(Math.max(Math.ceil(expected * 1.5), WALK_MIN), WALK_MAX - walked);
}

/** A word of a `tsquery`, whatever it holds. Source: PostgreSQL's manual, "tsquery". */
function lexeme(text: string): string {
  return `'${text.replace(/['\\]/g, '$&$&')}'`;
}
