import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The version that other services may hold of contacts whose changes a restore has lost. Lock: none, the table is new. Reversal: drops it;
 * contacts that were changed since a restore keep their versions.
 */
export class VersionFloor1767830000000 implements MigrationInterface {
  readonly name = 'VersionFloor1767830000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE version_floor (
        id int PRIMARY KEY DEFAULT 1 CHECK (id = 1),
        -- Milliseconds since 1970 of the last restore; 0 before the first.
        version bigint NOT NULL
      );
      INSERT INTO version_floor (version) VALUES (0);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE version_floor');
  }
}
