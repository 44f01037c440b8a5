import { stopSampling } from '@switchboard/postgres';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What contacts had as aliases and gave up, so that an erasure finds what was stored under it. Never sampled, as all that people are
 * found by. Lock: none, the table is new. Reversal: drops it; what was stored under former numbers is no longer erased.
 */
export class FormerAliases1767600000000 implements MigrationInterface {
  readonly name = 'FormerAliases1767600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE former_alias (
        organization_id text COLLATE "C" NOT NULL,
        contact_id text COLLATE "C" NOT NULL,
        alias text COLLATE "C" NOT NULL,
        until timestamptz NOT NULL,
        PRIMARY KEY (organization_id, contact_id, alias)
      );
      CREATE INDEX former_alias_until ON former_alias (until);
    `);
    await runner.query(stopSampling({ former_alias: ['alias'] }));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE former_alias');
  }
}
