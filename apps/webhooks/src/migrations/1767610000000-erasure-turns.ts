import { ErasureTurnsMigration } from '@switchboard/platform';

/** Contacts are erased by turns of their organizations. Lock and reversal: see `ErasureTurnsMigration`. */
export class ErasureTurns1767610000000 extends ErasureTurnsMigration {
  readonly name = 'ErasureTurns1767610000000';
}
