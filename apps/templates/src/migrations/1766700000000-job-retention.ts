import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Finds jobs that ended long ago, and the keys of a job. Lock: writes of jobs and keys wait while their indexes are built, 1 s for a
 * million rows. Reversal: drops them.
 */
export class JobRetention1766700000000 implements MigrationInterface {
  readonly name = 'JobRetention1766700000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Of all organizations: the longest ended first.
      CREATE INDEX job_finished ON job (finished_at) WHERE state <> 'ACTIVE';
      CREATE INDEX job_key_job ON job_key (organization_id, job_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX job_key_job, job_finished');
  }
}
