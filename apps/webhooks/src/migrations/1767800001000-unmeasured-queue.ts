import { UnmeasuredQueueMigration } from '@switchboard/postgres';

/** What `delivery` held at some moment says nothing of what it will hold. Lock and reversal: see `UnmeasuredQueueMigration`. */
export class UnmeasuredQueue1767800001000 extends UnmeasuredQueueMigration {
  readonly name = 'UnmeasuredQueue1767800001000';
  protected readonly queue = 'delivery';
}
