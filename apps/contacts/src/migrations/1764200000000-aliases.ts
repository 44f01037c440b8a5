import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The table of written forms holds everything that a contact is found by: the upstream's own ids of persons too.
 *
 * Lock: ACCESS EXCLUSIVE on that table for an instant; nothing is rewritten. A service of before does not work with it:
 * none was ever released. Reversal: the former names.
 */
export class Aliases1764200000000 implements MigrationInterface {
  readonly name = 'Aliases1764200000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE contacts.contact_phone RENAME TO contact_alias;
      ALTER TABLE contacts.contact_alias RENAME COLUMN phone TO alias;
      ALTER INDEX contacts.contact_phone_pkey RENAME TO contact_alias_pkey;
      ALTER INDEX contacts.contact_phone_contact RENAME TO contact_alias_contact;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER INDEX contacts.contact_alias_contact RENAME TO contact_phone_contact;
      ALTER INDEX contacts.contact_alias_pkey RENAME TO contact_phone_pkey;
      ALTER TABLE contacts.contact_alias RENAME COLUMN alias TO phone;
      ALTER TABLE contacts.contact_alias RENAME TO contact_phone;
    `);
  }
}
