import { OutboxPendingMigration } from '@switchboard/outbox';

/** A narrow row for each event that is to be published, in the place of a mark in the event. Lock and reversal: see `pendingTable`. */
export class OutboxPending1767100000000 extends OutboxPendingMigration {
  readonly name = 'OutboxPending1767100000000';
}
