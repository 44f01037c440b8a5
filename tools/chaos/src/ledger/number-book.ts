import type { Send } from './ledgers.js';

/** Whom a number was told to be, in one organization. */
export interface ToldNumber {
  readonly contactId: string;
  readonly conversationId: string;
}

/** What was told of numbers: `organization number`, then each answer that differs from those before. */
export type ToldNumbers = ReadonlyMap<string, readonly ToldNumber[]>;

/**
 * Remembers whom callers were told that a number is, over all faults of a stage: the same numbers are written to before and
 * after each of them. It grows with the numbers, not with the sends.
 */
export class NumberBook {
  private readonly told = new Map<string, ToldNumber[]>();

  /** Enters what the callers of these sends learned. */
  add(sends: readonly Send[]): void {
    for (const { organizationId, to, outcome } of sends) {
      if (outcome.kind !== 'answered' || outcome.contactId === null || outcome.conversationId === null) continue;
      const { contactId, conversationId } = outcome;
      const key = `${organizationId} ${to}`;
      const known = this.told.get(key) ?? [];
      this.told.set(key, known);
      const isKnown = known.some((one) => one.contactId === contactId && one.conversationId === conversationId);
      if (!isKnown) known.push({ contactId, conversationId });
    }
  }

  /** All of it. */
  get numbers(): ToldNumbers {
    return this.told;
  }
}

/** What the callers of these sends learned. */
export function numbersOf(sends: readonly Send[]): ToldNumbers {
  const book = new NumberBook();
  book.add(sends);
  return book.numbers;
}
