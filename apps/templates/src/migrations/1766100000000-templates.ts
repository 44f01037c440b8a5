import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Channels, business accounts and templates. Lock: none that matters, everything is new. Reversal: drops what it made. */
export class Templates1766100000000 implements MigrationInterface {
  readonly name = 'Templates1766100000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- A projection of messaging's channels.
      CREATE TABLE channel (
        organization_id text COLLATE "C" NOT NULL,
        id text COLLATE "C" NOT NULL,
        -- Null while only an older release of messaging has spoken of the channel.
        business_account_id text COLLATE "C",
        phone text NOT NULL,
        status text NOT NULL CHECK (status IN ('CONNECTED', 'DISCONNECTED')),
        is_default boolean NOT NULL,
        default_region text NOT NULL,
        -- Id of the event that the row is from; a later one is newer.
        last_event_id text COLLATE "C" NOT NULL,
        PRIMARY KEY (organization_id, id)
      );
      CREATE INDEX channel_account ON channel (organization_id, business_account_id, is_default, id);

      -- A business account of an organization at the upstream, and the synchronisation of its templates.
      CREATE TABLE account (
        organization_id text COLLATE "C" NOT NULL,
        business_account_id text COLLATE "C" NOT NULL,
        next_sync_at timestamptz NOT NULL DEFAULT now(),
        -- The run that synchronises it; another takes over when the time is past.
        lease_owner text,
        lease_until timestamptz,
        -- When the last complete run ended, and as of when its list was, by the upstream's clock.
        synced_at timestamptz,
        listed_at timestamptz,
        -- Runs in a row that failed, and the code of the last one.
        failures integer NOT NULL DEFAULT 0,
        error text,
        PRIMARY KEY (organization_id, business_account_id)
      ) WITH (fillfactor = 50);
      CREATE INDEX account_due ON account (next_sync_at);
      -- Callbacks name the account, not the organization.
      CREATE INDEX account_business ON account (business_account_id);

      CREATE TABLE template (
        organization_id text COLLATE "C" NOT NULL,
        -- Carries the time of its creation.
        id text COLLATE "C" NOT NULL,
        business_account_id text COLLATE "C" NOT NULL,
        name text COLLATE "C" NOT NULL,
        -- As the upstream lists it, with an underscore.
        language text COLLATE "C" NOT NULL,
        status text NOT NULL CHECK (status IN ('DRAFT', 'PENDING', 'APPROVED', 'REJECTED', 'PAUSED', 'DISABLED')),
        -- Of the newest fact about the status, by the upstream's clock: an older one changes nothing.
        status_at timestamptz NOT NULL,
        upstream_template_id text NOT NULL,
        category text NOT NULL,
        parameter_format text NOT NULL CHECK (parameter_format IN ('POSITIONAL', 'NAMED')),
        -- To the byte as it came: jsonb would order the members anew.
        components json NOT NULL,
        -- The name, folded by the service: the database's idea of case depends on how it was made.
        search_name text NOT NULL,
        updated_at timestamptz NOT NULL,
        PRIMARY KEY (organization_id, id)
      );
      CREATE UNIQUE INDEX template_key ON template (organization_id, business_account_id, name, language);
      CREATE INDEX template_business ON template (business_account_id, name);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE template, account, channel');
  }
}
