import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Tells opt-outs that contacts told from those that messaging observed itself and contacts has yet to take into account.
 *
 * Lock: ACCESS EXCLUSIVE on suppression while its key is built anew; sends wait for that, some milliseconds. Replicas of
 * the release before go on: they write rows as if contacts had told them. Reversal: forgets what was observed twice.
 */
export class ObservedOptOuts1764600000000 implements MigrationInterface {
  name = 'ObservedOptOuts1764600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE suppression ADD COLUMN observed_by text COLLATE "C" NOT NULL DEFAULT '';
      ALTER TABLE suppression DROP CONSTRAINT suppression_pkey,
        ADD PRIMARY KEY (organization_id, contact_id, channel_id, observed_by);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM suppression s USING suppression other
      WHERE other.organization_id = s.organization_id AND other.contact_id = s.contact_id
        AND other.channel_id = s.channel_id AND other.observed_by < s.observed_by;
      ALTER TABLE suppression DROP CONSTRAINT suppression_pkey, DROP COLUMN observed_by,
        ADD PRIMARY KEY (organization_id, contact_id, channel_id);
    `);
  }
}
