import type { Send, AnsweredNumber, ToldNumbers } from './ledgers.js';

/**
 * Remembers the contacts that answers named for a number, over all faults of a stage: the same numbers are written to before and
 * after each of them. It grows with the numbers, not with the sends.
 */
export class NumberBook {
  private readonly answered = new Map<string, AnsweredNumber[]>();

  /** Enters what the callers of these sends learned. */
  add(sends: readonly Send[]): void {
    for (const { organizationId, to, outcome } of sends) {
      if (outcome.kind !== 'answered' || outcome.contactId === null || outcome.conversationId === null) continue;
      const { contactId, conversationId } = outcome;
      const key = `${organizationId} ${to}`;
      const known = this.answered.get(key) ?? [];
      this.answered.set(key, known);
      const isKnown = known.some((one) => one.contactId === contactId && one.conversationId === conversationId);
      if (!isKnown) known.push({ contactId, conversationId });
    }
  }

  /** All of it. */
  get numbers(): ToldNumbers {
    return this.answered;
  }
}

/** What the callers of these sends learned. */
export function numbersOf(sends: readonly Send[]): ToldNumbers {
  const book = new NumberBook();
  book.add(sends);
  return book.numbers;
}
