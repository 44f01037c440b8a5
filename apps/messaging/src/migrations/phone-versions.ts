import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Which version of its contact named a phone: it is that contact's as long as the contact is of this version.
 *
 * What is stored already, and what replicas of the release before store, names none: such a phone is asked for when it is
 * next sent to. So numbers that were given up before become free too.
 *
 * Lock: ACCESS EXCLUSIVE on contact_phone for a moment (a column with a constant default). Reversal: drops it.
 */
export class PhoneVersions1764000006000 implements MigrationInterface {
  name = 'PhoneVersions1764000006000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE contact_phone ADD COLUMN version bigint NOT NULL DEFAULT -1');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE contact_phone DROP COLUMN version');
  }
}
