-- tables
dead_letter
erasure with fillfactor=70
event_failure with fillfactor=50
inbox partition by RANGE (event_id)
incarnation with fillfactor=50
message_fact partition by RANGE (id)
migration
opt_out_fact
outbox partition by RANGE (id)
outbox_pending
rebuild with fillfactor=50
relay_state with fillfactor=50
rollup with fillfactor=70
template_name

-- columns
dead_letter.event_id text collate C not null
dead_letter.consumer text not null
dead_letter.subject text not null
dead_letter.envelope text not null
dead_letter.error text not null
dead_letter.deliveries integer not null
dead_letter.died_at timestamp with time zone not null default now()
dead_letter.redrive_requested_at timestamp with time zone
erasure.organization_id text collate C not null
erasure.contact_id text collate C not null
erasure.erased_at timestamp with time zone not null
erasure.passes integer not null default 0
erasure.due_at timestamp with time zone
event_failure.event_id text collate C not null
event_failure.consumer text not null
event_failure.failures integer not null
inbox.event_id text collate C not null
inbox.consumer text not null
incarnation.id integer not null default 1
incarnation.number integer not null
incarnation.token text not null
incarnation.previous_token text
incarnation.consumer_epoch integer not null
incarnation.compared_at timestamp with time zone not null
incarnation.server_started_at timestamp with time zone not null
message_fact.organization_id text collate C not null
message_fact.id text collate C not null
message_fact.channel_id text collate C not null
message_fact.contact_id text collate C not null
message_fact.is_inbound boolean not null
message_fact.template_id text collate C
message_fact.version bigint not null
message_fact.stage smallint not null
message_fact.is_failed boolean not null
message_fact.error_code text
message_fact.sent_at timestamp with time zone
message_fact.delivered_at timestamp with time zone
message_fact.read_at timestamp with time zone
message_fact.is_replied boolean not null default false
message_fact.is_opted_out boolean not null default false
migration.id integer not null default nextval('migration_id_seq'::regclass)
migration.timestamp bigint not null
migration.name character varying not null
opt_out_fact.organization_id text collate C not null
opt_out_fact.channel_id text collate C not null
opt_out_fact.contact_id text collate C not null
opt_out_fact.created_at timestamp with time zone not null
outbox.id text collate C not null
outbox.position bigint not null default nextval('outbox_position'::regclass)
outbox.aggregate_id text not null
outbox.subject text not null
outbox.payload text not null
outbox.traceparent text
outbox_pending.position bigint not null
outbox_pending.id text collate C not null
rebuild.organization_id text collate C not null
rebuild.requested_at timestamp with time zone not null default now()
rebuild.due_at timestamp with time zone not null default now()
rebuild.step text not null default 'messages'::text
rebuild.position text collate C not null default ''::text
rebuild.oldest_id text collate C
rebuild.messages_read bigint not null default 0
rebuild.facts_corrected bigint not null default 0
rebuild.counts_corrected bigint not null default 0
rebuild.failure text
rebuild.finished_at timestamp with time zone
relay_state.stream text collate C not null
relay_state.created text not null
relay_state.last_sequence bigint not null
relay_state.epoch integer not null default 1
relay_state.replay_from text collate C
rollup.organization_id text collate C not null
rollup.report text collate C not null
rollup.grain smallint not null
rollup.bucket timestamp with time zone not null
rollup.channel_id text collate C not null
rollup.keys text[] collate C not null
rollup.counts bigint[] not null
template_name.organization_id text collate C not null
template_name.template_id text collate C not null
template_name.name text not null
template_name.language text not null

-- constraints
dead_letter: PRIMARY KEY (event_id, consumer)
erasure: PRIMARY KEY (organization_id, contact_id)
event_failure: PRIMARY KEY (event_id, consumer)
inbox: PRIMARY KEY (event_id, consumer)
incarnation: CHECK ((id = 1))
incarnation: PRIMARY KEY (id)
message_fact: PRIMARY KEY (organization_id, id)
migration: PRIMARY KEY (id)
opt_out_fact: PRIMARY KEY (organization_id, channel_id, contact_id, created_at)
outbox: PRIMARY KEY (id)
outbox_pending: PRIMARY KEY ("position")
rebuild: CHECK ((step = ANY (ARRAY['messages'::text, 'counts'::text, 'done'::text])))
rebuild: PRIMARY KEY (organization_id)
relay_state: PRIMARY KEY (stream)
rollup: CHECK ((grain = ANY (ARRAY[15, 60, 1440])))
rollup: PRIMARY KEY (organization_id, report, grain, bucket, channel_id)
template_name: PRIMARY KEY (organization_id, template_id)

-- indexes
CREATE INDEX dead_letter_redrive ON analytics.dead_letter USING btree (consumer, event_id) WHERE (redrive_requested_at IS NOT NULL)
CREATE UNIQUE INDEX dead_letter_pkey ON analytics.dead_letter USING btree (event_id, consumer)
CREATE INDEX erasure_due ON analytics.erasure USING btree (due_at) WHERE (due_at IS NOT NULL)
CREATE INDEX erasure_turn ON analytics.erasure USING btree (organization_id, due_at) WHERE (due_at IS NOT NULL)
CREATE UNIQUE INDEX erasure_pkey ON analytics.erasure USING btree (organization_id, contact_id)
CREATE UNIQUE INDEX event_failure_pkey ON analytics.event_failure USING btree (event_id, consumer)
CREATE UNIQUE INDEX inbox_pkey ON ONLY analytics.inbox USING btree (event_id, consumer)
CREATE UNIQUE INDEX incarnation_pkey ON analytics.incarnation USING btree (id)
CREATE INDEX message_fact_of_contact ON ONLY analytics.message_fact USING btree (organization_id, channel_id, contact_id, id) WHERE (is_inbound OR (template_id IS NOT NULL))
CREATE UNIQUE INDEX message_fact_pkey ON ONLY analytics.message_fact USING btree (organization_id, id)
CREATE UNIQUE INDEX "PK_3043fc6b8af7c99b8b98830094f" ON analytics.migration USING btree (id)
CREATE UNIQUE INDEX opt_out_fact_pkey ON analytics.opt_out_fact USING btree (organization_id, channel_id, contact_id, created_at)
CREATE UNIQUE INDEX outbox_pkey ON ONLY analytics.outbox USING btree (id)
CREATE UNIQUE INDEX outbox_pending_pkey ON analytics.outbox_pending USING btree ("position")
CREATE UNIQUE INDEX rebuild_pkey ON analytics.rebuild USING btree (organization_id)
CREATE UNIQUE INDEX relay_state_pkey ON analytics.relay_state USING btree (stream)
CREATE UNIQUE INDEX rollup_pkey ON analytics.rollup USING btree (organization_id, report, grain, bucket, channel_id)
CREATE UNIQUE INDEX template_name_pkey ON analytics.template_name USING btree (organization_id, template_id)

-- functions
cuid_floor(moment timestamp with time zone)
drop_past_partition(name text, retention_days integer) security definer
ensure_partition(parent text, moment_from timestamp with time zone, moment_to timestamp with time zone, suffix text) security definer
forget_small_sizes() security definer
keep_fact_month(moment timestamp with time zone) security definer
keep_fact_partitions() security definer
keep_outbox_partitions(retention_days integer) security definer
past_partitions(retention_days integer) security definer
pend_appended()

-- triggers
CREATE TRIGGER pend_appended AFTER INSERT ON analytics.outbox REFERENCING NEW TABLE AS appended FOR EACH STATEMENT EXECUTE FUNCTION pend_appended()

-- columns without samples for the planner
dead_letter.envelope
dead_letter.error
outbox.aggregate_id
outbox.payload
