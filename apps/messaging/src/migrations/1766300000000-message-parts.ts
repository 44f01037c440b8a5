import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What integrators and jobs add to a message. Lock: ACCESS EXCLUSIVE on `message` and its partitions for a moment; columns
 * without a default rewrite no row. Reversal: drops them.
 */
export class MessageParts1766300000000 implements MigrationInterface {
  readonly name = 'MessageParts1766300000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE message
        ADD COLUMN client_reference text COLLATE "C",
        ADD COLUMN metadata jsonb,
        ADD COLUMN job_id text COLLATE "C",
        ADD COLUMN recipient_index integer`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE message
        DROP COLUMN client_reference, DROP COLUMN metadata, DROP COLUMN job_id, DROP COLUMN recipient_index`);
  }
}
