import type { MigrationInterface, QueryRunner } from 'typeorm';

const states = (...names: readonly string[]): string => `
  ALTER TABLE dispatch DROP CONSTRAINT dispatch_state_check;
  ALTER TABLE dispatch ADD CONSTRAINT dispatch_state_check
    CHECK (state IN (${names.map((name) => `'${name}'`).join(', ')}));
`;

/**
 * Attempts of bulk messages that are to be made again: PACED, a state of their own, because they take credit of their lane
 * and no interactive send waits for them. Lock: ACCESS EXCLUSIVE on `dispatch`, which holds open sends alone, for as long
 * as they are checked. Reversal: they become RETRY.
 */
export class PacedDispatches1766400001000 implements MigrationInterface {
  readonly name = 'PacedDispatches1766400001000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE dispatch ADD COLUMN job_id text COLLATE "C"');
    await runner.query(states('DISPATCHING', 'RETRY', 'UNKNOWN', 'PACED'));
    await runner.query(`
      CREATE INDEX dispatch_paced ON dispatch (organization_id, channel_id, job_id, due_at) WHERE state = 'PACED'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX dispatch_paced');
    await runner.query("UPDATE dispatch SET state = 'RETRY' WHERE state = 'PACED'");
    await runner.query(states('DISPATCHING', 'RETRY', 'UNKNOWN'));
    await runner.query('ALTER TABLE dispatch DROP COLUMN job_id');
  }
}
