import { remember } from './remember.js';

/** What a recipient of the range `+1 201 555 01NN` makes the simulator do. */
export type MagicBehaviour =
  | { readonly kind: 'refuse'; readonly code: number }
  | { readonly kind: 'refuse-twice'; readonly code: number }
  | { readonly kind: 'fault' }
  | { readonly kind: 'cut' }
  | { readonly kind: 'cut-for-good' }
  | { readonly kind: 'slow' }
  | { readonly kind: 'fail-later'; readonly code: number }
  | { readonly kind: 'read-without-delivered' }
  | { readonly kind: 'reversed-twice' };

const MAGIC_PREFIX = '120155501';

/** By NN, as the README of this service lists them under "Magic recipients". */
const BEHAVIOURS: readonly MagicBehaviour[] = [
  { kind: 'refuse', code: 131026 },
  { kind: 'refuse', code: 131047 },
  { kind: 'refuse-twice', code: 130429 },
  { kind: 'refuse-twice', code: 131056 },
  { kind: 'refuse', code: 131000 },
  { kind: 'refuse', code: 131050 },
  { kind: 'refuse', code: 100 },
  { kind: 'fault' },
  { kind: 'cut' },
  { kind: 'slow' },
  { kind: 'fail-later', code: 131049 },
  { kind: 'read-without-delivered' },
  { kind: 'reversed-twice' },
  { kind: 'cut-for-good' },
];

/** The behaviour of a recipient given by its digits, or undefined for every ordinary one. */
export function magicBehaviourOf(digits: string): MagicBehaviour | undefined {
  if (digits.length !== 11 || !digits.startsWith(MAGIC_PREFIX)) return undefined;
  return BEHAVIOURS[Number(digits.slice(MAGIC_PREFIX.length))];
}

const COUNTED_MAX = 100_000;

/**
 * Counts the refusals of "twice, then accepted": by reference, or by recipient for requests without one, whose count
 * begins again after an acceptance so that the next message is refused twice too.
 */
export class RefusalCount {
  readonly #counts = new Map<string, number>();

  /** Whether this request is one of the first two. */
  refuses(code: number, reference: string | null, digits: string): boolean {
    const key = `${code}:${reference ?? digits}`;
    const count = this.#counts.get(key) ?? 0;
    if (count >= 2) {
      if (reference === null) this.#counts.delete(key);
      return false;
    }
    remember(this.#counts, key, count + 1, COUNTED_MAX);
    return true;
  }
}
