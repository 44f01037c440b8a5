-- tables
dead_letter
event_failure with fillfactor=50
inbox partition by RANGE (event_id)
incarnation with fillfactor=50
migration
outbox partition by RANGE (id)
relay_state with fillfactor=50

-- columns
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

-- constraints
dead_letter: PRIMARY KEY (event_id, consumer)
event_failure: PRIMARY KEY (event_id, consumer)
inbox: PRIMARY KEY (event_id, consumer)
incarnation: CHECK ((id = 1))
incarnation: PRIMARY KEY (id)
migration: PRIMARY KEY (id)
outbox: PRIMARY KEY (id)
relay_state: PRIMARY KEY (stream)

-- indexes
CREATE INDEX dead_letter_redrive ON webhooks.dead_letter USING btree (consumer, event_id) WHERE (redrive_requested_at IS NOT NULL)
CREATE UNIQUE INDEX dead_letter_pkey ON webhooks.dead_letter USING btree (event_id, consumer)
CREATE UNIQUE INDEX event_failure_pkey ON webhooks.event_failure USING btree (event_id, consumer)
CREATE UNIQUE INDEX inbox_pkey ON ONLY webhooks.inbox USING btree (event_id, consumer)
CREATE UNIQUE INDEX incarnation_pkey ON webhooks.incarnation USING btree (id)
CREATE UNIQUE INDEX "PK_3043fc6b8af7c99b8b98830094f" ON webhooks.migration USING btree (id)
CREATE INDEX outbox_unpublished ON ONLY webhooks.outbox USING btree ("position") WHERE (published_at IS NULL)
CREATE UNIQUE INDEX outbox_pkey ON ONLY webhooks.outbox USING btree (id)
CREATE UNIQUE INDEX relay_state_pkey ON webhooks.relay_state USING btree (stream)

-- functions
cuid_floor(moment timestamp with time zone)
drop_past_partition(name text, retention_days integer) security definer
ensure_partition(parent text, moment_from timestamp with time zone, moment_to timestamp with time zone, suffix text) security definer
keep_outbox_partitions(retention_days integer) security definer
past_partitions(retention_days integer) security definer
