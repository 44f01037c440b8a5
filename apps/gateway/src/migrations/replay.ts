import { replayTables, replayTablesReversal } from '@switchboard/outbox';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What replay, redrive and pruning need. Lock: ACCESS EXCLUSIVE on dead_letter, for a moment. Reversal: as it was. */
export class Replay1764100000000 implements MigrationInterface {
  name = 'Replay1764100000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(replayTables('gateway'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(replayTablesReversal('gateway'));
  }
}
