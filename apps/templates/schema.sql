-- tables
account with fillfactor=50
channel
dead_letter
event_failure with fillfactor=50
inbox partition by RANGE (event_id)
migration
outbox partition by RANGE (id)
relay_state with fillfactor=50
template

-- columns
account.organization_id text collate C not null
account.business_account_id text collate C not null
account.next_sync_at timestamp with time zone not null default now()
account.lease_owner text
account.lease_until timestamp with time zone
account.synced_at timestamp with time zone
account.listed_at timestamp with time zone
account.failures integer not null default 0
account.error text
channel.organization_id text collate C not null
channel.id text collate C not null
channel.business_account_id text collate C
channel.phone text not null
channel.status text not null
channel.is_default boolean not null
channel.default_region text not null
channel.last_event_id text collate C not null
dead_letter.event_id text collate C not null
dead_letter.consumer text not null
dead_letter.subject text not null
dead_letter.envelope text not null
dead_letter.error text not null
dead_letter.deliveries integer not null
dead_letter.died_at timestamp with time zone not null default now()
dead_letter.redrive_requested_at timestamp with time zone
event_failure.event_id text collate C not null
event_failure.consumer text not null
event_failure.failures integer not null
inbox.event_id text collate C not null
inbox.consumer text not null
migration.id integer not null default nextval('migration_id_seq'::regclass)
migration.timestamp bigint not null
migration.name character varying not null
outbox.id text collate C not null
outbox.position bigint not null default nextval('outbox_position'::regclass)
outbox.aggregate_id text not null
outbox.subject text not null
outbox.payload text not null
outbox.traceparent text
outbox.published_at timestamp with time zone
relay_state.stream text collate C not null
relay_state.created text not null
relay_state.last_sequence bigint not null
relay_state.epoch integer not null default 1
relay_state.replay_from text collate C
template.organization_id text collate C not null
template.id text collate C not null
template.business_account_id text collate C not null
template.name text collate C not null
template.language text collate C not null
template.status text not null
template.status_at timestamp with time zone not null
template.upstream_template_id text not null
template.category text not null
template.parameter_format text not null
template.components json not null
template.search_name text not null
template.updated_at timestamp with time zone not null

-- constraints
account: PRIMARY KEY (organization_id, business_account_id)
channel: CHECK ((status = ANY (ARRAY['CONNECTED'::text, 'DISCONNECTED'::text])))
channel: PRIMARY KEY (organization_id, id)
dead_letter: PRIMARY KEY (event_id, consumer)
event_failure: PRIMARY KEY (event_id, consumer)
inbox: PRIMARY KEY (event_id, consumer)
migration: PRIMARY KEY (id)
outbox: PRIMARY KEY (id)
relay_state: PRIMARY KEY (stream)
template: CHECK ((parameter_format = ANY (ARRAY['POSITIONAL'::text, 'NAMED'::text])))
template: CHECK ((status = ANY (ARRAY['DRAFT'::text, 'PENDING'::text, 'APPROVED'::text, 'REJECTED'::text, 'PAUSED'::text, 'DISABLED'::text])))
template: PRIMARY KEY (organization_id, id)

-- indexes
CREATE INDEX account_business ON templates.account USING btree (business_account_id)
CREATE INDEX account_due ON templates.account USING btree (next_sync_at)
CREATE UNIQUE INDEX account_pkey ON templates.account USING btree (organization_id, business_account_id)
CREATE INDEX channel_account ON templates.channel USING btree (organization_id, business_account_id, is_default, id)
CREATE UNIQUE INDEX channel_pkey ON templates.channel USING btree (organization_id, id)
CREATE INDEX dead_letter_redrive ON templates.dead_letter USING btree (consumer, event_id) WHERE (redrive_requested_at IS NOT NULL)
CREATE UNIQUE INDEX dead_letter_pkey ON templates.dead_letter USING btree (event_id, consumer)
CREATE UNIQUE INDEX event_failure_pkey ON templates.event_failure USING btree (event_id, consumer)
CREATE UNIQUE INDEX inbox_pkey ON ONLY templates.inbox USING btree (event_id, consumer)
CREATE UNIQUE INDEX "PK_3043fc6b8af7c99b8b98830094f" ON templates.migration USING btree (id)
CREATE INDEX outbox_unpublished ON ONLY templates.outbox USING btree ("position") WHERE (published_at IS NULL)
CREATE UNIQUE INDEX outbox_pkey ON ONLY templates.outbox USING btree (id)
CREATE UNIQUE INDEX relay_state_pkey ON templates.relay_state USING btree (stream)
CREATE INDEX template_business ON templates.template USING btree (business_account_id, name)
CREATE UNIQUE INDEX template_key ON templates.template USING btree (organization_id, business_account_id, name, language)
CREATE UNIQUE INDEX template_pkey ON templates.template USING btree (organization_id, id)

-- functions
cuid_floor(moment timestamp with time zone)
drop_past_partition(name text, retention_days integer) security definer
ensure_partition(parent text, moment_from timestamp with time zone, moment_to timestamp with time zone, suffix text) security definer
keep_outbox_partitions(retention_days integer) security definer
past_partitions(retention_days integer) security definer
