-- tables
account_walk
channel
contact with fillfactor=90
contact_alias
data_key
dead_letter
erased_number
erasure with fillfactor=70
event_failure with fillfactor=50
former_alias
held_opt_out
held_statement
inbox partition by RANGE (event_id)
incarnation with fillfactor=50
migration
number_key
opt_out
outbox partition by RANGE (id)
outbox_pending
relay_state with fillfactor=50
unconfirmed_erasure
unconfirmed_removal
version_floor

-- columns
account_walk.id integer not null default 1
account_walk.organization_id text collate C not null default ''::text
account_walk.contact_id text collate C not null default ''::text
account_walk.due_at timestamp with time zone not null default (now() + '01:00:00'::interval)
channel.organization_id text collate C not null
channel.id text collate C not null
channel.is_default boolean not null default false
channel.default_region text
channel.last_event_id text collate C not null default ''::text
contact.organization_id text collate C not null
contact.id text collate C not null
contact.phone text not null
contact.messaging_id text not null
contact.name text
contact.email text
contact.version bigint not null
contact.created_at timestamp with time zone not null
contact.updated_at timestamp with time zone not null
contact.coverage integer not null default 0
contact.applied_statements jsonb
contact.search_text text not null
contact.ordinal integer not null
contact.segment integer not null default (ordinal / 8192)
contact.merged_into text collate C
contact_alias.organization_id text collate C not null
contact_alias.alias text collate C not null
contact_alias.contact_id text collate C not null
data_key.organization_id text not null
data_key.wrapped bytea not null
data_key.created_at timestamp with time zone not null default now()
dead_letter.event_id text collate C not null
dead_letter.consumer text not null
dead_letter.subject text not null
dead_letter.envelope text not null
dead_letter.error text not null
dead_letter.deliveries integer not null
dead_letter.died_at timestamp with time zone not null default now()
dead_letter.redrive_requested_at timestamp with time zone
erased_number.organization_id text collate C not null
erased_number.contact_id text collate C not null
erased_number.aliases text[] not null
erased_number.waits_for text[] not null
erased_number.announced_at timestamp with time zone not null default now()
erased_number.sequence bigint not null default '9007199254740991'::bigint
erased_number.merged_into text collate C
erased_number.person_aliases text[]
erasure.organization_id text collate C not null
erasure.contact_id text collate C not null
erasure.erased_at timestamp with time zone not null
erasure.passes integer not null default 0
erasure.due_at timestamp with time zone
event_failure.event_id text collate C not null
event_failure.consumer text not null
event_failure.failures integer not null
former_alias.organization_id text collate C not null
former_alias.contact_id text collate C not null
former_alias.alias text collate C not null
former_alias.until timestamp with time zone not null
former_alias.moved_at timestamp with time zone
held_opt_out.organization_id text collate C not null
held_opt_out.alias_hmac bytea not null
held_opt_out.channel_id text collate C not null
held_opt_out.source text not null
held_opt_out.group_id uuid
held_statement.organization_id text collate C not null
held_statement.alias_hmac bytea not null
held_statement.channel_id text collate C not null
held_statement.stated_at timestamp with time zone not null
inbox.event_id text collate C not null
inbox.consumer text not null
incarnation.id integer not null default 1
incarnation.number integer not null
incarnation.token text not null
incarnation.previous_token text
incarnation.consumer_epoch integer not null
incarnation.compared_at timestamp with time zone not null
incarnation.server_started_at timestamp with time zone not null
migration.id integer not null default nextval('migration_id_seq'::regclass)
migration.timestamp bigint not null
migration.name character varying not null
number_key.organization_id text collate C not null
number_key.id text collate C not null
number_key.key_sealed bytea not null
opt_out.organization_id text collate C not null
opt_out.id text collate C not null
opt_out.contact_id text collate C not null
opt_out.channel_id text collate C not null
opt_out.source text not null
opt_out.reason text
outbox.id text collate C not null
outbox.position bigint not null default nextval('outbox_position'::regclass)
outbox.aggregate_id text not null
outbox.subject text not null
outbox.payload text not null
outbox.traceparent text
outbox_pending.position bigint not null
outbox_pending.id text collate C not null
relay_state.stream text collate C not null
relay_state.created text not null
relay_state.last_sequence bigint not null
relay_state.epoch integer not null default 1
relay_state.replay_from text collate C
unconfirmed_erasure.organization_id text collate C not null
unconfirmed_erasure.contact_id text collate C not null
unconfirmed_erasure.version bigint not null
unconfirmed_erasure.started_at timestamp with time zone not null default now()
unconfirmed_removal.organization_id text collate C not null
unconfirmed_removal.opt_out_id text collate C not null
unconfirmed_removal.contact_id text collate C not null
unconfirmed_removal.started_at timestamp with time zone not null default now()
version_floor.id integer not null default 1
version_floor.version bigint not null

-- constraints
account_walk: CHECK ((id = 1))
account_walk: PRIMARY KEY (id)
channel: PRIMARY KEY (organization_id, id)
contact: PRIMARY KEY (organization_id, id)
contact_alias: PRIMARY KEY (organization_id, alias)
data_key: PRIMARY KEY (organization_id)
dead_letter: PRIMARY KEY (event_id, consumer)
erased_number: PRIMARY KEY (organization_id, contact_id)
erasure: PRIMARY KEY (organization_id, contact_id)
event_failure: PRIMARY KEY (event_id, consumer)
former_alias: PRIMARY KEY (organization_id, contact_id, alias)
held_opt_out: CHECK ((length(alias_hmac) = 32))
held_opt_out: PRIMARY KEY (organization_id, alias_hmac, channel_id)
held_statement: CHECK ((length(alias_hmac) = 32))
held_statement: PRIMARY KEY (organization_id, alias_hmac, channel_id)
inbox: PRIMARY KEY (event_id, consumer)
incarnation: CHECK ((id = 1))
incarnation: PRIMARY KEY (id)
migration: PRIMARY KEY (id)
number_key: PRIMARY KEY (organization_id)
opt_out: CHECK ((source = ANY (ARRAY['API'::text, 'KEYWORD'::text, 'CONSOLE'::text, 'UPSTREAM'::text])))
opt_out: PRIMARY KEY (organization_id, id)
outbox: PRIMARY KEY (id)
outbox_pending: PRIMARY KEY ("position")
relay_state: PRIMARY KEY (stream)
unconfirmed_erasure: PRIMARY KEY (organization_id, contact_id)
unconfirmed_removal: PRIMARY KEY (organization_id, opt_out_id)
version_floor: CHECK ((id = 1))
version_floor: PRIMARY KEY (id)

-- indexes
CREATE UNIQUE INDEX account_walk_pkey ON contacts.account_walk USING btree (id)
CREATE UNIQUE INDEX channel_pkey ON contacts.channel USING btree (organization_id, id)
CREATE INDEX contact_coverage ON contacts.contact USING btree (organization_id, coverage, id) WHERE (coverage >= '-1'::integer)
CREATE INDEX contact_merged ON contacts.contact USING btree (organization_id, merged_into, id) WHERE (merged_into IS NOT NULL)
CREATE INDEX contact_search ON contacts.contact USING gin (search_grams(organization_id, segment, search_text)) WITH (fastupdate=off)
CREATE INDEX contact_segment ON contacts.contact USING btree (organization_id, segment, id) WHERE (segment >= 0)
CREATE UNIQUE INDEX contact_pkey ON contacts.contact USING btree (organization_id, id)
CREATE INDEX contact_alias_contact ON contacts.contact_alias USING btree (organization_id, contact_id)
CREATE UNIQUE INDEX contact_alias_pkey ON contacts.contact_alias USING btree (organization_id, alias)
CREATE UNIQUE INDEX data_key_pkey ON contacts.data_key USING btree (organization_id)
CREATE INDEX dead_letter_redrive ON contacts.dead_letter USING btree (consumer, event_id) WHERE (redrive_requested_at IS NOT NULL)
CREATE UNIQUE INDEX dead_letter_pkey ON contacts.dead_letter USING btree (event_id, consumer)
CREATE INDEX erased_number_merged ON contacts.erased_number USING btree (organization_id, merged_into) WHERE (merged_into IS NOT NULL)
CREATE UNIQUE INDEX erased_number_pkey ON contacts.erased_number USING btree (organization_id, contact_id)
CREATE INDEX erasure_due ON contacts.erasure USING btree (due_at) WHERE (due_at IS NOT NULL)
CREATE INDEX erasure_turn ON contacts.erasure USING btree (organization_id, due_at) WHERE (due_at IS NOT NULL)
CREATE UNIQUE INDEX erasure_pkey ON contacts.erasure USING btree (organization_id, contact_id)
CREATE UNIQUE INDEX event_failure_pkey ON contacts.event_failure USING btree (event_id, consumer)
CREATE INDEX former_alias_moved ON contacts.former_alias USING btree (organization_id, alias) WHERE (moved_at IS NOT NULL)
CREATE INDEX former_alias_until ON contacts.former_alias USING btree (until)
CREATE UNIQUE INDEX former_alias_pkey ON contacts.former_alias USING btree (organization_id, contact_id, alias)
CREATE INDEX held_opt_out_group ON contacts.held_opt_out USING btree (organization_id, group_id) WHERE (group_id IS NOT NULL)
CREATE UNIQUE INDEX held_opt_out_pkey ON contacts.held_opt_out USING btree (organization_id, alias_hmac, channel_id)
CREATE INDEX held_statement_age ON contacts.held_statement USING btree (stated_at)
CREATE UNIQUE INDEX held_statement_pkey ON contacts.held_statement USING btree (organization_id, alias_hmac, channel_id)
CREATE UNIQUE INDEX inbox_pkey ON ONLY contacts.inbox USING btree (event_id, consumer)
CREATE UNIQUE INDEX incarnation_pkey ON contacts.incarnation USING btree (id)
CREATE UNIQUE INDEX "PK_3043fc6b8af7c99b8b98830094f" ON contacts.migration USING btree (id)
CREATE UNIQUE INDEX number_key_pkey ON contacts.number_key USING btree (organization_id)
CREATE INDEX opt_out_channel ON contacts.opt_out USING btree (organization_id, channel_id, id)
CREATE UNIQUE INDEX opt_out_contact ON contacts.opt_out USING btree (organization_id, contact_id, channel_id)
CREATE UNIQUE INDEX opt_out_pkey ON contacts.opt_out USING btree (organization_id, id)
CREATE UNIQUE INDEX outbox_pkey ON ONLY contacts.outbox USING btree (id)
CREATE UNIQUE INDEX outbox_pending_pkey ON contacts.outbox_pending USING btree ("position")
CREATE UNIQUE INDEX relay_state_pkey ON contacts.relay_state USING btree (stream)
CREATE INDEX unconfirmed_erasure_started ON contacts.unconfirmed_erasure USING btree (started_at)
CREATE UNIQUE INDEX unconfirmed_erasure_pkey ON contacts.unconfirmed_erasure USING btree (organization_id, contact_id)
CREATE INDEX unconfirmed_removal_started ON contacts.unconfirmed_removal USING btree (started_at)
CREATE UNIQUE INDEX unconfirmed_removal_pkey ON contacts.unconfirmed_removal USING btree (organization_id, opt_out_id)
CREATE UNIQUE INDEX version_floor_pkey ON contacts.version_floor USING btree (id)

-- functions
assign_ordinal()
cuid_floor(moment timestamp with time zone)
drop_past_partition(name text, retention_days integer) security definer
ensure_partition(parent text, moment_from timestamp with time zone, moment_to timestamp with time zone, suffix text) security definer
forget_small_sizes() security definer
keep_outbox_partitions(retention_days integer) security definer
past_partitions(retention_days integer) security definer
pend_appended()
search_contacts(organization text, before text, term text, grams text[], coverages integer[], at_most integer)
search_grams(organization_id text, segment integer, search_text text)
search_segment(organization text, number integer, before text, grams tsquery, term text, coverages integer[], crowd integer)

-- triggers
CREATE TRIGGER contact_ordinal BEFORE INSERT ON contacts.contact FOR EACH ROW WHEN ((new.ordinal IS NULL)) EXECUTE FUNCTION assign_ordinal()
CREATE TRIGGER pend_appended AFTER INSERT ON contacts.outbox REFERENCING NEW TABLE AS appended FOR EACH STATEMENT EXECUTE FUNCTION pend_appended()

-- columns without samples for the planner
contact.applied_statements
contact.email
contact.messaging_id
contact.name
contact.phone
contact.search_text
contact_alias.alias
contact_search.search_grams
dead_letter.envelope
dead_letter.error
erased_number.aliases
erased_number.person_aliases
former_alias.alias
opt_out.reason
outbox.aggregate_id
outbox.payload
