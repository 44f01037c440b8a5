import { IncarnationMigration } from '@switchboard/outbox';

/** Which state of the database the broker was shown last. Lock and reversal: see `IncarnationMigration`. */
export class Incarnation1766390000000 extends IncarnationMigration {
  readonly name = 'Incarnation1766390000000';
}
