import { outboxTables } from '@switchboard/outbox';
import { partitionFunctions } from '@switchboard/postgres';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The first tables of the schema. Lock: none that matters, everything is new. Reversal: drops all it made. */
export class Contacts1764000000000 implements MigrationInterface {
  readonly name = 'Contacts1764000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(partitionFunctions('contacts'));
    await runner.query(outboxTables('contacts'));
    await runner.query(`
      CREATE TABLE contacts.contact (
        organization_id text COLLATE "C" NOT NULL,
        id text COLLATE "C" NOT NULL,
        phone text NOT NULL,
        messaging_id text NOT NULL,
        name text,
        email text,
        version bigint NOT NULL,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        PRIMARY KEY (organization_id, id)
      );

      -- Every E.164 form of a subscriber: its key is what makes concurrent resolves of one phone meet.
      CREATE TABLE contacts.contact_phone (
        organization_id text COLLATE "C" NOT NULL,
        phone text COLLATE "C" NOT NULL,
        contact_id text COLLATE "C" NOT NULL,
        PRIMARY KEY (organization_id, phone)
      );
      CREATE INDEX contact_phone_contact ON contacts.contact_phone (organization_id, contact_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE contacts.contact_phone, contacts.contact, contacts.dead_letter, contacts.inbox, contacts.outbox;
      DROP SEQUENCE contacts.outbox_position;
      DROP FUNCTION contacts.keep_outbox_partitions, contacts.ensure_partition, contacts.cuid_floor;
    `);
  }
}
