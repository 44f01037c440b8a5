import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Opt-outs, the channels that they are of, and what contacts carry of both.
 *
 * Lock: ACCESS EXCLUSIVE on `contact` while its index is built (about a second per million rows); the new columns rewrite
 * nothing. Reversal: drops what it made.
 */
export class OptOuts1764200001000 implements MigrationInterface {
  readonly name = 'OptOuts1764200001000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- A projection of messaging's channels; default_region is null while only the id is known.
      CREATE TABLE contacts.channel (
        organization_id text COLLATE "C" NOT NULL,
        id text COLLATE "C" NOT NULL,
        is_default boolean NOT NULL DEFAULT false,
        default_region text,
        -- Id of the event that told it; a later one is newer.
        told_by text COLLATE "C" NOT NULL DEFAULT '',
        PRIMARY KEY (organization_id, id)
      );

      CREATE TABLE contacts.opt_out (
        organization_id text COLLATE "C" NOT NULL,
        -- Carries the time of its creation.
        id text COLLATE "C" NOT NULL,
        contact_id text COLLATE "C" NOT NULL,
        -- '*' stands for every channel.
        channel_id text COLLATE "C" NOT NULL,
        source text NOT NULL CHECK (source IN ('API', 'KEYWORD', 'CONSOLE', 'UPSTREAM')),
        reason text,
        PRIMARY KEY (organization_id, id)
      );
      -- At most one a contact and channel; every change of them grows the contact's version, under its lock.
      CREATE UNIQUE INDEX opt_out_contact ON contacts.opt_out (organization_id, contact_id, channel_id);
      CREATE INDEX opt_out_channel ON contacts.opt_out (organization_id, channel_id, id);

      ALTER TABLE contacts.contact
        -- How many single channels its opt-outs cover; -1: all of them. Lists of opted-out contacts walk it.
        ADD COLUMN coverage integer NOT NULL DEFAULT 0,
        -- What the upstream told of it and was applied: changes of number, preferences by channel.
        ADD COLUMN heard jsonb,
        SET (fillfactor = 90);
      -- The condition holds for every row, and only lists state it: no other statement can be planned with this index,
      -- which on tables that are empty still costs what the primary key costs.
      CREATE INDEX contact_coverage ON contacts.contact (organization_id, coverage, id) WHERE coverage >= -1;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE contacts.contact DROP COLUMN coverage, DROP COLUMN heard, RESET (fillfactor);
      DROP TABLE contacts.opt_out, contacts.channel;
    `);
  }
}
