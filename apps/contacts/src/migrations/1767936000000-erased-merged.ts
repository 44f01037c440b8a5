import { stopSampling } from '@switchboard/postgres';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Whose person an erased contact was that had been merged into another: of the one that goes on, or of its aliases when it was erased itself.
 * Never sampled, as all that people are found by. Lock: ACCESS EXCLUSIVE on `erased_number`, which holds what is not confirmed yet, also while
 * the index, in which no row is yet, is made by one pass. Reversal: drops both; a refusal of a send to such a contact is lost again.
 */
export class ErasedMerged1767936000000 implements MigrationInterface {
  readonly name = 'ErasedMerged1767936000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE erased_number ADD COLUMN merged_into text COLLATE "C", ADD COLUMN person_aliases text[]',
    );
    await runner.query(
      'CREATE INDEX erased_number_merged ON erased_number (organization_id, merged_into) WHERE merged_into IS NOT NULL',
    );
    await runner.query(stopSampling({ erased_number: ['person_aliases'] }));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE erased_number DROP COLUMN merged_into, DROP COLUMN person_aliases');
  }
}
